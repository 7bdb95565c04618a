package import BankCore
package import BankModel
package import EventStore

/// What a state file says of one session, and what in it does not agree.
package struct StateAudit: Sendable, Hashable {
    package var session: String
    package var bank: String
    /// How many it has had; those before its checkpoint are in that.
    package var commands: Int64
    package var movements = 0
    package var keys = 0
    package var tokens = 0
    /// The balances are the sums of the postings.
    package var isBalanced = false
    /// A sentence each, with its place.
    package var faults: [String] = []
    /// Why the session could not be looked into; nil if it was.
    package var unread: String?

    /// Does all commands again, each audited by itself: what agrees before a command and in it agrees after it too.
    ///
    /// - Parameters:
    ///   - prepared: the session's bank; nil if there is none of that name.
    ///   - machineNow: the machine's now, from which the session's clock follows.
    package init(_ stored: StoredSession, _ prepared: PreparedBank?, machineNow: Instant) {
        (session, bank, commands) = (stored.id, stored.bank, stored.lastSeq)
        if let prepared {
            look(into: stored, prepared, machineNow)
        } else {
            unread = "found no bank \(stored.bank), expected the one that the session was of; name its folder with --stubs"
        }
    }

    private mutating func look(into stored: StoredSession, _ prepared: PreparedBank, _ machineNow: Instant) {
        var found: [String] = []
        var place = "the opening"
        var tokens = TokenBook()
        do throws(ImageError) {
            var state = try SessionState(
                id: stored.id, opening: stored.opening, prepared: prepared, baseURL: "", machineNow: machineNow)
            var expected: Int64 = 1
            if let checkpoint = stored.checkpoint {
                place = "the checkpoint after command \(checkpoint.seq)"
                try state.take(image: checkpoint.state)
                found += state.audit(at: state.clock.now(machine: machineNow)).map { "\(place): \($0)" }
                expected = checkpoint.seq + 1
            }
            tokens = state.tokens
            for command in stored.commands {
                place = "command \(command.seq)"
                if command.seq != expected { found.append("\(place) comes where \(expected) was expected") }
                expected = command.seq + 1
                found += try state.audit(command.changes, reply: command.reply, at: Instant(nanoseconds: command.at))
                    .map { "\(place): \($0)" }
                tokens = state.tokens
            }
            found += state.sumFaults
            (movements, keys) = (state.ledger.movements.count, state.keys.records.count)
            (self.tokens, isBalanced) = (tokens.tokens.count, state.ledger.isBalanced)
        } catch {
            found.append("\(place) cannot be done again: \(error)")
        }
        // A client may have used a token as a key.
        let redaction = Redaction(tokens: tokens, names: prepared.secretNames)
        faults = found.map(redaction.text)
    }
}
