import BankEngine
import BankModel
import Dispatch
import NIOCore
package import StubServer

extension StubServer {
    /// Runs the server with an admin API until its shutdown is requested or the task is cancelled; then shuts down gracefully.
    ///
    /// - Throws: ``ServerError`` if the admin's address cannot be bound.
    package func run(
        version: String, admin configuration: AdminConfiguration, onEvent: @escaping @Sendable (ServerEvent) -> Void
    ) async throws {
        let (host, port) = (configuration.host, configuration.port)
        let api = AdminAPI(server: self, configuration: configuration, version: version, startedAt: self.configuration.clock.now())
        try await run(
            beside: {
                try await AdminServer(AdminRouter(api)).run(host: host, port: port) { onEvent(.adminReady("http://\(host.urlHost):\($0)")) }
            }, onEvent: onEvent)
    }
}

/// Runs the admin API at its own port, so that it can be reached while the bank's port refuses connections.
struct AdminServer: Sendable {
    private let router: AdminRouter

    init(_ router: AdminRouter) { self.router = router }

    /// How long answers under way may take once the server ends.
    private static let grace = TimeAmount.seconds(1)

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: receives the port once it is bound.
    /// - Throws: ``ServerError`` if the address cannot be bound.
    func run(host: String, port: Int, ready: @Sendable (Int) -> Void) async throws(ServerError) {
        let connections = ConnectionSet()
        // The answers that the connections make or send: a call that changes something goes to its end, even if its client is gone.
        let underWay = DispatchGroup()
        let (router, server) = (router, router.api.server)
        let configuration = server.configuration
        let headers = server.registry.node.map { [JournalEntry.Header(ServerNode.header, $0.name)] } ?? []
        let limit = configuration.connectionLimit(isAdmin: true)
        let listener = try await server.listener.listen(host: host, port: port, connections, limit: limit) { channel in
            let connection = AdminConnection(
                underWay, idle: .nanoseconds(configuration.idleTimeout.nanoseconds)
            ) { request in
                await router.response(to: request)
            }
            try channel.pipeline.syncOperations.addHandlers(AdminRequests.handlers(configuration, headers: headers) + [connection])
        }
        ready(listener.localAddress?.port ?? port)
        // Nothing is sent: iteration ends when the task is cancelled.
        let (nothing, source) = AsyncStream<Void>.makeStream()
        defer { source.finish() }
        for await _ in nothing {}
        try? await listener.close().get()
        await connections.drain(grace: AdminServer.grace)
        // Their connections are closed, and the event loops end next.
        await underWay.ended()
    }
}

extension DispatchGroup {
    /// Returns once nothing of it is under way.
    func ended() async {
        await withCheckedContinuation { continuation in
            notify(queue: .global()) { continuation.resume() }
        }
    }
}
