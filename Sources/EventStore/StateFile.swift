import BankEngine
import Foundation
import GRDB

/// An open state file: its rows (see ``StateForm``), its lock, and the mark beside it.
///
/// Uses the write-ahead log with `synchronous = FULL`: a commit is durable when it returns, and costs one fsync.
struct StateFile {
    /// The file's canonical path, without links.
    let path: String
    let database: DatabaseQueue
    /// Records the last acknowledged command of each session; nil if the file is only examined.
    let mark: StateMark?
    /// The damage found, a sentence each; none in a file opened for writing.
    let damage: [String]
    /// Messages for its owner, a sentence each.
    let notes: [String]
    /// The version of its schema.
    let form: Int
    private let lock: StateLock
    private let look: StateLook?

    /// Opens the file, or creates it for its owner only; migrates an older version, unless it is only examined.
    ///
    /// - Throws: ``StoreError``; nothing is changed then, so that missing files can be put back.
    init(path given: String, _ options: EventStore.Options) throws(StoreError) {
        lock = try StateLock(given, onlyLooks: options.onlyLooks)
        path = lock.path
        do {
            // SQLite treats a file of one byte as an empty one.
            guard lock.size == 0 || lock.size >= 512 else { throw StoreError.notOurs(path: path) }
            var notes: [String] = []
            if lock.size > 0 {
                let look = try StateLook(path)
                let isOlder = try look.form < StateForm.firstWithSums && !look.database.read { try StateFile.isEmpty($0, look.form) }
                if isOlder {
                    notes.append(
                        "the state file \(path) is of an older version without checksums: its records are accepted unchecked, and checksums are added now"
                    )
                }
                if options.onlyLooks {
                    database = look.database
                    damage = look.damage
                    form = look.form
                    self.look = look
                    self.notes = notes
                    mark = nil
                    return
                }
                look.close()
                guard look.damage.isEmpty else { throw StoreError.damaged(path: path, faults: look.damage) }
            } else if lock.wasThere {
                if try StateMark.slots(beside: path) != nil {
                    throw StoreError.damaged(path: path, faults: ["found an empty file, expected the records that \(path).mark names"])
                }
                notes.append("the state file \(path) exists and is empty: starting a new state")
            }
            (database, mark) = try StateFile.open(path, options)
            look = nil
            damage = []
            form = StateForm.firstWithSums
            self.notes = notes
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
            // A command needs some 2 KiB: a page holds several; applies only to a new file.
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
        // First the mark, then the flag that one is expected: in the file itself, not in its log, which may get lost.
        let mark = try StateMark(beside: path, try database.read { try StateLook.slots($0) })
        try database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA user_version = \(StateForm.open)")
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        return (database, mark)
    }

    /// Releases the file. The end of each session is then stored in the file itself, and nothing remains beside it.
    func close() {
        defer { lock.release() }
        if let look { return look.close() }
        // If there is no space for it the mark remains, and contains the same.
        let isClosed = (try? database.write(StateForm.close)) != nil
        try? database.close()
        if isClosed { mark?.remove() }
    }
}
