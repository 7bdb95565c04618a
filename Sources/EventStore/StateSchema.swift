import BankEngine
import BankModel
import SQLiteFile

/// The tables of a state file.
///
/// - `session`: one row per session. `upto` and `parts` define which checkpoint counts: the number of the last command in it, and the number of
///   its parts; 0 parts if none counts. `last` and `last_sum` are the number and the checksum of its last command. A row is `removed` until
///   its commands are deleted.
/// - `command`: one row per command, in the order in which they were stored, whatever their session. Those up to `upto` no longer count.
/// - `checkpoint`: the state of a session after the command `upto`, in parts. Those of another `upto` than the session's do not count.
///
/// Every row has a checksum of its columns (``RowSum``).
enum StateSchema {
    /// Identifies a state file (`PRAGMA application_id`): "cfst".
    static let applicationID: Int64 = 0x6366_7374
    /// The version of the tables (`PRAGMA user_version`). Versions 0 to 4 are of development builds of November 2026 and before.
    static let version: Int64 = 5
    /// The largest number of a session or a command. A server counts from 1 and never gets there; a larger one could not be counted on.
    static let largestNumber = Int64.max / 2

    /// Creates the tables, all of them or none.
    ///
    /// - Parameter limit: the statement that limits the file's pages; empty without a limit.
    static func create(_ database: SQLiteDatabase, limit: String) throws {
        try database.transaction {
            try database.script(limit)
            try database.script(
                """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                CREATE TABLE session (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, bank TEXT NOT NULL, opening BLOB NOT NULL,
                    upto INTEGER NOT NULL, parts INTEGER NOT NULL, last INTEGER NOT NULL, last_sum INTEGER NOT NULL,
                    removed INTEGER NOT NULL, sum INTEGER NOT NULL
                ) STRICT;
                CREATE UNIQUE INDEX session_of_id ON session (id) WHERE removed = 0;
                CREATE TABLE command (
                    place INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL,
                    changes BLOB NOT NULL, reply BLOB, sum INTEGER NOT NULL
                ) STRICT;
                CREATE UNIQUE INDEX command_of_session ON command (session, seq);
                CREATE TABLE checkpoint (
                    session INTEGER NOT NULL, upto INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, sum INTEGER NOT NULL,
                    PRIMARY KEY (session, upto, part)
                ) STRICT
                """)
        }
    }
}

/// A row of the table `session`.
struct SessionRow: Sendable, Hashable {
    let number: Int64
    let id: String
    let bank: String
    let opening: [UInt8]
    /// The number of the last command in the checkpoint that counts; 0 without one.
    var upto: Int64 = 0
    /// The number of parts of that checkpoint; 0 if there is none.
    var parts: Int64 = 0
    /// The number of the last command; 0 before the first.
    var last: Int64 = 0
    /// The checksum of the last command; the session's ``seed`` before the first.
    var lastSum: Int64
    var isRemoved = false

    /// Begins the checksums of all rows of the session, so that no row can be taken for one of another session.
    let seed: Int64

    /// The columns that ``init(_:)`` reads, and ``sum`` at the end.
    static let columns = "number, id, bank, opening, upto, parts, last, last_sum, removed, sum"

    /// A new session.
    init(number: Int64, id: String, bank: String, opening: [UInt8]) {
        self.number = number
        self.id = id
        self.bank = bank
        self.opening = opening
        seed = RowSum.ofSession(number: number, id: id, bank: bank, opening: opening)
        lastSum = seed
    }

    /// Reads the columns of a row; nil if one has another type.
    init?(_ row: [SQLiteValue]) {
        guard let number = row[0].integer, let id = row[1].text, let bank = row[2].text, let opening = row[3].blob,
            let upto = row[4].integer,
            let parts = row[5].integer, let last = row[6].integer, let lastSum = row[7].integer, let removed = row[8].integer
        else { return nil }
        self.init(number: number, id: id, bank: bank, opening: opening)
        self.upto = upto
        self.parts = parts
        self.last = last
        self.lastSum = lastSum
        isRemoved = removed != 0
    }

    /// The checksum of the row.
    var sum: Int64 { RowSum.of([seed, upto, parts, last, lastSum, isRemoved ? 1 : 0]) }

    func insert(into database: SQLiteDatabase) throws(SQLiteError) {
        try database.run(
            "INSERT INTO session (\(SessionRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [.integer(number), .text(id), .text(bank), .blob(opening)] + changing)
    }

    func update(in database: SQLiteDatabase) throws(SQLiteError) {
        try database.run(
            "UPDATE session SET upto = ?, parts = ?, last = ?, last_sum = ?, removed = ?, sum = ? WHERE number = ?",
            changing + [.integer(number)])
    }

    private var changing: [SQLiteValue] { [upto, parts, last, lastSum, isRemoved ? 1 : 0, sum].map(SQLiteValue.integer) }
}

/// The checksum of a row: FNV-1a over the bytes of all its columns, each preceded by its length.
///
/// Every step of FNV-1a preserves the difference of two hashes, so a change within one byte is always detected, and any other
/// except one in 2⁶⁴. It is stored as SQLite's integer of 64 bits.
enum RowSum {
    /// - Parameters:
    ///   - numbers: the first is the ``SessionRow/seed`` of the row's session, except in the sum that becomes that seed.
    ///   - parts: nil differs from no bytes.
    static func of(_ numbers: [Int64], _ parts: [[UInt8]?] = []) -> Int64 {
        var hash = FNV1a.basis
        func add(_ number: Int64) {
            hash = (0..<8).reduce(hash) { FNV1a.hash([UInt8(truncatingIfNeeded: number >> (8 * Int64($1)))], from: $0) }
        }
        numbers.forEach(add)
        for part in parts {
            add(Int64(part?.count ?? -1))
            if let part { hash = FNV1a.hash(part, from: hash) }
        }
        return Int64(bitPattern: hash)
    }

    /// The checksum of what never changes in a session's row.
    static func ofSession(number: Int64, id: String, bank: String, opening: [UInt8]) -> Int64 {
        of([number], [Array(id.utf8), Array(bank.utf8), opening])
    }

    static func of(_ command: StoredCommand, seed: Int64) -> Int64 {
        of([seed, command.seq, command.at], [Array(command.command.utf8), command.changes, command.response])
    }

    /// The checksum of one part of a checkpoint.
    static func of(part: Int64, upto: Int64, _ bytes: [UInt8], seed: Int64) -> Int64 { of([seed, upto, part], [bytes]) }
}
