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
/// Shut, its number is bound by a socket that does not listen: the kernel refuses who comes, and nobody else gets it.
final class Gate: Sendable {
    let host: String
    let port: Int
    private let listen: @Sendable () async throws(ServerError) -> any Channel
    private let connections: ConnectionSet
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
        let first = try await listener.listen(host: host, port: port, context, [all, own])
        let bound = first.localAddress?.port ?? port
        (self.host, self.port, connections) = (host, bound, own)
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

    private let placeholder = Mutex(Placeholder())

    private func shut() async {
        let listener = state.withLock { state in
            defer { state.listener = nil }
            return state.listener
        }
        // The placeholder comes before the listener goes: between them the number would be anybody's, and with many sessions at
        // once another one's listener was given it. Two sockets on one port need the option on both, while the second is bound.
        try? await listener?.setOption(.socketOption(NIOBSDSocket.Option(rawValue: SO_REUSEPORT)), value: 1).get()
        let isHeld = placeholder.withLock { $0.bind(host: host, port: port) }
        try? await listener?.close()
        if !isHeld { placeholder.withLock { _ = $0.bind(host: host, port: port) } }
        connections.closeAll()
    }

    private func open() async {
        let listener = try? await listen()
        placeholder.withLock { $0.release() }
        let isLate = state.withLock { state in
            if !state.isClosed { state.listener = listener }
            return state.isClosed
        }
        if isLate { listener?.close(promise: nil) }
    }
}

/// A socket that is bound and does not listen.
private struct Placeholder: ~Copyable {
    private var socket: Int32 = -1

    /// Binds it; false if it cannot be had: nothing is held then.
    mutating func bind(host: String, port: Int) -> Bool {
        release()
        guard let address = try? SocketAddress(ipAddress: host == "localhost" ? "127.0.0.1" : host, port: port) else { return false }
        #if canImport(Glibc)
            socket = Glibc.socket(address.protocol == .inet6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket = Darwin.socket(address.protocol == .inet6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)
        #endif
        // So that the listener can have the port again while this is still there.
        var reuse: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &reuse, socklen_t(MemoryLayout<Int32>.size))
        let result = address.withSockAddr { pointer, size in
            #if canImport(Glibc)
                Glibc.bind(socket, pointer, socklen_t(size))
            #else
                Darwin.bind(socket, pointer, socklen_t(size))
            #endif
        }
        // From here on nobody shares it.
        reuse = 0
        setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &reuse, socklen_t(MemoryLayout<Int32>.size))
        if result != 0 { release() }
        return result == 0
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
