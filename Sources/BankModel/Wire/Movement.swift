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
    /// The id of the movement whose money it returns; nil if it returns none.
    package var returns: String?

    package enum State: String, Sendable, CaseIterable {
        /// It waits for a second person's authorisation: the amount is debited and not yet credited, as it is for ``accepted``.
        case pendingAuthorisation = "pending-authorisation"
        /// The amount is debited and not yet credited.
        case accepted
        case settled
        /// The bank, or the payee's, did not execute it: the debit was reversed.
        case rejected
        /// The customer took it back before it had settled: the debit was reversed.
        case cancelled

        /// Whether the money is back where it came from.
        package var isReversed: Bool { self == .rejected || self == .cancelled }

        /// Whether the amount is debited and not yet credited.
        package var isPending: Bool { self == .pendingAuthorisation || self == .accepted }
    }

    /// The ending of a pending movement, by the session's clock.
    package struct Ending: Sendable, Hashable {
        package var at: Instant
        /// Settled, rejected or cancelled.
        package var state: State
        /// What follows if a second person authorises it before that; nil if it waits for nobody.
        package var authorised: Next?

        package init(at: Instant, state: State, authorised: Next? = nil) {
            self.at = at
            self.state = state
            self.authorised = authorised
        }

        /// The state of the movement until then.
        package var pendingState: State { authorised == nil ? .accepted : .pendingAuthorisation }

        /// How a movement ends once it is authorised.
        package struct Next: Sendable, Hashable {
            /// The time from the authorisation to the ending; zero if it ends at once.
            package var after: Duration
            /// Settled or rejected.
            package var state: State

            package init(after: Duration, state: State) {
                self.after = after
                self.state = state
            }
        }
    }

    /// An account of the ledger: a row of one of the bank's tables, or a party outside the bank.
    package struct Account: Sendable, Hashable, CustomStringConvertible {
        package let table: String
        package let id: String

        /// The table of all parties without an account at this bank; no bank has a table of that name.
        package static let outside = "outside"

        package init(table: String, id: String) {
            self.table = table
            self.id = id
        }

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
