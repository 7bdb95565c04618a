import BankEngine
import Foundation
import GRDB

/// A state file that is open: its rows (see ``StateForm``), the lock on it, and the mark beside it.
///
/// The write-ahead log with `synchronous = FULL`: a commit is on the disk when it returns, and costs one fsync.
struct StateFile {
    /// The file's own name: what links led to.
    let path: String
    let database: DatabaseQueue
    /// Tells how far each session is acknowledged; nil where the file is only looked into.
    let mark: StateMark?
    /// The damage found, a sentence each; none in a file that is written to.
    let damage: [String]
    /// Notes for its owner, a sentence each.
    let notes: [String]
    /// The form that its rows have.
    let form: Int
    private let lock: StateLock
    private let look: StateLook?

    /// Opens the file, or makes it for its owner only; brings an older form up to this one, unless it is only looked into.
    ///
    /// - Throws: ``StoreError``; nothing is changed then, so that what is missing can be put back.
    init(path given: String, _ options: EventStore.Options) throws(StoreError) {
        lock = try StateLock(given, onlyLooks: options.onlyLooks)
        path = lock.path
        do {
            // SQLite takes a file of one byte for an empty one.
            guard lock.size == 0 || lock.size >= 512 else { throw StoreError.notOurs(path: path) }
            var notes: [String] = []
            if lock.size > 0 {
                let look = try StateLook(path)
                let isOlder = try look.form < StateForm.firstWithSums && !look.database.read { try StateFile.isEmpty($0, look.form) }
                if isOlder {
                    notes.append(
                        "the state file \(path) is of an older version, whose records bear no checksums: they are taken as they are, and can be checked from now on"
                    )
                }
                if options.onlyLooks {
                    (database, damage, form) = (look.database, look.damage, look.form)
                    (self.look, self.notes, mark) = (look, notes, nil)
                    return
                }
                look.close()
                guard look.damage.isEmpty else { throw StoreError.damaged(path: path, faults: look.damage) }
            } else if lock.wasThere {
                if try StateMark.slots(beside: path) != nil {
                    throw StoreError.damaged(path: path, faults: ["found an empty file, expected one of which \(path).mark tells"])
                }
                notes.append("the state file \(path) was there and is empty: a new state begins")
            }
            (database, mark) = try StateFile.open(path, options)
            (look, damage, form, self.notes) = (nil, [], StateForm.firstWithSums, notes)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func isEmpty(_ database: Database, _ form: Int) throws -> Bool {
        try form == 0 || Int.fetchOne(database, sql: "SELECT count(*) FROM session") == 0
    }

    private static func open(_ path: String, _ options: EventStore.Options) throws -> (DatabaseQueue, StateMark) {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // A command takes some 2 KiB: pages that hold several; counts only for a file that is made.
            try database.execute(sql: "PRAGMA page_size = \(options.pageBytes)")
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // Apple's fsync leaves the bytes in the drive's cache; elsewhere these two change nothing (sqlite.org/pragma.html#pragma_fullfsync).
            try database.execute(sql: "PRAGMA fullfsync = ON")
            try database.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
            if let pageLimit = options.pageLimit { try database.execute(sql: "PRAGMA max_page_count = \(pageLimit)") }
        }
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { try $0.execute(sql: "PRAGMA application_id = \(StateForm.applicationID)") }
        try StateForm.migrator.migrate(database)
        // First the mark, then the file says that one is to be expected: in the file itself, not in its log, which may get lost.
        let mark = try StateMark(beside: path, try database.read { try StateLook.slots($0) })
        try database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA user_version = \(StateForm.open)")
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        return (database, mark)
    }

    /// Lets others have the file. What was written down of its end is in the file itself then, and nothing is left beside it.
    func close() {
        defer { lock.release() }
        if let look { return look.close() }
        // Without room for it the mark stays, and tells as much.
        let isClosed = (try? database.write(StateForm.close)) != nil
        try? database.close()
        if isClosed { mark?.remove() }
    }
}
