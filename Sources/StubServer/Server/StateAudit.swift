package import BankCore
import BankModel
package import EventStore

/// What a state file says of one session, and what in it does not agree.
package struct StateAudit: Sendable, Hashable {
    package var session: String
    package var bank: String
    package var commands: Int
    package var movements = 0
    package var keys = 0
    package var tokens = 0
    /// A sentence each.
    package var faults: [String] = []

    /// Does all commands again and audits the books.
    ///
    /// - Parameter prepared: the session's bank; nil if there is none of that name.
    package init(_ stored: StoredSession, _ prepared: PreparedBank?) {
        (session, bank, commands) = (stored.id, stored.bank, stored.commands.count)
        var expected = (stored.checkpoint?.seq ?? 0) + 1
        for command in stored.commands {
            if command.seq != expected { faults.append("command \(command.seq) comes where \(expected) was expected") }
            expected = command.seq + 1
        }
        guard let prepared else {
            faults.append("there is no bank \(stored.bank) to do its commands again")
            return
        }
        do throws(ImageError) {
            let last = stored.commands.last.map { Instant(nanoseconds: $0.at) }
            var state = try SessionState(
                id: stored.id, stored: stored, prepared: prepared, baseURL: "", machineNow: last ?? Instant(nanoseconds: 0))
            if let last { state.settle(at: last) }
            (movements, tokens) = (state.ledger.movements.count, state.tokens.tokens.count)
            keys = state.keys.records.count
            faults += state.audit
        } catch {
            faults.append("its commands cannot be done again: \(error)")
        }
    }
}
