/// One stored command of a session.
package struct StoredCommand: Sendable, Hashable {
    package var session: String
    /// From 1 in each session, without gaps.
    package var seq: Int64
    /// By the session's clock, in nanoseconds since 1970.
    package var at: Int64
    /// The request, for people: a short text without secrets.
    package var command: String
    /// Its changes; opaque to the store.
    package var changes: [UInt8]
    /// Its response, if the session must remember it; opaque to the store.
    package var response: [UInt8]?

    package init(session: String, seq: Int64, at: Int64, command: String, changes: [UInt8], response: [UInt8]? = nil) {
        self.session = session
        self.seq = seq
        self.at = at
        self.command = command
        self.changes = changes
        self.response = response
    }
}

/// The stored data of one session.
package struct StoredSession: Sendable, Hashable {
    package var id: String
    package var bank: String
    /// Its beginning; opaque to the store.
    package var opening: [UInt8]
    /// The whole state after the command with that number; nil if the session is its opening and all its commands.
    package var checkpoint: Checkpoint?
    /// The commands after the checkpoint, in order.
    package var commands: [StoredCommand] = []
    /// The damage of its rows, a sentence each with its location.
    package var faults: [String] = []

    package struct Checkpoint: Sendable, Hashable {
        package var seq: Int64
        package var state: [UInt8]

        package init(seq: Int64, state: [UInt8]) {
            self.seq = seq
            self.state = state
        }
    }

    package init(id: String, bank: String, opening: [UInt8]) {
        self.id = id
        self.bank = bank
        self.opening = opening
    }

    /// The number of its last command; 0 before the first.
    package var lastSeq: Int64 { commands.last?.seq ?? checkpoint?.seq ?? 0 }
}
