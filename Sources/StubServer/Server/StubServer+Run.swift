import BankEngine
import BankModel
import Logging
import NIOCore

/// What a running server tells its operator.
package enum ServerEvent: Sendable {
    /// The admin API answers; `http://host:port`.
    case adminReady(String)
    /// A bank's edited files were taken in.
    case reloaded(bank: String)
    /// A bank's edited files are faulty; the old ones stay.
    case refused(bank: String, reason: String)
}

extension StubServer {
    /// Runs what belongs to a server besides the bank's port (looking at edited files, ending unused sessions) until somebody asks
    /// it to end or the task is cancelled; then shuts down gracefully.
    ///
    /// - Parameters:
    ///   - service: runs beside it, such as the admin API. The server ends when it returns.
    ///   - told: gets what happens.
    /// - Throws: what the service throws.
    package func run(
        beside service: (@Sendable () async throws -> Void)?, told: @escaping @Sendable (ServerEvent) -> Void
    ) async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if let service { group.addTask { try await service() } }
                group.addTask { try await self.lookAfter(told: told) }
                group.addTask { await self.endRequested() }
                // The first to end ends all: a request to end, or an admin port that cannot be had.
                _ = try await group.next()
                group.cancelAll()
            }
        } catch {
            await shutdown()
            throw error
        }
        await shutdown()
    }

    private func lookAfter(told: @Sendable (ServerEvent) -> Void) async throws {
        var watches = watchedFiles.mapValues(FileWatch.init)
        while true {
            try await Task.sleep(for: .milliseconds(500))
            registry.removeUnused(for: configuration.sessionTimeToLive.nanoseconds)
            for (bank, files) in watchedFiles.sorted(by: { $0.key < $1.key }) where watches[bank]?.hasChanged(files) ?? false {
                do {
                    try reload(bank)
                    watches[bank] = watchedFiles[bank].map(FileWatch.init)
                    told(.reloaded(bank: bank))
                } catch {
                    told(.refused(bank: bank, reason: "\(error)"))
                }
            }
        }
    }
}
