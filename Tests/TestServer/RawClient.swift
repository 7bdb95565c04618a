package import BankModel
package import Platform

/// A bare socket, so that a test sees every byte and distinguishes FIN from RST.
///
/// Its methods suspend while the other side makes them wait; they block no thread of Swift's pool, which the admin API and other tests need.
/// Each time they wait has the client's limit: a read then ends with ``End/silence``, and ``send(_:)`` returns false.
package final class RawClient {
    private let socket: StreamSocket
    /// How long the client waits each time the other side sends or accepts nothing.
    package var timeoutSeconds: Int
    private var buffer: [UInt8] = []
    /// The buffer of one read.
    private var bytes = [UInt8](repeating: 0, count: 65536)
    private var isOpen = true
    private var wasReset = false

    /// The end of reading.
    package enum End: Equatable, Sendable {
        /// The other side shut down writing.
        case fin
        case rst
        /// Nothing arrived within the time limit.
        case silence
    }

    package struct Failure: Error { let errno: Int32 }

    /// Connects to a port of this machine, which its kernel does without waiting for a program.
    ///
    /// - Parameter timeoutSeconds: how long the client waits each time the other side sends or accepts nothing.
    package init(port: Int, timeoutSeconds: Int = 300) throws {
        guard let socket = StreamSocket.open() else { throw Failure(errno: errno) }
        (self.socket, self.timeoutSeconds) = (socket, timeoutSeconds)
        guard socket.connect(to: port) else { throw Failure(errno: errno) }
        socket.stopBlocking()
    }

    deinit { close() }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        socket.close()
    }

    /// Closes with RST.
    package func abort() {
        guard isOpen else { return }
        isOpen = false
        socket.reset()
    }

    /// The bytes that have arrived and were not read.
    package var unreadBytes: Int { socket.unreadBytes }

    /// A copy of the server's end of the connection, such as a process that is being started has until it runs its own program; nil if the
    /// server is not in this process.
    package func copyOfOtherEnd() -> StreamSocket? {
        let mine = socket.port
        let other = (0..<Int32(4096)).first { descriptor in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
            }
            return result == 0 && Int(in_port_t(bigEndian: address.sin_port)) == mine
        }
        guard let copy = other.map({ fcntl($0, F_DUPFD_CLOEXEC, 0) }), copy >= 0 else { return nil }
        return StreamSocket(descriptor: copy)
    }

    /// Sends FIN, and continues reading.
    package func shutdownWriting() { socket.shutdownWriting() }

    /// Sends all of it; false if the other side does not accept it.
    @discardableResult
    package func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) async -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { socket.send($0) }
            if count > 0 {
                sent += count
            } else if errno != EINTR {
                // The operating system reports a reset once: here, or where the socket is read.
                if errno == ECONNRESET { wasReset = true }
                guard errno == EAGAIN, await isReady(for: POLLOUT) else { return false }
            }
        }
        return true
    }

    /// Reads once more; nil if bytes arrived. A signal, or a stalled machine, does not end reading.
    private func fill() async -> End? {
        while true {
            let count = recv(socket.descriptor, &bytes, bytes.count, 0)
            if count > 0 {
                buffer.append(contentsOf: bytes[..<count])
                return nil
            }
            if count == 0 { return wasReset ? .rst : .fin }
            if errno == ECONNRESET { return .rst }
            if errno != EINTR { guard errno == EAGAIN, await isReady(for: POLLIN) else { return .silence } }
        }
    }

    /// Waits on a separate thread until the socket can be read from, or written to, or has ended; false after the time limit.
    private func isReady(for event: Int32) async -> Bool {
        let (descriptor, milliseconds) = (socket.descriptor, Int32(timeoutSeconds * 1000))
        return await blocking {
            var awaited = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            var count = poll(&awaited, 1, milliseconds)
            while count < 0, errno == EINTR { count = poll(&awaited, 1, milliseconds) }
            return count > 0
        }
    }

    /// The next complete response; nil if the connection ends or is silent before.
    ///
    /// - Parameter isHead: whether it answers HEAD and has no body.
    package func response(isHead: Bool = false) async -> RawResponse? {
        while true {
            if let end = endOfHead {
                let response = RawResponse(head: Array(buffer[..<end]))
                let length =
                    isHead || response.status < 200 || response.status == 204 || response.status == 304 ? 0 : response.contentLength
                if buffer.count >= end + length {
                    defer { buffer.removeFirst(end + length) }
                    return RawResponse(head: response.head, body: Array(buffer[end..<(end + length)]))
                }
            }
            if await fill() != nil { return nil }
        }
    }

    /// The next responses, nil for each that does not arrive.
    package func responses(_ count: Int) async -> [RawResponse?] {
        var responses: [RawResponse?] = []
        for _ in 0..<count { responses.append(await response()) }
        return responses
    }

    /// Sends each request once the one before is answered; nil for each response that does not arrive.
    package func responses(to requests: [String]) async -> [RawResponse?] {
        var responses: [RawResponse?] = []
        for request in requests {
            await send(request)
            responses.append(await response(isHead: request.hasPrefix("HEAD ")))
        }
        return responses
    }

    /// The start of the body; nil until the head is complete. By hand: it is computed for each response of many thousands.
    private var endOfHead: Int? {
        buffer.withUnsafeBytes { bytes in
            var index = 3
            while index < bytes.count {
                if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 { return index + 1 }
                index += 1
            }
            return nil
        }
    }

    /// The result of one more read.
    package enum More: Sendable {
        case bytes([UInt8])
        case end(End)
    }

    /// The next bytes, including any already read.
    package func more() async -> More {
        if buffer.isEmpty, let end = await fill() { return .end(end) }
        defer { buffer = [] }
        return .bytes(buffer)
    }

    /// Reads to the end.
    ///
    /// - Returns: the end, and the bytes before it.
    package func end() async -> (end: End, bytes: [UInt8]) {
        while true {
            if let end = await fill() {
                defer { buffer = [] }
                return (end, buffer)
            }
        }
    }
}

/// A response as received.
package struct RawResponse: Sendable {
    package let head: [UInt8]
    package var body: [UInt8] = []

    private var lines: [Substring] { String(decoding: head, as: UTF8.self).split(separator: "\r\n") }

    package var status: Int { lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0 }
    package var text: String { String(decoding: body, as: UTF8.self) }
    package var json: JSON { (try? JSON(parsing: body)) ?? .null }
    package var error: String? { json["error"]?.string }
    package var contentLength: Int { header("Content-Length").flatMap { Int($0) } ?? 0 }

    package func header(_ name: String) -> String? {
        let prefix = name.lowercased() + ":"
        return lines.first { $0.lowercased().hasPrefix(prefix) }.map { $0.dropFirst(prefix.count).trimmingPrefix { $0 == " " } }.map(
            String.init)
    }

    /// The head without the lines that differ from response to response.
    package var lasting: String {
        lines.filter { !$0.hasPrefix("Date:") && !$0.hasPrefix("X-Request-Id:") }.joined(separator: "\n")
    }
}
