import Hummingbird
import HummingbirdCore
import Logging
import Synchronization

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
