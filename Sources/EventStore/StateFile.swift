import BankEngine
import Foundation
import Platform
import SQLiteFile

/// An open state file: its rows (see ``StateSchema``) and its lock.
///
/// It has a rollback journal (`FILE-journal`) and `synchronous = FULL`: what a commit has written is in the file itself when it returns. A
/// journal that is lost or damaged concerns only the batch that was not acknowledged yet. (A write-ahead log would hold what is
/// acknowledged, and SQLite silently drops its end from the first damaged frame on.)
final class StateFile: Sendable {
    /// The file's canonical path, without links.
    let path: String
    let database: Locked<SQLiteDatabase>
    /// The damage found, a sentence each; none in a file opened for writing.
    let damage: [String]
    /// Messages for its owner, a sentence each.
    let notes: [String]
    private let lock: StateLock
    private let onlyLooks: Bool
    /// Whether the file was found moved or replaced. It stays so: another server may have used the path meanwhile.
    private let isMoved = Locked(false)
    /// The folder of the copy that is read in place of the file, if it is only examined.
    private let copy: String?

    /// Opens the file, or creates it for its owner only.
    ///
    /// - Throws: ``StoreError``; nothing is changed then.
    init(path given: String, _ options: EventStore.Options) throws(StoreError) {
        lock = try StateLock(given, onlyLooks: options.onlyLooks)
        path = lock.path
        onlyLooks = options.onlyLooks
        do {
            let found = lock.size == 0 ? nil : try ExaminedState(path)
            if options.onlyLooks {
                guard let found, let database = found.database else { throw StoreError.missing(path: path) }
                damage = found.damage
                notes = []
                copy = found.folder
                self.database = Locked(database)
                return
            }
            found?.close()
            if let damage = found?.damage, !damage.isEmpty { throw StoreError.damaged(path: path, faults: damage) }
            let isEmpty = found?.database == nil
            let database = try StateFile.open(path, options, isEmpty: isEmpty)
            // In a new file the limit holds only from within the transaction that writes it first.
            let limit = options.pageLimit.map { "PRAGMA max_page_count = \($0)" } ?? ""
            if isEmpty { try StateSchema.create(database, limit: limit) } else { try database.script(limit) }
            self.database = Locked(database)
            copy = nil
            damage = []
            notes = isEmpty && lock.wasThere ? ["the state file \(path) exists and is empty: starting a new state"] : []
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Opens the file for this process alone: SQLite locks it until it is closed, and then empties the journal in place of removing it.
    ///
    /// - Parameter isEmpty: the first transaction locks an empty file. One before it would write a header alone, and a server that is killed
    ///   then would leave a file that no server accepts.
    private static func open(_ path: String, _ options: EventStore.Options, isEmpty: Bool) throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path, vfs: options.vfs)
        // The size of a page applies only to a new file. Apple's fsync leaves the bytes in the drive's cache; elsewhere `fullfsync` changes
        // nothing (sqlite.org/pragma.html#pragma_fullfsync).
        try database.script(
            """
            PRAGMA page_size = \(options.pageBytes); PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;
            PRAGMA synchronous = FULL; PRAGMA fullfsync = ON
            """)
        if !isEmpty { try database.script("BEGIN EXCLUSIVE; COMMIT") }
        return database
    }

    /// Whether the path still has this file, now and whenever it was asked before.
    var isAtPath: Bool {
        if !lock.isAtPath { isMoved.withLock { $0 = true } }
        return !isMoved.withLock { $0 }
    }

    /// - Throws: ``StoreError/moved(path:)`` unless the path still has this file.
    func requirePath() throws(StoreError) { if !isAtPath { throw .moved(path: path) } }

    /// Releases the file; nothing remains beside it.
    func close() {
        defer { lock.release() }
        defer { ExaminedState.remove(copy) }
        // SQLite removes the journal by its name: it may belong to another server by now.
        guard isAtPath else { return database.withLock { $0.abandon() } }
        database.withLock { $0.close() }
        if !onlyLooks { removeEmptyJournal() }
    }

    /// Removes the journal of a server that was killed between two commits: SQLite removes only one that it has written to.
    private func removeEmptyJournal() {
        if !ExaminedState.isHot(journalOf: path) { _ = unlink("\(path)-journal") }
    }
}

/// A state file that is examined before anything in it is changed. If a transaction was in progress when its server ended, this is a copy
/// of the file, in which SQLite rolls that transaction back.
struct ExaminedState {
    /// Its tables; nil if it is empty.
    let database: SQLiteDatabase?
    /// The damage, a sentence each with its location.
    let damage: [String]
    /// The folder of the copy; nil without one.
    let folder: String?

    /// - Throws: ``StoreError`` if it is not a state file, or one of another version.
    init(_ path: String) throws {
        let copy = ExaminedState.isHot(journalOf: path) ? try ExaminedState.copied(path) : nil
        do {
            let own = copy.map { "\($0)/state" } ?? path
            // Reading it rolls back what was not committed.
            if copy != nil { try SQLiteDatabase(own).run("SELECT count(*) FROM sqlite_master") }
            if try ExaminedState.hasTables(own, named: path) {
                let database = try SQLiteDatabase(own, isImmutable: true)
                let reader = StateReader(path: path)
                try reader.requireTablesAlone(database)
                damage = try reader.damage(database)
                self.database = database
                folder = copy
                return
            }
        } catch {
            ExaminedState.remove(copy)
            throw error
        }
        ExaminedState.remove(copy)
        database = nil
        damage = []
        folder = nil
    }

    /// Whether the journal beside a file belongs to a transaction that was in progress: a commit empties its head
    /// (sqlite.org/fileformat.html §3). A journal that cannot be read counts as one.
    static func isHot(journalOf path: String) -> Bool {
        guard FileStatus("\(path)-journal", followsLinks: false) != nil else { return false }
        guard let head = try? first(8, of: "\(path)-journal") else { return true }
        return head.contains { $0 != 0 }
    }

    /// The first bytes of a regular file.
    private static func first(_ count: Int, of path: String) throws(StoreError) -> [UInt8] {
        do throws(UnreadFile) {
            return try Disk.withRegularFile(path, followsLinks: false) { file, _ throws(UnreadFile) in try Disk.first(count, of: file) }
        } catch {
            throw .cannotOpen(path: path, reason: "found \(error.found)")
        }
    }

    /// Whether a file has the tables of this version; false if it is empty.
    private static func hasTables(_ file: String, named path: String) throws(StoreError) -> Bool {
        guard let status = FileStatus(file) else { throw .system(path, errno) }
        if status.size == 0 { return false }
        // The header (sqlite.org/fileformat.html §1.3).
        let header = try first(100, of: file)
        func number(at index: Int) -> Int64 { header[index..<index + 4].reduce(0) { $0 << 8 | Int64($1) } }
        guard header.count == 100, status.size >= 512, header.starts(with: Array("SQLite format 3\0".utf8)),
            number(at: 68) == StateSchema.applicationID
        else { throw .notOurs(path: path) }
        let version = number(at: 60)
        if version < StateSchema.version { throw .older(path: path) }
        if version > StateSchema.version { throw .newer(path: path) }
        return true
    }

    /// Copies the file and its journal into a folder that only this user can read.
    private static func copied(_ path: String) throws(StoreError) -> String {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/counterfoil-state-XXXXXX".utf8CString)
        func failed(_ reason: String) -> StoreError { .cannotExamine(path: path, folder: parent, reason: reason) }
        guard mkdtemp(&template) != nil else { throw failed(String(cString: strerror(errno))) }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        do {
            for suffix in ["", "-journal"] {
                // Not a link or a pipe in its place.
                _ = try first(1, of: "\(path)\(suffix)")
                try FileManager.default.copyItem(atPath: "\(path)\(suffix)", toPath: "\(folder)/state\(suffix)")
            }
        } catch {
            remove(folder)
            throw failed((error as? StoreError)?.reason ?? error.localizedDescription)
        }
        return folder
    }

    /// Removes the folder of a copy, if there is one.
    static func remove(_ folder: String?) {
        if let folder { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Closes the file, and removes the copy.
    func close() {
        database?.close()
        ExaminedState.remove(folder)
    }
}
