import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
package import StubServer

extension StubServer {
    /// Runs the server with its admin API, if its configuration has a port for that, until somebody asks it to end or the task is
    /// cancelled; then shuts down gracefully.
    ///
    /// - Throws: ``ServerError`` if the admin's address cannot be had.
    package func run(version: String, told: @escaping @Sendable (ServerEvent) -> Void) async throws {
        guard let port = configuration.adminPort else { return try await run(beside: nil, told: told) }
        let host = configuration.adminHost
        let admin = AdminServer(api: AdminAPI(server: self, version: version, shutdown: { self.requestEnd() }), logger: logger)
        try await run(
            beside: {
                do {
                    try await admin.run(host: host, port: port) { told(.adminReady("http://\(host.urlHost):\($0)")) }
                } catch let error as IOError {
                    throw ServerError.cannotListen(host: host, port: port, reason: error.reasonText)
                }
                // Its own handling of cancellation returns here: that is no request to end.
                await self.endRequested()
            }, told: told)
    }
}

/// Runs the admin API at a port of its own, so that it can be reached while the bank's port refuses connections.
struct AdminServer: Sendable {
    let api: AdminAPI
    let logger: Logger

    /// Serves until the task is cancelled, on the process's own event loops: what Hummingbird leaves behind is freed a moment after
    /// it has returned, and then tells its loop, which must not have ended with the bank's.
    ///
    /// - Parameter ready: told the port once it is bound.
    func run(host: String, port: Int, ready: @escaping @Sendable (Int) -> Void) async throws {
        var quiet = logger
        // Its words on shutting down ("Waiting on child channel: CancellationError") are no error of anybody's.
        quiet.logLevel = .critical
        let application = Application(
            router: api.router, server: HTTPServerBuilder { AdminChannel(responder: $0) },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "counterfoil"),
            onServerRunning: { channel in
                try? await channel.pipeline.addHandler(AcceptPause(), position: .first).get()
                ready(channel.localAddress?.port ?? port)
            },
            eventLoopGroupProvider: .singleton, logger: quiet)
        try await application.run()
    }
}
