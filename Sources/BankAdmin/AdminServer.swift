import BankEngine
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
package import StubServer

extension StubServer {
    /// Runs the server with an admin API until its shutdown is requested or the task is cancelled; then shuts down gracefully.
    ///
    /// - Throws: ``ServerError`` if the admin's address cannot be bound.
    package func run(
        version: String, admin configuration: AdminConfiguration, told: @escaping @Sendable (ServerEvent) -> Void
    ) async throws {
        let port = configuration.port
        let host = configuration.host
        let api = AdminAPI(server: self, configuration: configuration, version: version, startedAt: self.configuration.clock.now())
        let admin = AdminServer(api: api, drain: self.configuration.drain, logger: logger)
        try await run(
            beside: {
                do {
                    try await admin.run(host: host, port: port) { told(.adminReady("http://\(host.urlHost):\($0)")) }
                } catch let error as IOError {
                    throw ServerError.cannotListen(host: host, port: port, reason: error.reasonText)
                }
                // `run` also returns when it is cancelled, which is no request for a shutdown.
                await self.endRequested()
            }, told: told)
    }
}

/// Runs the admin API at its own port, so that it can be reached while the bank's port refuses connections.
struct AdminServer: Sendable {
    let api: AdminAPI
    /// How long a refused connection is drained after its FIN.
    let drain: Duration
    let logger: Logger

    /// Serves until the task is cancelled, on the process's shared event loops: Hummingbird frees its last objects shortly after it
    /// has returned, and they call their event loop, which must not have ended with the bank's.
    ///
    /// - Parameter ready: receives the port once it is bound.
    func run(host: String, port: Int, ready: @escaping @Sendable (Int) -> Void) async throws {
        var quiet = logger
        // Its messages at shutdown ("Waiting on child channel: CancellationError") do not report an error.
        quiet.logLevel = .critical
        let application = Application(
            router: api.router,
            server: HTTPServerBuilder { [drain, node = api.server.registry.node] in
                AdminChannel(drain: drain, node: node, responder: $0)
            },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "counterfoil"),
            onServerRunning: { channel in
                try? await channel.pipeline.addHandler(AcceptPause(), position: .first).get()
                ready(channel.localAddress?.port ?? port)
            },
            eventLoopGroupProvider: .singleton, logger: quiet)
        try await application.run()
    }
}
