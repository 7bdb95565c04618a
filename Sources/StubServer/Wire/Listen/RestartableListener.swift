import BankEngine
import BankModel
import NIOCore
import Platform

/// A port that can stop listening and still reserve its number.
///
/// On Linux a second socket, which never listens, is bound to the number all the time: while the listener is shut the kernel rejects
/// connections, and the number is never free for another process. Elsewhere that socket and the listener's take turns.
final class RestartableListener: SessionPort {
    let host: String
    let port: Int
    private let listen: @Sendable () async throws(ServerError) -> any Channel
    private let connections: ConnectionSet
    private let patience: Int
    private let warn: @Sendable (String) -> Void
    private let placeholder: Locked<Placeholder>
    private let state: Locked<State>

    private struct State {
        var listener: (any Channel)?
        var isWantedOpen = true
        var isClosed = false
        /// The number of changes that were requested.
        var changes = 0
        /// The latest change that was requested; each waits for the one before.
        var change: Task<Void, Never>?
        /// Attempts to listen that go on after their change was given up waiting for; nil if there are none.
        var lateOpening: Task<Void, Never>?
    }

    /// Binds a port and listens.
    ///
    /// - Parameters:
    ///   - port: 0 for any free one.
    ///   - patience: how many attempts to open the port again ``settled()`` waits for; each takes 50 ms.
    ///   - warn: receives a sentence when they have failed.
    /// - Throws: ``ServerError/cannotListen(host:port:reason:)``
    init(
        host: String, port: Int, _ listener: WireListener, _ context: WireContext, _ all: ConnectionSet,
        patience: Int = 40, warn: @escaping @Sendable (String) -> Void
    ) async throws(ServerError) {
        let own = ConnectionSet()
        let placeholder = Placeholder()
        // If this fails, so does the listener's own bind, whose error has the reason.
        let held = StreamSocket.isPortSharedWithListener ? placeholder.bind(host: host, port: port) : nil
        let first = try await listener.listen(host: host, port: held ?? port, context, own, all: all)
        let bound = first.localAddress?.port ?? port
        self.host = host
        self.port = bound
        connections = own
        self.patience = patience
        self.warn = warn
        self.placeholder = Locked(placeholder)
        listen = { () async throws(ServerError) in try await listener.listen(host: host, port: bound, context, own, all: all) }
        state = Locked(State(listener: first))
    }

    var openConnections: [any SessionConnection] { connections.all.map { ChannelConnection($0) } }

    /// Opens the port, or shuts it and closes its connections.
    func set(isOpen: Bool) {
        state.withLock { state in
            guard !state.isClosed, state.isWantedOpen != isOpen else { return }
            state.isWantedOpen = isOpen
            state.changes += 1
            let (number, before) = (state.changes, state.change)
            state.change = Task {
                await before?.value
                if isOpen { await self.open(change: number) } else { await self.shut() }
            }
        }
    }

    /// Returns when the latest requested change is done. If the port cannot be opened, such as while another process listens
    /// there, it returns after its patience, two seconds: a warning then reports it, and the attempts go on.
    func waitForChange() async { await state.withLock { $0.change }?.value }

    /// Releases the port.
    func close() {
        let listener = state.withLock { state in
            state.isClosed = true
            defer { state.listener = nil }
            return state.listener
        }
        if let listener { _ = RestartableListener.end(listener) }
        placeholder.withLock { $0.release() }
    }

    /// Stops listening at once, and closes the channel.
    private static func end(_ listener: any Channel) -> EventLoopFuture<Void> {
        // Loops that have ended have closed their channels, and take no work.
        guard listener.isActive else { return listener.closeFuture }
        return listener.eventLoop.flatSubmit {
            try? listener.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                StreamSocket(descriptor: $0).stopListening()
            }
            return listener.close()
        }
    }

    private func shut() async {
        // They end with the change that began them.
        await state.withLock { $0.lateOpening }?.value
        let listener = state.withLock { state in
            defer { state.listener = nil }
            return state.listener
        }
        if let listener { try? await RestartableListener.end(listener).get() }
        state.withLock { state in
            // `close()` may have run during the wait: the port is then no longer reserved.
            guard !state.isClosed else { return }
            placeholder.withLock { $0.holds(host: host, port: port) }
        }
        connections.closeAll()
    }

    /// Listens again. If that fails, such as while no file can be opened, it tries again: first while ``settled()`` waits,
    /// then in the background for as long as this is the latest change.
    private func open(change: Int) async {
        var reason = ""
        for _ in 0..<patience {
            switch await attempt(change) {
            case .over: return
            case .failed(let failure): reason = failure
            }
            try? await Task.sleep(for: RestartableListener.retryTime)
        }
        warn("port \(port) cannot be opened again: \(reason); free it, the server retries every 50 ms")
        state.withLock { state in
            state.lateOpening = Task {
                while case .failed = await self.attempt(change) { try? await Task.sleep(for: RestartableListener.retryTime) }
            }
        }
    }

    private enum Attempt {
        /// The port is open, or need not be any more.
        case over
        case failed(String)
    }

    /// Listens, unless a later change was requested.
    private func attempt(_ change: Int) async -> Attempt {
        guard state.withLock({ $0.changes == change && !$0.isClosed }) else { return .over }
        if !StreamSocket.isPortSharedWithListener { placeholder.withLock { $0.release() } }
        let listener: any Channel
        do throws(ServerError) {
            listener = try await listen()
        } catch {
            return if case .cannotListen(_, _, let reason) = error { .failed(reason) } else { .failed(error.description) }
        }
        let isLate = state.withLock { state in
            if !state.isClosed { state.listener = listener }
            return state.isClosed
        }
        if isLate { _ = RestartableListener.end(listener) }
        return .over
    }

    /// The time between two attempts to listen.
    private static let retryTime = Duration.milliseconds(50)
}

/// A socket that is bound and does not listen.
private final class Placeholder {
    private var socket: StreamSocket?

    /// Binds the socket unless it is bound.
    func holds(host: String, port: Int) {
        if socket == nil { _ = bind(host: host, port: port) }
    }

    /// Binds the socket again.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Returns: the port; nil if it cannot be bound.
    func bind(host: String, port: Int) -> Int? {
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

    func release() {
        socket?.close()
        socket = nil
    }

    deinit { socket?.close() }
}
