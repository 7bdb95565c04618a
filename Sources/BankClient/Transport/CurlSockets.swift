import CCurl
import Platform

/// The sockets that libcurl has opened for one multi handle. Confined to the loop's thread.
///
/// libcurl 7.88.1 does not look at a kept connection under TLS before it uses it again: bytes that the server has sent behind a
/// complete response become the response to the next request (measured; RFC 9112 §6.3 forbids it).
final class CurlSockets {
    private var open: [StreamSocket] = []

    /// Adds a socket that libcurl has opened, and forgets those that are closed.
    func add(_ descriptor: curl_socket_t) {
        let socket = StreamSocket(descriptor: descriptor)
        open.removeAll { $0 == socket || $0.port == nil }
        open.append(socket)
    }

    /// Whether bytes wait on the connection with that port on this side.
    func hasUnreadBytes(localPort: Int32) -> Bool { open.contains { $0.port == Int(localPort) && $0.hasUnreadBytes } }
}
