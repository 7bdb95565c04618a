package import BankCore
package import BankModel

/// The audit of one session in a state file: its counts and its faults.
package struct StateAudit: Sendable, Hashable {
    package var session: String
    package var bank: String
    /// The number of its commands, including those before its checkpoint.
    package var commands: Int64
    package var movements = 0
    package var keys = 0
    package var tokens = 0
    /// Whether the balances are the sums of the postings.
    package var isBalanced = false
    /// A sentence each, with its location.
    package var faults: [String] = []
    /// The reason why the session could not be audited; nil if it was.
    package var unread: String?

    /// The FNV-1a hash of the whole state, as a checkpoint would store it: sessions with equal fingerprints have the same balances,
    /// keys, responses and tokens. Nil if the session was not audited.
    package var fingerprint: String?

    /// Replays all commands and audits each by itself: a consistent state and a consistent command give a consistent state.
    ///
    /// - Parameters:
    ///   - prepared: the session's bank; nil if no bank has that name.
    ///   - machineNow: the machine's now, from which the session's clock follows.
    package init(_ stored: StoredSession, _ prepared: PreparedBank?, machineNow: Instant) {
        self.init(stored)
        if let prepared {
            let state = look(into: stored, prepared, baseURL: "", machineNow)
            fingerprint = state.map { hexadecimal(FNV1a.hash($0.image)) }
        } else {
            unread = "found no bank \(stored.bank), expected the bank of the session; pass its folder with --stubs"
        }
    }

    private init(_ stored: StoredSession) {
        session = stored.id
        bank = stored.bank
        commands = stored.lastSeq
    }

    /// Replays and audits all commands, as ``init(_:_:machineNow:)`` does.
    ///
    /// - Returns: the audit, and the session's state; nil if a command cannot be replayed.
    static func resume(
        _ stored: StoredSession, _ prepared: PreparedBank, baseURL: String, machineNow: Instant
    ) -> (audit: StateAudit, state: SessionState?) {
        var audit = StateAudit(stored)
        let state = audit.look(into: stored, prepared, baseURL: baseURL, machineNow)
        return (audit, state)
    }

    private mutating func look(
        into stored: StoredSession, _ prepared: PreparedBank, baseURL: String, _ machineNow: Instant
    ) -> SessionState? {
        var found = stored.faults
        var location = "the opening"
        var tokens = TokenBook()
        var whole: SessionState?
        do throws(ImageError) {
            var state = try SessionState(
                id: stored.id, opening: stored.opening, prepared: prepared, baseURL: baseURL, machineNow: machineNow)
            // A damaged row may have any number: none of these sums may trap.
            var expected: Int64 = 1
            if let checkpoint = stored.checkpoint {
                location = "the checkpoint after command \(checkpoint.seq)"
                try state.restore(image: checkpoint.state)
                found += state.audit(at: state.now(machine: machineNow)).map { "\(location): \($0)" }
                expected = checkpoint.seq &+ 1
            }
            tokens = state.tokens
            for command in stored.commands {
                location = "command \(command.seq)"
                if command.seq != expected { found.append("found \(location) where \(expected) was expected") }
                expected = command.seq &+ 1
                found += try state.audit(command.changes, response: command.response, at: Instant(nanoseconds: command.at))
                    .map { "\(location): \($0)" }
                tokens = state.tokens
            }
            found += state.sumFaults
            movements = state.ledger.movements.count
            keys = state.keys.records.count
            self.tokens = tokens.tokens.count
            isBalanced = state.ledger.isBalanced
            whole = state
        } catch {
            found.append("\(location) cannot be replayed: \(error)")
        }
        // A client may have used a token as a key.
        let redaction = Redaction(tokens: tokens, names: prepared.secretNames)
        faults = found.map(redaction.text)
        return whole
    }
}
