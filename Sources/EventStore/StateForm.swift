import BankEngine
import Foundation
import GRDB

/// How a state file is made up, and how that came to be.
///
/// - `session(number, id, bank, opening, checkpoint_seq, checkpoint, seed, checkpoint_sum)`: one row a session.
/// - `command(session, seq, at, command, changes, reply, sum)`: one row a command, clustered in its session by number, so that
///   keeping one appends to the end of a page.
/// - `tail(session, seq, sum)`: how far each session had come when the file was last closed, and the last row's checksum.
/// - `PRAGMA user_version`: whether it was closed, or stands open.
enum StateForm {
    /// Marks a file as ours (`PRAGMA application_id`): "cfst".
    static let applicationID = 0x6366_7374

    /// The values of `PRAGMA user_version`; 0 in files of before checksums.
    static let (open, closed) = (1, 2)

    /// From it on rows have checksums.
    static let firstWithSums = 3
    /// From it on replies stand for themselves.
    static let firstWithReplies = 2

    /// Each migration's name is the number of the form that it makes.
    ///
    /// - Returns: 0 if there is none yet.
    static func number(in database: Database) throws -> Int {
        try migrator.appliedIdentifiers(database).compactMap { Int($0) }.max() ?? 0
    }

    /// A step once published is never changed.
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
        // Every row has a checksum. Those of before are taken as they are.
        migrator.registerMigration("3") { database in
            try database.execute(
                sql: """
                    ALTER TABLE session ADD COLUMN seed INTEGER;
                    ALTER TABLE session ADD COLUMN checkpoint_sum INTEGER;
                    ALTER TABLE command ADD COLUMN sum INTEGER;
                    CREATE TABLE tail (session INTEGER PRIMARY KEY, seq INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT
                    """)
            var reader = StateReader(path: "", form: firstWithReplies)
            try reader.read(database) { session, number in
                let seed = RowSum.seed(number: number, id: session.id, bank: session.bank, opening: session.opening)
                try database.execute(
                    sql: "UPDATE session SET seed = ?, checkpoint_sum = ? WHERE number = ?",
                    arguments: [seed, session.checkpoint.map { RowSum.of($0, seed: seed) }, number])
                for command in session.commands {
                    try database.execute(
                        sql: "UPDATE command SET sum = ? WHERE session = ? AND seq = ?",
                        arguments: [RowSum.of(command, seed: seed), number, command.seq])
                }
            }
            try close(database)
        }
        return migrator
    }

    /// Writes down how far every session has come, and that the file is closed.
    static func close(_ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM tail;
                INSERT INTO tail SELECT number, seq, sum FROM (\(ends));
                PRAGMA user_version = \(closed)
                """)
    }

    /// How far every session has come by its rows: its number, that of its last command, and the checksum of the row that tells.
    static let ends = """
        SELECT number, ifnull(last, ifnull(checkpoint_seq, 0)) AS seq,
            CASE WHEN last IS NULL THEN ifnull(checkpoint_sum, seed)
                ELSE (SELECT sum FROM command WHERE session = number AND seq = last) END AS sum
        FROM (SELECT number, checkpoint_seq, checkpoint_sum, seed, (SELECT max(seq) FROM command WHERE session = number) AS last FROM session)
        """
}
