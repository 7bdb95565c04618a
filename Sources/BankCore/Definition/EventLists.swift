package import BankModel

extension BankEvent {
    /// The value of a field; nil if the event has none.
    func value(_ field: ValueSource.EventField) -> JSON? {
        switch field {
        case .property(.kind): .string(kind.rawValue)
        case .property(.name): shownName.map(JSON.string)
        case .property(.reference): (reference ?? shownName).map(JSON.string)
        case .property(.reason): reason.map(JSON.string)
        case .byKind(let values): values[kind]
        }
    }

    /// Who pays or is paid; nil for an event that names nobody and moves no new money.
    private var shownName: String? {
        guard name == nil, case .moves = kind.effect else { return name }
        return kind.usualName
    }
}

extension ValueSource {
    package enum EventField: Sendable, Hashable {
        case property(BankEvent.Property)
        /// By the kind of the event; nothing for a kind that is not among them.
        case byKind([BankEvent.Kind: JSON])
    }
}

/// How a bank shows events that move new money.
package struct EventLists: Sendable {
    /// The format of amounts in the rows.
    package var unit: AmountUnit
    package var lists: [Operation.Move.Listing]

    package init(unit: AmountUnit, lists: [Operation.Move.Listing]) {
        self.unit = unit
        self.lists = lists
    }
}

/// The effect of an event.
package enum EventResult: Sendable {
    /// It has made or ended this movement.
    case movement(Movement)
    /// It has closed this account.
    case closed(Movement.Account)

    /// The movement that it has made or ended, if there is one.
    package var movement: Movement? { if case .movement(let movement) = self { movement } else { nil } }
    /// It has revoked this consent.
    case consent(Consent)
}

/// The reason why an event cannot happen.
package enum EventError: Error, CustomStringConvertible {
    /// The event needs a member that it does not have.
    case missing(String, BankEvent.Kind)
    /// The event has a member that means nothing to it.
    case needless(String, BankEvent.Kind)
    /// A member has that many characters.
    case tooLong(String, Int)
    /// The bank does not define how its lists show events.
    case unknownToBank(BankEvent.Kind, bank: String)
    case unknownAccount(String, known: [String])
    case wrongAmount(String, Currency)
    case tooLittle(Money, account: String)
    /// No payment has that id, key or row; nil if there is none at all.
    case unknownPayment(String?, BankEvent.Kind)
    /// The bank does not define how it shows closed accounts.
    case neverClosed(table: String)
    /// No consent has that key; nil if none is authorised.
    case unknownConsent(String?)
    /// The payment or consent is in a state in which the event cannot happen.
    case wrongState(payment: String, found: String, expected: String)
    /// The bank does not define how a list shows the event.
    case unlisted(BankEvent.Kind, operation: String)
    /// The sums would not fit, or a row could not be added.
    case impossible(String)
    case sessionFull(SessionSize)

    package var description: String {
        switch self {
        case .missing(let member, let kind): "`\(member)` is missing: `\(kind.rawValue)` needs it"
        case .needless(let member, let kind): "found `\(member)`, expected none: `\(kind.rawValue)` has no such member"
        case .tooLong(let member, let count): "found \(count) characters in `\(member)`, expected at most \(BankEvent.longestText)"
        case .unknownToBank(let kind, let bank):
            "found `\(kind.rawValue)`, expected a bank with `events`: \(bank) does not define how its lists show it"
        case .unknownAccount(let name, let known):
            "found the account \(name), expected " + (known.isEmpty ? "a bank with accounts that hold money" : oneOf(known))
        case .wrongAmount(let text, let currency):
            "found the amount \(text), expected one above zero with at most \(currency.digits) digits after the point, in \(currency)"
        case .tooLittle(let amount, let account): "the account \(account) has less than \(amount)"
        case .unknownPayment(let name?, let kind):
            "found the payment \(name), expected the id of a movement, the key of its row, or its idempotency key, for `\(kind.rawValue)`"
        case .unknownPayment(nil, let kind): "found no payment for `\(kind.rawValue)`"
        case .unknownConsent(let key):
            key.map { "found the consent \($0), expected the key of one" } ?? "found no authorised consent"
        case .wrongState(let payment, let found, let expected): "found \(payment) \(found), expected it \(expected)"
        case .unlisted(let kind, let operation):
            "found `\(kind.rawValue)`, expected `returned` in the `lists` of `\(operation)`: the bank does not define how it shows returned money"
        case .neverClosed(let table):
            "found an account of \(table), expected a table with `closed`: the bank does not define how it shows a closed account"
        case .impossible(let reason): reason
        case .sessionFull(let limit): limit.rejection
        }
    }
}
