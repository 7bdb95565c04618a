package import BankCore
package import BankModel
import Faults
import Platform

/// The session's state, money and counts.
extension BankSession {
    /// A copy of the whole state, after everything that is due by now.
    package var settledState: SessionState {
        inner.withLock { inner in
            _ = inner.processDueEvents(clock)
            return inner.state
        }
    }

    /// The spendable balances of the accounts with that name: at most one in each table that holds money.
    ///
    /// - Parameter name: an account's id, or table and id such as `accounts/ava-gbp`.
    package func balances(of name: String) -> [(account: Movement.Account, money: Money)] {
        let state = settledState
        return state.bank.tables.keys.sorted().compactMap { table in
            let id = name.hasPrefix("\(table)/") ? String(name.dropFirst(table.count + 1)) : name
            let account = Movement.Account(table: table, id: id)
            return state.spendable(account).map { (account, $0) }
        }
    }

    /// Movements of money, in the order in which they were made.
    package var ledger: Ledger { settledState.ledger }

    /// The counts of a session, or of several.
    package struct Counts: Sendable {
        /// All exchanges since the session began.
        package var exchanges = 0
        package var dropped = 0
        package var held = 0
        package var rules = 0
        /// The movements in its ledger.
        package var payments = 0
        package var rejectedFull = 0

        package init() {}

        package mutating func add(_ other: Counts) {
            exchanges += other.exchanges
            dropped += other.dropped
            held += other.held
            rules += other.rules
            payments += other.payments
            rejectedFull += other.rejectedFull
        }
    }

    /// The counts of what has ended, since the session began.
    package var tally: ExchangeTally {
        inner.withLock {
            var tally = $0.tally
            tally.leaveOut($0.log?.undecidedChanges ?? [])
            return tally
        }
    }

    /// The counts of what there is now. Unlike other reads this does not process what is due: monitoring reads the counts of all sessions every
    /// few seconds, and must not make the server write for each that has something due.
    package var counts: Counts {
        inner.withLock {
            var counts = Counts()
            counts.exchanges = $0.journal.nextSeq - 1
            counts.dropped = $0.journal.dropped
            counts.held = $0.held.count
            counts.rules = $0.rules.rules.count
            counts.payments = $0.state.ledger.movements.count
            counts.rejectedFull = $0.rejectedFull
            return counts
        }
    }
}
