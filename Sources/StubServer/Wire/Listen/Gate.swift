import BankEngine
import BankModel
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A port that can stop listening without giving its number away.
///
/// On Linux the number is bound by a second socket, too, from the beginning to the end, which never listens: shut, the kernel
/// refuses who comes, and there is no moment in which the number is free for another. Elsewhere that socket takes turns with the
/// listener's.
final class Gate: SessionPort {
    let host: String
    let port: Int
    private let listen: @Sendable () async throws(ServerError) -> any Channel
    private let connections: ConnectionSet
    private let placeholder: Mutex<Placeholder>
    private let state: Mutex<State>

    private struct State {
        var listener: (any Channel)?
        var isWantedOpen = true
        var isClosed = false
        /// The last change that was asked for; each waits for the one before.
        var change: Task<Void, Never>?
    }

    /// Binds a port and listens.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Throws: ``ServerError/cannotListen(host:port:reason:)``
    init(
        host: String, port: Int, _ listener: WireListener, _ context: WireContext, _ all: ConnectionSet
    ) async throws(ServerError) {
        let own = ConnectionSet()
        var placeholder = Placeholder()
        // Where it cannot be had, nor can the listener's own, which says why.
        let held = Placeholder.standsBesideListener ? placeholder.bind(host: host, port: port) : nil
        let first = try await listener.listen(host: host, port: held ?? port, context, [all, own])
        let bound = first.localAddress?.port ?? port
        (self.host, self.port, connections) = (host, bound, own)
        self.placeholder = Mutex(placeholder)
        listen = { () async throws(ServerError) in try await listener.listen(host: host, port: bound, context, [all, own]) }
        state = Mutex(State(listener: first))
    }

    /// Lets it listen, or keeps it from listening and closes the connections that are open.
    func set(isOpen: Bool) {
        state.withLock { state in
            guard !state.isClosed, state.isWantedOpen != isOpen else { return }
            state.isWantedOpen = isOpen
            let before = state.change
            state.change = Task {
                await before?.value
                if isOpen { await self.open() } else { await self.shut() }
            }
        }
    }

    /// Returns when it is as it was last asked to be.
    func settled() async { await state.withLock { $0.change }?.value }

    /// Gives the port up.
    func close() {
        let listener = state.withLock { state in
            state.isClosed = true
            defer { state.listener = nil }
            return state.listener
        }
        listener?.close(promise: nil)
        placeholder.withLock { $0.release() }
    }

    private func shut() async {
        let listener = state.withLock { state in
            defer { state.listener = nil }
            return state.listener
        }
        try? await listener?.close()
        placeholder.withLock { $0.holds(host: host, port: port) }
        connections.closeAll()
    }

    private func open() async {
        if !Placeholder.standsBesideListener { placeholder.withLock { $0.release() } }
        let listener = try? await listen()
        let isLate = state.withLock { state in
            if !state.isClosed { state.listener = listener }
            return state.isClosed
        }
        if isLate { listener?.close(promise: nil) }
    }
}

/// A socket that is bound and does not listen.
private struct Placeholder: ~Copyable {
    /// Whether it can stay bound while a listener has the same address: Linux allows that to the one that came first, if both ask
    /// for SO_REUSEADDR (socket(7)).
    #if os(Linux)
        static let standsBesideListener = true
    #else
        static let standsBesideListener = false
    #endif

    private var socket: Int32 = -1

    /// Binds it if it is not.
    mutating func holds(host: String, port: Int) {
        if socket < 0 { _ = bind(host: host, port: port) }
    }

    /// Binds it.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Returns: the port, or nil if it cannot be had, and then nothing is held.
    mutating func bind(host: String, port: Int) -> Int? {
        release()
        guard let address = try? SocketAddress(ipAddress: host == "localhost" ? "127.0.0.1" : host, port: port) else { return nil }
        #if canImport(Glibc)
            socket = Glibc.socket(address.protocol == .inet6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket = Darwin.socket(address.protocol == .inet6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)
        #endif
        guard socket >= 0 else { return nil }
        // So that the listener can have the port beside it.
        var reuse: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        let result = address.withSockAddr { pointer, size in
            #if canImport(Glibc)
                Glibc.bind(socket, pointer, socklen_t(size))
            #else
                Darwin.bind(socket, pointer, socklen_t(size))
            #endif
        }
        guard result == 0 else {
            release()
            return nil
        }
        return port == 0 ? boundPort : port
    }

    /// The port that the kernel chose.
    private var boundPort: Int? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        guard result == 0 else { return nil }
        return withUnsafeBytes(of: storage) { bytes in
            // Both kinds of address begin with the family and then have the port, in the network's order.
            Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        }
    }

    mutating func release() {
        guard socket >= 0 else { return }
        #if canImport(Glibc)
            _ = Glibc.close(socket)
        #else
            _ = Darwin.close(socket)
        #endif
        socket = -1
    }

    deinit {
        #if canImport(Glibc)
            if socket >= 0 { _ = Glibc.close(socket) }
        #else
            if socket >= 0 { _ = Darwin.close(socket) }
        #endif
    }
}
