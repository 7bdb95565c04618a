import Platform

/// A server's persistent log of commands; each is durable before its effect is visible to a client.
///
/// Payloads are opaque to the log, which knows sessions, numbers and order.
package protocol DurableLog: AnyObject, Sendable {
    /// The file's path, for messages.
    var path: String { get }

    /// The minimum size of the commands, in bytes, for which a checkpoint pays.
    var checkpointBytes: Int { get }

    /// Remarks for the file's owner, a sentence each.
    var notes: [String] { get }

    /// Reads all stored sessions one by one, in the order in which they were opened.
    ///
    /// - Throws: ``StoreError`` if the file cannot be read, and every error of the body. An altered row is reported in its session's
    ///   ``StoredSession/faults``.
    func load(_ body: (StoredSession) throws -> Void) throws

    /// Stores a new session.
    func open(session: String, bank: String, opening: [UInt8]) -> CommitTicket

    /// Deletes a session and all its commands.
    func remove(session: String) -> CommitTicket

    /// Stores a command. Commands of one session are stored in the order in which they are appended.
    func append(_ command: StoredCommand) -> CommitTicket

    /// Stores a session's whole state after the command with that number, and deletes the commands up to it.
    func checkpoint(session: String, seq: Int64, state: [UInt8]) -> CommitTicket

    /// Sets the handler that undoes lost commands: called for each session whose commands could not be stored, before any of their tickets
    /// is done. It calls ``withdraw(session:)`` while nothing can be appended to the session.
    func onFailure(_ body: @escaping @Sendable (LostCommands) -> Void)

    /// Removes a session's queued commands that are not being written yet; their tickets fail with those that could not be stored.
    func withdraw(session: String)

    /// Tries a write that changes nothing if the last one failed, or the file is no longer at its path.
    ///
    /// - Returns: the ticket of that write; nil if no reason is known why it could fail.
    func attemptAfterFailure() -> CommitTicket?

    /// A ticket that has failed, once the disk has failed and nothing is written any more; nil before.
    var stopped: CommitTicket? { get }

    /// Writes the queued commands and closes the file. Nothing can be appended afterwards.
    func close()
}

/// The commands of a session that could not be stored: one command and all behind it.
package struct LostCommands: Sendable {
    package let session: String
    /// The number of the first of them; 0 for the session itself.
    package let first: Int64
    /// The ticket of the first. It distinguishes the session from a later one with the same id.
    package let ticket: CommitTicket

    package init(session: String, first: Int64, ticket: CommitTicket) {
        self.session = session
        self.first = first
        self.ticket = ticket
    }
}

/// Reports when a command is durable, or that it never will be.
package final class CommitTicket: Sendable {
    private let state = Locked(State())

    private struct State {
        var result: Result<Void, StoreError>?
        var waiting: [@Sendable (Result<Void, StoreError>) -> Void] = []
    }

    package init() {}

    /// A ticket whose result is known.
    package convenience init(_ result: Result<Void, StoreError>) {
        self.init()
        finish(result)
    }

    /// Whether the result is known.
    package var isDone: Bool { state.withLock { $0.result != nil } }

    /// Calls back once: at once if the result is known, otherwise on the thread that determines it.
    package func whenDone(_ body: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        let result = state.withLock { state in
            if state.result == nil { state.waiting.append(body) }
            return state.result
        }
        if let result { body(result) }
    }

    /// Waits for the result.
    package func wait() async throws(StoreError) {
        let result = await withCheckedContinuation { continuation in whenDone { continuation.resume(returning: $0) } }
        try result.get()
    }

    /// Resumes all who wait. Only the first call counts.
    package func finish(_ result: Result<Void, StoreError>) {
        let waiting = state.withLock { state in
            guard state.result == nil else { return [@Sendable (Result<Void, StoreError>) -> Void]() }
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body(result) }
    }
}

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
