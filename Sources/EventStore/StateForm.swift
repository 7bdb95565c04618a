import BankEngine
import SQLiteFile

/// The schema of a state file, and its migrations.
///
/// - `session(number, id, bank, opening, checkpoint_seq, checkpoint, seed, checkpoint_sum)`: one row per session.
/// - `slice(place, session, seq, part, bytes)`: a long checkpoint, in parts; then `session.checkpoint` is null. Those of another number than
///   `session.checkpoint_seq` are of one that is being written, or no longer counts.
/// - `command(place, session, seq, at, command, changes, reply, sum)`: one row per command, at the end of the table in the order in which
///   they were stored, whatever their session: SQLite then fills page after page, and writes each half as often as for a table that is
///   clustered by session. An index finds those of a session. Those up to `session.checkpoint_seq` no longer count.
/// - `tail(session, seq, sum)`: each session's last command when the file was last closed, with the row's checksum.
/// - `PRAGMA user_version`: whether it was closed, or is open.
enum StateForm {
    /// Identifies a state file (`PRAGMA application_id`): "cfst".
    static let applicationID: Int64 = 0x6366_7374

    /// The values of `PRAGMA user_version`; 0 in files from before checksums.
    static let (open, closed) = (Int64(1), Int64(2))

    /// The first version whose rows have checksums.
    static let firstWithSums = 3
    /// The first version that may have checkpoints in slices.
    static let firstWithSlices = 5
    /// The first version that stores replies separately.
    static let firstWithReplies = 2

    /// The versions: the number of each is that of its step.
    static let schema = SQLiteSchema([firstForm, replies, sums, appended, slices])

    private static func firstForm(_ database: SQLiteDatabase) throws {
        try database.script(
            """
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

    /// Replies are stored separately, no longer among the changes.
    private static func replies(_ database: SQLiteDatabase) throws { try database.run("ALTER TABLE command ADD COLUMN reply BLOB") }

    /// Every row has a checksum. Older rows are accepted unchecked.
    private static func sums(_ database: SQLiteDatabase) throws {
        try database.script(
            """
            ALTER TABLE session ADD COLUMN seed INTEGER;
            ALTER TABLE session ADD COLUMN checkpoint_sum INTEGER;
            ALTER TABLE command ADD COLUMN sum INTEGER;
            CREATE TABLE tail (session INTEGER PRIMARY KEY, seq INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT
            """)
        let reader = StateReader(path: "", form: firstWithReplies)
        for number in try reader.numbers(database) {
            guard let session = try reader.session(number, database) else { continue }
            let seed = RowSum.seed(number: number, id: session.id, bank: session.bank, opening: session.opening)
            try database.run(
                "UPDATE session SET seed = ?, checkpoint_sum = ? WHERE number = ?",
                [.integer(seed), SQLiteValue(session.checkpoint.map { RowSum.of($0, seed: seed) }), .integer(number)])
            for command in session.commands {
                try database.run(
                    "UPDATE command SET sum = ? WHERE session = ? AND seq = ?",
                    [.integer(RowSum.of(command, seed: seed)), .integer(number), .integer(command.seq)])
            }
        }
        try close(database)
    }

    /// Commands are appended to their table.
    private static func appended(_ database: SQLiteDatabase) throws {
        try database.script(
            """
            CREATE TABLE appended (
                place INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session(number) ON DELETE CASCADE, seq INTEGER NOT NULL,
                at INTEGER NOT NULL, command TEXT NOT NULL, changes BLOB NOT NULL, reply BLOB, sum INTEGER
            ) STRICT;
            INSERT INTO appended SELECT NULL, session, seq, at, command, changes, reply, sum FROM command ORDER BY session, seq;
            DROP TABLE command;
            ALTER TABLE appended RENAME TO command;
            CREATE UNIQUE INDEX command_of_session ON command (session, seq)
            """)
    }

    /// Long checkpoints are stored in slices.
    private static func slices(_ database: SQLiteDatabase) throws {
        try database.script(
            """
            CREATE TABLE slice (
                place INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session(number) ON DELETE CASCADE, seq INTEGER NOT NULL,
                part INTEGER NOT NULL, bytes BLOB NOT NULL
            ) STRICT;
            CREATE UNIQUE INDEX slice_of_session ON slice (session, seq, part)
            """)
    }

    /// Removes what an interrupted checkpoint has left: its slices, or the commands that it has replaced.
    static func removeLeftovers(_ database: SQLiteDatabase) throws(SQLiteError) {
        try database.script(
            """
            DELETE FROM slice WHERE seq IS NOT (SELECT checkpoint_seq FROM session WHERE number = slice.session);
            DELETE FROM command WHERE place IN (
                SELECT place FROM session JOIN command ON command.session = number AND seq <= checkpoint_seq WHERE checkpoint_seq IS NOT NULL)
            """)
    }

    /// Stores the end of every session, and that the file is closed.
    static func close(_ database: SQLiteDatabase) throws(SQLiteError) {
        try database.script(
            """
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
