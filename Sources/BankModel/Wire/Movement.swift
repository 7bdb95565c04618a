/// One movement of money in a session's ledger: a balanced pair of postings.
package struct Movement: Sendable, Hashable {
    package var id: String
    /// The operation that made it.
    package var operation: String
    /// The idempotency key of the request, unquoted.
    package var key: String?
    package var customer: String?
    /// Its state when the session's clock was last shown.
    package var state: State
    package var from: Account
    package var to: Account
    package var amount: Money
    package var at: Instant
    /// The ending; nil if the movement ended at once.
    package var ending: Ending?
    /// The event that made it, such as `payment-in`; nil if a request did.
    package var event: String?
    /// The id of the movement whose money it gives back; nil if it gives none back.
    package var returns: String?

    /// The progress of a movement.
    package enum State: String, Sendable, CaseIterable {
        /// The amount is debited and not yet credited.
        case accepted
        case settled
        /// The bank, or the payee's, did not execute it: the debit was reversed.
        case rejected
        /// The customer took it back before it had settled: the debit was reversed.
        case cancelled

        /// Whether the money is back where it came from.
        package var isReversed: Bool { self == .rejected || self == .cancelled }
    }

    /// The ending of an accepted movement, by the session's clock.
    package struct Ending: Sendable, Hashable {
        package var at: Instant
        /// Settled, rejected or cancelled.
        package var state: State

        package init(at: Instant, state: State) {
            self.at = at
            self.state = state
        }
    }

    /// An account of the ledger: a row of one of the bank's tables, or somebody outside of the bank.
    package struct Account: Sendable, Hashable, CustomStringConvertible {
        package let table: String
        package let id: String

        /// The table of everybody who has no account at this bank; no bank has a table of that name.
        package static let outside = "outside"

        /// Hashed once: every movement looks its two accounts up several times.
        private let hash: Int

        package init(table: String, id: String) {
            self.table = table
            self.id = id
            var hasher = Hasher()
            hasher.combine(table)
            hasher.combine(id)
            hash = hasher.finalize()
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

        package var description: String { "\(table)/\(id)" }
    }

    package init(
        id: String, operation: String, key: String?, customer: String?, state: State, from: Account, to: Account, amount: Money,
        at: Instant,
        ending: Ending? = nil, event: String? = nil, returns: String? = nil
    ) {
        self.id = id
        self.operation = operation
        self.key = key
        self.customer = customer
        self.state = state
        self.from = from
        self.to = to
        self.amount = amount
        self.at = at
        self.ending = ending
        self.event = event
        self.returns = returns
    }
}
