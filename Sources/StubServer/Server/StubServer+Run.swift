import BankEngine
import BankModel
import Platform

/// An event that a running server reports to its operator.
package enum ServerEvent: Sendable {
    /// The admin API answers at this address, `http://host:port`.
    case adminReady(String)
    /// A bank was reloaded from its edited files.
    case reloaded(bank: String)
    /// A bank's edited files are faulty; the old bank stays.
    case rejected(bank: String, reason: String)
}

extension StubServer {
    /// Reloads edited files and removes unused sessions until ``requestEnd(within:)`` is called, the service returns or the task is
    /// cancelled; then shuts down gracefully. The service runs until exchanges under way have ended.
    ///
    /// - Parameters:
    ///   - service: runs at the same time, such as the admin API.
    ///   - onEvent: called with each event.
    /// - Throws: the service's error.
    package func run(
        beside service: (@Sendable () async throws -> Void)?, onEvent: @escaping @Sendable (ServerEvent) -> Void
    ) async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if let service { group.addTask { try await service() } }
                group.addTask { try await self.lookAfter(onEvent: onEvent) }
                group.addTask {
                    await self.endRequested()
                    await self.drain()
                }
                // The first task to end ends all: a request to end, or an admin port that cannot be bound.
                _ = try await group.next()
                group.cancelAll()
            }
        } catch {
            await shutdown()
            throw error
        }
        await shutdown()
    }

    private func lookAfter(onEvent: @Sendable (ServerEvent) -> Void) async throws {
        var watches = watchedFiles.mapValues(FileWatch.init)
        while true {
            try await Task.sleep(for: .milliseconds(500))
            registry.removeUnused(for: configuration.sessionTimeToLive.nanoseconds)
            for (bank, files) in watchedFiles.sorted(by: { $0.key < $1.key }) where watches[bank]?.hasChanged(files) ?? false {
                do {
                    try reload(bank)
                    watches[bank] = watchedFiles[bank].map(FileWatch.init)
                    onEvent(.reloaded(bank: bank))
                } catch {
                    onEvent(.rejected(bank: bank, reason: "\(error)"))
                }
            }
        }
    }
}

/// Detects changes of files by size, modification time and inode.
struct FileWatch {
    private var seen: [String: Stamp]

    private struct Stamp: Equatable {
        let size: Int64
        /// In nanoseconds since 1970.
        let modified: Int64
        let inode: UInt64
    }

    /// Watches the files from their present state on.
    init(_ files: [String]) { seen = FileWatch.stamps(files) }

    /// Whether any of the files was changed, created or deleted since the last call.
    mutating func hasChanged(_ files: [String]) -> Bool {
        let now = FileWatch.stamps(files)
        defer { seen = now }
        return now != seen
    }

    private static func stamps(_ files: [String]) -> [String: Stamp] {
        var stamps: [String: Stamp] = [:]
        for file in files {
            guard let status = FileStatus(file) else { continue }
            stamps[file] = Stamp(size: status.size, modified: status.modified, inode: status.inode)
        }
        return stamps
    }
}
