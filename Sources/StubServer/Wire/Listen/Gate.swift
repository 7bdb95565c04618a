import BankEngine
import BankModel
import NIOCore
import Platform
import Synchronization

/// A port that can stop listening and still reserve its number.
///
/// On Linux a second socket, which never listens, is bound to the number all the time: while the gate is shut the kernel refuses
/// connections, and the number is never free for another process. Elsewhere that socket and the listener's take turns.
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
        /// The latest change that was requested; each waits for the one before.
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
        // If this fails, so does the listener's own bind, whose error says why.
        let held = StreamSocket.isPortSharedWithListener ? placeholder.bind(host: host, port: port) : nil
        let first = try await listener.listen(host: host, port: held ?? port, context, [all, own])
        let bound = first.localAddress?.port ?? port
        self.host = host
        self.port = bound
        connections = own
        self.placeholder = Mutex(placeholder)
        listen = { () async throws(ServerError) in try await listener.listen(host: host, port: bound, context, [all, own]) }
        state = Mutex(State(listener: first))
    }

    /// Opens the port, or shuts it and closes its connections.
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

    /// Returns when the latest requested change is done.
    func settled() async { await state.withLock { $0.change }?.value }

    /// Releases the port.
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
        state.withLock { state in
            // `close()` may have run during the wait: the port is then no longer reserved.
            guard !state.isClosed else { return }
            placeholder.withLock { $0.holds(host: host, port: port) }
        }
        connections.closeAll()
    }

    /// Listens again; retries for as long as the system refuses, such as while no file can be opened.
    private func open() async {
        while state.withLock({ $0.isWantedOpen && !$0.isClosed }) {
            if !StreamSocket.isPortSharedWithListener { placeholder.withLock { $0.release() } }
            guard let listener = try? await listen() else {
                try? await Task.sleep(for: Gate.retryTime)
                continue
            }
            let isLate = state.withLock { state in
                if !state.isClosed { state.listener = listener }
                return state.isClosed
            }
            if isLate { listener.close(promise: nil) }
            return
        }
    }

    /// The time between two attempts to listen.
    private static let retryTime = Duration.milliseconds(50)
}

/// A socket that is bound and does not listen.
private struct Placeholder: ~Copyable {
    private var socket: StreamSocket?

    /// Binds the socket unless it is bound.
    mutating func holds(host: String, port: Int) {
        if socket == nil { _ = bind(host: host, port: port) }
    }

    /// Binds the socket anew.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Returns: the port; nil if it cannot be bound.
    mutating func bind(host: String, port: Int) -> Int? {
        release()
        guard let address = try? SocketAddress(ipAddress: host == "localhost" ? "127.0.0.1" : host, port: port) else { return nil }
        guard let socket = StreamSocket.open(address.protocol == .inet6 ? AF_INET6 : AF_INET) else { return nil }
        // The listener can then bind the same port.
        socket.reuseAddress()
        guard address.withSockAddr({ pointer, size in socket.bind(to: pointer, socklen_t(size)) }) else {
            socket.close()
            return nil
        }
        self.socket = socket
        return port == 0 ? socket.port : port
    }

    mutating func release() {
        socket?.close()
        socket = nil
    }

    deinit { socket?.close() }
}
