import BankEngine
import Foundation
import GRDB

/// The schema of a state file, and its migrations.
///
/// - `session(number, id, bank, opening, checkpoint_seq, checkpoint, seed, checkpoint_sum)`: one row per session.
/// - `command(session, seq, at, command, changes, reply, sum)`: one row per command, clustered in its session by number, so
///   that storing one appends to the end of a page.
/// - `tail(session, seq, sum)`: each session's last command when the file was last closed, with the row's checksum.
/// - `PRAGMA user_version`: whether it was closed, or is open.
enum StateForm {
    /// Identifies a state file (`PRAGMA application_id`): "cfst".
    static let applicationID = 0x6366_7374

    /// The values of `PRAGMA user_version`; 0 in files from before checksums.
    static let (open, closed) = (1, 2)

    /// The first version whose rows have checksums.
    static let firstWithSums = 3
    /// The first version that stores replies separately.
    static let firstWithReplies = 2

    /// The version: each migration is named after the number of the version that it creates.
    ///
    /// - Returns: 0 if there is none yet.
    static func number(in database: Database) throws -> Int {
        try migrator.appliedIdentifiers(database).compactMap { Int($0) }.max() ?? 0
    }

    /// A published migration is never changed.
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
        // Replies are stored separately, no longer among the changes.
        migrator.registerMigration("2") { database in try database.execute(sql: "ALTER TABLE command ADD COLUMN reply BLOB") }
        // Every row has a checksum. Older rows are accepted unchecked.
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

    /// Stores the end of every session, and that the file is closed.
    static func close(_ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM tail;
                INSERT INTO tail SELECT number, seq, sum FROM (\(ends));
                PRAGMA user_version = \(closed)
                """)
    }

    /// The end of every session by its rows: its number, that of its last command, and the checksum of that row.
    static let ends = """
        SELECT number, ifnull(last, ifnull(checkpoint_seq, 0)) AS seq,
            CASE WHEN last IS NULL THEN ifnull(checkpoint_sum, seed)
                ELSE (SELECT sum FROM command WHERE session = number AND seq = last) END AS sum
        FROM (SELECT number, checkpoint_seq, checkpoint_sum, seed, (SELECT max(seq) FROM command WHERE session = number) AS last FROM session)
        """
}
