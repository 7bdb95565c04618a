import BankEngine
import Platform
import SQLiteFile
import Synchronization

/// An open state file: its rows (see ``StateForm``), its lock, and the mark beside it.
///
/// Uses the write-ahead log with `synchronous = FULL`: a commit is durable when it returns, and costs one fsync.
final class StateFile: Sendable {
    /// The file's canonical path, without links.
    let path: String
    let database: Mutex<SQLiteDatabase>
    /// Folds its write-ahead log.
    let folder: LogFolder
    /// The bytes of a page in a new file.
    let pageBytes: Int
    /// Records the last acknowledged command of each session; nil if the file is only examined.
    let mark: StateMark?
    /// The damage found, a sentence each; none in a file opened for writing.
    let damage: [String]
    /// Messages for its owner, a sentence each.
    let notes: [String]
    /// The version of its schema.
    let form: Int
    private let lock: StateLock
    /// Whether the file was found moved or replaced. It stays so: another server may have used the path meanwhile.
    private let isMoved = Atomic(false)
    /// Files to be removed when it is closed.
    private let strays: [String]

    /// Opens the file, or creates it for its owner only; migrates an older version, unless it is only examined.
    ///
    /// - Throws: ``StoreError``; nothing is changed then, so that missing files can be put back.
    init(path given: String, _ options: EventStore.Options) throws(StoreError) {
        pageBytes = options.pageBytes
        lock = try StateLock(given, onlyLooks: options.onlyLooks)
        path = lock.path
        folder = LogFolder(path)
        do {
            // SQLite treats a file of one byte as an empty one.
            guard lock.size == 0 || lock.size >= 512 else { throw StoreError.notOurs(path: path) }
            var notes: [String] = []
            if lock.size > 0 {
                let look = try StateLook(path)
                if look.form < StateForm.firstWithSums, look.hasSessions {
                    notes.append(
                        "the state file \(path) is of an older version without checksums: its records are accepted unchecked, and checksums are added now"
                    )
                }
                if options.onlyLooks {
                    damage = look.damage
                    form = look.form
                    strays = look.strays
                    self.notes = notes
                    mark = nil
                    database = Mutex(look.database)
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
            let database = try StateFile.open(path, options)
            mark = try StateFile.marked(database, path)
            self.database = Mutex(database)
            strays = []
            damage = []
            form = StateForm.schema.newest
            self.notes = notes
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// The settings with which every connection that writes begins. Apple's fsync leaves the bytes in the drive's cache; elsewhere its two
    /// settings change nothing (sqlite.org/pragma.html#pragma_fullfsync). The log is folded by ``LogFolder``, not by a commit for which a
    /// client waits.
    static let durability =
        "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; PRAGMA wal_autocheckpoint = 0"

    private static func open(_ path: String, _ options: EventStore.Options) throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path)
        // Applies only to a new file.
        try database.script("PRAGMA page_size = \(options.pageBytes)")
        try database.script("PRAGMA journal_mode = WAL")
        try database.script(durability)
        if let pageLimit = options.pageLimit { try database.script("PRAGMA max_page_count = \(pageLimit)") }
        try database.script("PRAGMA application_id = \(StateForm.applicationID)")
        try StateForm.schema.migrate(database)
        // They do no harm: a full disk may keep them.
        _ = try? database.transaction { try StateForm.removeLeftovers(database) }
        return database
    }

    /// Marks the file as open: first beside it, then by the flag that a mark is expected, in the file itself and not in its log, which
    /// may get lost.
    private static func marked(_ database: SQLiteDatabase, _ path: String) throws -> StateMark {
        let mark = try StateMark(beside: path, try StateLook.slots(database))
        try database.script("PRAGMA user_version = \(StateForm.open); PRAGMA wal_checkpoint(TRUNCATE)")
        return mark
    }

    /// Whether the path still has this file, now and whenever it was asked before.
    var isAtPath: Bool {
        if !lock.isAtPath { isMoved.store(true, ordering: .relaxed) }
        return !isMoved.load(ordering: .relaxed)
    }

    /// - Throws: ``StoreError/moved(path:)`` unless the path still has this file.
    func requirePath() throws(StoreError) { if !isAtPath { throw .moved(path: path) } }

    /// Releases the file. The end of each session is then stored in the file itself, and nothing remains beside it.
    func close() {
        defer { lock.release() }
        folder.close()
        guard mark == nil || isAtPath else {
            // The files beside the path may belong to another server.
            return database.withLock { database in
                database.keepsLog()
                database.close()
            }
        }
        // If there is no space for it the mark remains, and contains the same.
        let isClosed = database.withLock { database in
            defer { database.close() }
            return mark != nil && (try? database.transaction { try StateForm.close(database) }) != nil
        }
        for stray in strays { _ = unlink(stray) }
        if isClosed { mark?.remove() }
    }
}
