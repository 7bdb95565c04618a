import BankCore
import BankEngine
import BankModel
public import Foundation
import StubServer

extension StubBank {
    /// The movements of money so far, settled up to the bank's current time.
    public var ledger: Ledger { Ledger(session.ledger) }

    /// The money that an account can spend now.
    ///
    /// - Parameter account: the account's id, such as `ava-gbp`; with its table if two tables have that id: `accounts/ava-gbp`.
    /// - Throws: ``StubBankError`` for an unknown account, for a row without a balance, such as a payee, or for an id that is in several
    ///   tables.
    public func balance(of account: String) throws(StubBankError) -> Amount {
        let balances = session.balances(of: account)
        guard let balance = balances.first, balances.count == 1 else {
            throw StubBankError(
                .unknownAccount,
                balances.isEmpty
                    ? "found the account \"\(account)\", expected the id of a row that holds money at the bank \"\(name)\""
                    : "found \"\(account)\" in several tables, expected one of "
                        + oneOf(balances.map { "\"\($0.account)\"" }))
        }
        return Amount(balance.money)
    }

    /// A bank's ledger, in double entry.
    public struct Ledger: Sendable, Hashable {
        /// All movements, rejected and cancelled ones too, in the order in which they were made.
        public let movements: [Movement]
        /// True if every amount that left an account arrived at another.
        public let isBalanced: Bool

        /// The change of an account since the start, in minor units of its currency; negative if the account lost money.
        ///
        /// - Parameter account: table and id, as in ``Movement/from``: `accounts/ava-gbp`.
        public func change(of account: String) -> Int64 {
            movements.filter { $0.state != .rejected && $0.state != .cancelled }.reduce(0) { sum, movement in
                sum + (movement.to == account ? movement.amount.minorUnits : 0)
                    - (movement.from == account ? movement.amount.minorUnits : 0)
            }
        }
    }

    /// One movement of money from one account to another.
    public struct Movement: Sendable, Hashable {
        /// The movement's id, such as `movement-1`.
        public let id: String
        /// The name of the operation, or of the event, that made it.
        public let operation: String
        /// The event that made it; nil if a request did.
        public let event: String?
        /// The id of the movement whose money it returns; nil if it returns none.
        public let returns: String?
        /// The idempotency key of its request, unquoted; nil if there was none.
        public let key: String?
        /// The customer who paid; nil if no customer was signed in.
        public let customer: Customer?
        /// The movement's state.
        public let state: State
        /// The account that pays, by table and id: `accounts/ava-gbp`.
        public let from: String
        /// The account that receives, by table and id: `payees/payee-lark`.
        public let to: String
        /// The amount, always positive.
        public let amount: Amount
        /// The time at which it was made, by the bank's clock.
        public let at: Date

        /// The state of a movement.
        public enum State: String, Sendable, CaseIterable {
            /// The money has left one account, and waits for a second person's authorisation.
            case pendingAuthorisation = "pending-authorisation"
            /// The money has left one account and has not arrived at the other.
            case accepted
            /// The money has arrived.
            case settled
            /// The money went back to the account that paid.
            case rejected
            /// The customer cancelled the payment, and the money went back.
            case cancelled
        }
    }

    /// An exact amount of money.
    public struct Amount: Sendable, Hashable, CustomStringConvertible {
        /// The amount in minor units (pence, cents or fils); negative for a debt.
        public let minorUnits: Int64
        /// The ISO 4217 code, such as `GBP`.
        public let currency: String
        /// The amount in major units, with all digits of the currency: `12.30`.
        public let major: String

        /// The amount with its currency, such as `12.30 GBP`.
        public var description: String { "\(major) \(currency)" }
    }
}

extension StubBank.Ledger {
    fileprivate init(_ ledger: BankCore.Ledger) {
        self.init(movements: ledger.movements.map(StubBank.Movement.init), isBalanced: ledger.isBalanced)
    }
}

extension StubBank.Movement {
    init(_ movement: BankModel.Movement) {
        let state: State =
            switch movement.state {
            case .pendingAuthorisation: .pendingAuthorisation
            case .accepted: .accepted
            case .settled: .settled
            case .rejected: .rejected
            case .cancelled: .cancelled
            }
        self.init(
            id: movement.id, operation: movement.operation, event: movement.event, returns: movement.returns, key: movement.key,
            customer: movement.customer.map { StubBank.Customer(rawValue: $0) }, state: state,
            from: movement.from.description, to: movement.to.description, amount: StubBank.Amount(movement.amount),
            at: movement.at.foundationDate)
    }
}

extension StubBank.Amount {
    fileprivate init(_ money: Money) {
        self.init(minorUnits: money.minorUnits, currency: money.currency.code, major: money.major)
    }
}
