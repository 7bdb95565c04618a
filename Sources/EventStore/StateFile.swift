import Foundation
import GRDB

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
#if canImport(CoreFoundation)
    import CoreFoundation
#endif

/// The SQLite file of a store: its form, and who may have it.
///
/// - `session(number, id, bank, opening, checkpoint_seq, checkpoint)`: one row a session.
/// - `command(session, seq, at, command, changes, reply)`: one row a command, clustered in its session by number, so that
///   keeping one appends to the end of a page.
///
/// The write-ahead log with `synchronous = FULL`: a commit is on the disk when it returns, and costs one fsync.
struct StateFile {
    let path: String
    let database: DatabaseQueue
    private let lock: FileLock

    /// Opens the file, or makes it for its owner only; brings an older form up to this one.
    ///
    init(path: String, _ options: EventStore.Options) throws(StoreError) {
        self.path = path
        if !options.makesFile, !StateFile.isThere(path) { throw .missing(path: path) }
        lock = try FileLock(of: path)
        do {
            try StateFile.make(path)
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                // A command takes some 2 KiB: pages that hold several; counts only for a file that is made.
                try database.execute(sql: "PRAGMA page_size = 16384")
                try database.execute(sql: "PRAGMA journal_mode = WAL")
                try database.execute(sql: "PRAGMA synchronous = FULL")
                if let pageLimit = options.pageLimit { try database.execute(sql: "PRAGMA max_page_count = \(pageLimit)") }
            }
            database = try DatabaseQueue(path: path, configuration: configuration)
            try StateFile.check(database, path)
            try StateFile.migrator.migrate(database)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Lets others have the file.
    func close() {
        try? database.close()
        lock.release()
    }

    /// Marks a file as ours (`PRAGMA application_id`): "cfst".
    private static let applicationID = 0x6366_7374

    /// Whether there is a file with something in it.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }

    private static func make(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError.cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        let isOurs = fchmod(descriptor, 0o600) == 0
        _ = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard isOurs else { throw StoreError.cannotOpen(path: path, reason: String(cString: strerror(errno))) }
    }

    private static func check(_ database: DatabaseQueue, _ path: String) throws {
        let isNewer = try database.write { database in
            let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            if id == 0, try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0 {
                try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            } else if id != applicationID {
                throw StoreError.notOurs(path: path)
            }
            return try migrator.hasBeenSuperseded(database)
        }
        if isNewer { throw StoreError.newer(path: path) }
    }

    /// How the form came to be; a step once published is never changed.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE session (
                        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bank TEXT NOT NULL, opening BLOB NOT NULL,
                        checkpoint_seq INTEGER, checkpoint BLOB
                    ) STRICT;
                    CREATE TABLE command (
                        session INTEGER NOT NULL REFERENCES session(number) ON DELETE CASCADE, seq INTEGER NOT NULL,
                        at INTEGER NOT NULL, command TEXT NOT NULL, changes BLOB NOT NULL, PRIMARY KEY (session, seq)
                    ) STRICT, WITHOUT ROWID
                    """)
        }
        // Replies stand for themselves, no longer among the changes.
        migrator.registerMigration("2") { database in try database.execute(sql: "ALTER TABLE command ADD COLUMN reply BLOB") }
        return migrator
    }
}

/// Keeps a second server from a state file, as long as the first lives: `FILE.lock`, which the kernel lets go with the process.
private final class FileLock: Sendable {
    private let file: Int32

    init(of path: String) throws(StoreError) {
        file = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            var text = [UInt8](repeating: 0, count: 20)
            let count = read(file, &text, text.count)
            throw .inUse(path: path, by: count > 0 ? String(decoding: text.prefix(count), as: UTF8.self) : nil)
        }
        ftruncate(file, 0)
        let pid = Array("\(getpid())".utf8)
        _ = write(file, pid, pid.count)
    }

    func release() { _ = flock(file, LOCK_UN) }

    // Called too when `init` throws.
    deinit { if file >= 0 { close(file) } }
}
