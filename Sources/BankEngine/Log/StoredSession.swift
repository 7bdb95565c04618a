/// One command of a session, as it is kept.
package struct StoredCommand: Sendable, Hashable {
    package var session: String
    /// From 1 in each session, without gaps.
    package var seq: Int64
    /// By the session's clock, in nanoseconds since 1970.
    package var at: Int64
    /// What was asked, for people: a short text without secrets.
    package var command: String
    /// What it changed; the store does not read it.
    package var changes: [UInt8]
    /// What was answered, if the session must remember it; the store does not read it.
    package var reply: [UInt8]?

    package init(session: String, seq: Int64, at: Int64, command: String, changes: [UInt8], reply: [UInt8]? = nil) {
        (self.session, self.seq, self.at, self.command) = (session, seq, at, command)
        (self.changes, self.reply) = (changes, reply)
    }
}

/// All that is kept of one session.
package struct StoredSession: Sendable, Hashable {
    package var id: String
    package var bank: String
    /// How it began; the store does not read it.
    package var opening: [UInt8]
    /// The whole state after the command of that number; nil: the session is its opening and all its commands.
    package var checkpoint: Checkpoint?
    /// Those after the checkpoint, in order.
    package var commands: [StoredCommand] = []
    /// The damage of its rows, a sentence each with its place.
    package var faults: [String] = []

    package struct Checkpoint: Sendable, Hashable {
        package var seq: Int64
        package var state: [UInt8]

        package init(seq: Int64, state: [UInt8]) { (self.seq, self.state) = (seq, state) }
    }

    package init(id: String, bank: String, opening: [UInt8]) { (self.id, self.bank, self.opening) = (id, bank, opening) }

    /// The number of its last command; 0 before the first.
    package var lastSeq: Int64 { commands.last?.seq ?? checkpoint?.seq ?? 0 }
}
