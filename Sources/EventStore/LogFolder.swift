import Dispatch
import SQLiteFile
import Synchronization

/// Folds the write-ahead log into the file while commands are being stored: through a connection and on a thread of its own, as SQLite lets
/// one connection copy pages from the log while another appends to it (sqlite.org/wal.html §2.2, "Concurrency").
///
/// The log begins anew only once all of it is folded, and under load something always comes meanwhile: the writer then folds that by
/// itself, between two batches, which is short.
final class LogFolder: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "state-file-log")
    private let stage = Mutex(Stage.idle)
    /// Opened for the first fold: most files never need one. Held while it folds.
    private let database = Mutex<SQLiteDatabase?>(nil)

    private enum Stage {
        case idle
        case folding
        /// The writer's part is missing.
        case folded
    }

    init(_ path: String) { self.path = path }

    /// Begins to fold, unless that is under way.
    func begin() {
        let begins = stage.withLock { stage in
            guard stage == .idle else { return false }
            stage = .folding
            return true
        }
        if begins { queue.async { self.fold() } }
    }

    /// Whether a fold has ended since the last call.
    func takeEnd() -> Bool {
        stage.withLock { stage in
            guard stage == .folded else { return false }
            stage = .idle
            return true
        }
    }

    /// A failure changes nothing: the log has everything, and is folded later.
    private func fold() {
        database.withLock { database in
            if database == nil { database = try? opened() }
            _ = try? database?.run(LogFolder.statement)
        }
        stage.withLock { $0 = .folded }
    }

    private func opened() throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path)
        try database.script(StateFile.durability)
        return database
    }

    /// Folds what can be folded without waiting for anyone.
    static let statement = "PRAGMA wal_checkpoint(PASSIVE)"

    /// Waits for a fold that is under way, and closes the connection; the writer has ended.
    func close() {
        queue.sync {
            database.withLock { database in
                database?.close()
                database = nil
            }
        }
    }
}
