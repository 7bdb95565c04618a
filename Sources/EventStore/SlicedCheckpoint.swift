import BankEngine
import SQLiteFile

/// A long checkpoint on its way into the file: written beside the session's commands in many short transactions, so that a command waits
/// for one of them at most. Until it is published, the commands count and the slices do not.
struct SlicedCheckpoint {
    /// The number of its session.
    let number: Int64
    let ticket: CommitTicket
    private let checkpoint: StoredSession.Checkpoint
    private let sliceBytes: Int
    /// The checksum of what is written.
    private var sum: RowSum
    private var stage = Stage.clearing

    private enum Stage {
        /// Slices of earlier checkpoints that no longer count are removed.
        case clearing
        /// The number of slices that are written.
        case writing(Int)
        /// It counts, or a later one does; what no longer counts is removed.
        case removing
    }

    init(_ checkpoint: StoredSession.Checkpoint, of number: Int64, seed: Int64, sliceBytes: Int, ticket: CommitTicket) {
        self.checkpoint = checkpoint
        self.number = number
        self.sliceBytes = sliceBytes
        self.ticket = ticket
        sum = RowSum(before: checkpoint, seed: seed)
    }

    /// Whether it counts, or a later one does, once the last step is committed.
    var isPublished: Bool { if case .removing = stage { true } else { false } }

    /// One step, within a transaction.
    ///
    /// - Returns: whether it was the last.
    mutating func step(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        // A later checkpoint, a short one, may have come meanwhile: this one must not take its place.
        if try counting(database) >= checkpoint.seq { stage = .removing }
        switch stage {
        case .clearing:
            if try removesSlices(database) { return false }
            stage = .writing(0)
            return false
        case .writing(let part):
            let bytes = Array(checkpoint.state.dropFirst(part * sliceBytes).prefix(sliceBytes))
            if bytes.isEmpty {
                try publish(database)
                stage = .removing
                return false
            }
            sum.addMore(bytes)
            try database.run(
                "INSERT INTO slice (session, seq, part, bytes) VALUES (?, ?, ?, ?)",
                [.integer(number), .integer(checkpoint.seq), .integer(Int64(part)), .blob(bytes)])
            stage = .writing(part + 1)
            return false
        case .removing:
            if try removesSlices(database) { return false }
            return try !removesCommands(database)
        }
    }

    /// Removes the slices of a checkpoint that cannot be completed: they would take space that commands need.
    func giveUp(_ database: SQLiteDatabase) throws(SQLiteError) { while try removesSlices(database) {} }

    /// The number of the last command in the checkpoint that counts; -1 if there is none.
    private func counting(_ database: SQLiteDatabase) throws(SQLiteError) -> Int64 {
        try database.run("SELECT checkpoint_seq FROM session WHERE number = ?", [.integer(number)]).first?.first?.integer ?? -1
    }

    private func publish(_ database: SQLiteDatabase) throws(SQLiteError) {
        try database.run(
            "UPDATE session SET checkpoint_seq = ?, checkpoint = NULL, checkpoint_sum = ? WHERE number = ?",
            [.integer(checkpoint.seq), .integer(sum.value), .integer(number)])
    }

    /// Removes some slices that do not count.
    ///
    /// - Returns: whether there were any.
    private func removesSlices(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        let places = try database.run(
            """
            SELECT place FROM slice WHERE session = ? AND seq IS NOT (SELECT checkpoint_seq FROM session WHERE number = slice.session)
            LIMIT \(SlicedCheckpoint.slicesPerStep)
            """, [.integer(number)])
        for place in places { try database.run("DELETE FROM slice WHERE place = ?", place) }
        return !places.isEmpty
    }

    /// Removes some commands that the checkpoint has replaced.
    ///
    /// - Returns: whether there were any.
    private func removesCommands(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        let lowest = try database.run("SELECT min(seq) FROM command WHERE session = ?", [.integer(number)]).first?.first?.integer
        guard let lowest, lowest <= checkpoint.seq else { return false }
        let end = min(checkpoint.seq, lowest + SlicedCheckpoint.commandsPerStep)
        try database.run("DELETE FROM command WHERE session = ? AND seq <= ?", [.integer(number), .integer(end)])
        return true
    }

    private static let slicesPerStep = 4
    private static let commandsPerStep: Int64 = 100
}
