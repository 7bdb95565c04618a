import BankCore
import BankEngine
import BankModel
public import Foundation
import StubServer

extension StubBank {
    /// The money that has moved so far, settled up to the bank's now.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public var ledger: Ledger { get throws(StubBankError) { Ledger(try live().ledger) } }

    /// What an account can spend now.
    ///
    /// - Parameter account: its id, such as `ava-gbp`; where ids of two tables are equal, with the table's name:
    ///   `accounts/ava-gbp`.
    /// - Throws: ``StubBankError`` for an account that is not there or holds no money of the bank's, such as a payee; or after
    ///   the bank's end.
    public func balance(of account: String) throws(StubBankError) -> Amount {
        let balances = try live().balances(of: account)
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

    /// A bank's books: what has moved, double entry.
    public struct Ledger: Sendable, Hashable {
        /// In the order in which they were made, those that were rejected too.
        public let movements: [Movement]
        /// What every account lost, another gained.
        public let isBalanced: Bool

        /// How far an account is from where it began, in minor units of its currency; 0 if nothing has moved.
        ///
        /// - Parameter account: as in ``Movement/from``: `accounts/ava-gbp`.
        public func change(of account: String) -> Int64 {
            movements.filter { $0.state != .rejected }.reduce(0) { sum, movement in
                sum + (movement.to == account ? movement.amount.minorUnits : 0)
                    - (movement.from == account ? movement.amount.minorUnits : 0)
            }
        }
    }

    /// One movement of money from an account to another.
    public struct Movement: Sendable, Hashable {
        /// Such as `movement#1`.
        public let id: String
        /// The operation that made it.
        public let operation: String
        /// The idempotency key it was made under, unquoted.
        public let key: String?
        /// Who paid.
        public let customer: String?
        /// How far it has come.
        public let state: State
        /// Table and id: `accounts/ava-gbp`.
        public let from: String
        /// Table and id: `payees/payee-lark`.
        public let to: String
        /// Above zero.
        public let amount: Amount
        /// By the bank's clock.
        public let at: Date

        /// How far a movement has come.
        public enum State: String, Sendable, CaseIterable {
            /// The money has left and has not arrived.
            case accepted
            /// It has arrived.
            case settled
            /// It went back.
            case rejected
        }
    }

    /// An amount of money, exact.
    public struct Amount: Sendable, Hashable, CustomStringConvertible {
        /// In pence, cents or fils; below zero for what is owed.
        public let minorUnits: Int64
        /// ISO 4217, such as `GBP`.
        public let currency: String
        /// In major units, with all digits of the currency: `12.30`.
        public let major: String

        /// Such as `12.30 GBP`.
        public var description: String { "\(major) \(currency)" }
    }
}

extension StubBank.Ledger {
    fileprivate init(_ ledger: BankCore.Ledger) {
        self.init(movements: ledger.movements.map(StubBank.Movement.init), isBalanced: ledger.isBalanced)
    }
}

extension StubBank.Movement {
    fileprivate init(_ movement: BankModel.Movement) {
        let state: State =
            switch movement.state {
            case .accepted: .accepted
            case .settled: .settled
            case .rejected: .rejected
            }
        self.init(
            id: movement.id, operation: movement.operation, key: movement.key, customer: movement.customer, state: state,
            from: movement.from.description, to: movement.to.description, amount: StubBank.Amount(movement.amount),
            at: movement.at.foundationDate)
    }
}

extension StubBank.Amount {
    fileprivate init(_ money: Money) {
        self.init(minorUnits: money.minorUnits, currency: money.currency.code, major: money.major)
    }
}
