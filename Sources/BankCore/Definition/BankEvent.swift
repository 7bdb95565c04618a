package import BankModel

/// Something that happens at the bank without a request of a client: money comes from outside, or the end of a payment.
package struct BankEvent: Sendable, Hashable {
    package var kind: Kind
    /// The key of the account, alone or as `TABLE/KEY`; for events that move new money.
    package var account: String?
    /// In major units of the account's currency, such as `1200.00`; for new money, and for a part of a refund.
    package var amount: String?
    /// The payment: the id of its movement, the key of its row, or its idempotency key. Nil for the newest that fits.
    package var payment: String?
    /// Who pays or is paid, outside of the bank.
    package var name: String?
    package var reference: String?

    /// The largest number of characters of a member.
    static let longestText = 140

    package init(_ kind: Kind) { self.kind = kind }

    package enum Kind: String, Sendable, CaseIterable, Hashable {
        /// Money comes from outside.
        case paymentIn = "payment-in"
        /// Somebody outside takes money from the account.
        case directDebit = "direct-debit"
        /// A card payment reserves money.
        case cardAuthorised = "card-authorised"
        /// A reserved card payment is booked.
        case cardCaptured = "card-captured"
        /// A reserved card payment is given up.
        case cardReversed = "card-reversed"
        /// The money of a booked card payment, or a part of it, comes back.
        case cardRefunded = "card-refunded"
        /// A pending payment settles now.
        case paymentSettles = "payment-settles"
        /// A pending payment is rejected now.
        case paymentRejected = "payment-rejected"
        /// The money of a settled payment comes back.
        case paymentReturns = "payment-returns"
    }

    /// A property of an event that a row can show.
    package enum Property: String, Sendable, CaseIterable, Hashable { case kind, name, reference }

    /// The value of a field; nil if the event has none.
    func value(_ field: ValueSource.EventField) -> JSON? {
        switch field {
        case .property(.kind): .string(kind.rawValue)
        case .property(.name): .string(name ?? kind.usualName)
        case .property(.reference): .string(reference ?? name ?? kind.usualName)
        case .byKind(let values): values[kind]
        }
    }
}

extension BankEvent.Kind {
    /// What it does with money.
    package enum Effect: Sendable, Hashable {
        /// New money moves: into the account, or out of it.
        case moves(isDebit: Bool)
        /// A pending payment ends.
        case ends(Movement.State)
        /// The money of a settled payment comes back.
        case returns
    }

    package var effect: Effect {
        switch self {
        case .paymentIn: .moves(isDebit: false)
        case .directDebit, .cardAuthorised: .moves(isDebit: true)
        case .cardCaptured, .paymentSettles: .ends(.settled)
        case .cardReversed, .paymentRejected: .ends(.rejected)
        case .cardRefunded, .paymentReturns: .returns
        }
    }

    /// Whether it is about card payments alone.
    var isOfCards: Bool { [.cardCaptured, .cardReversed, .cardRefunded].contains(self) }

    /// The time after which a reservation that nobody captures is given up.
    var lapses: Duration? { self == .cardAuthorised ? .seconds(7 * 86_400) : nil }

    /// The name of who pays or is paid, if the event has none.
    var usualName: String {
        switch self {
        case .paymentIn: "Employer"
        case .directDebit: "Utility"
        default: "Shop"
        }
    }

    /// What happens, in a sentence.
    package var help: String {
        switch self {
        case .paymentIn: "money comes from outside"
        case .directDebit: "somebody outside takes money from the account"
        case .cardAuthorised: "a card payment reserves money, for 7 days unless it is captured"
        case .cardCaptured: "a reserved card payment is booked"
        case .cardReversed: "a reserved card payment is given up"
        case .cardRefunded: "the money of a booked card payment, or a part of it, comes back"
        case .paymentSettles: "a pending payment settles now"
        case .paymentRejected: "a pending payment is rejected now, and its money returned"
        case .paymentReturns: "the money of a settled payment comes back"
        }
    }
}

extension ValueSource {
    /// A value that an event gives.
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

/// The reason why an event cannot happen.
package enum EventError: Error, CustomStringConvertible {
    /// The event needs a member that it does not have.
    case missing(String, BankEvent.Kind)
    /// The event has a member that means nothing to it.
    case needless(String, BankEvent.Kind)
    /// A member has that many characters.
    case tooLong(String, Int)
    /// The bank does not say how its lists show events.
    case unknownToBank(BankEvent.Kind, bank: String)
    case unknownAccount(String, known: [String])
    case wrongAmount(String, Currency)
    case tooLittle(Money, account: String)
    /// No payment has that id, key or row; nil if there is none at all.
    case unknownPayment(String?, BankEvent.Kind)
    /// The payment is in a state in which the event cannot happen.
    case wrongState(payment: String, found: String, expected: String)
    /// The bank does not say how a list shows the event.
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
            "found `\(kind.rawValue)`, expected a bank with `events`: \(bank) does not say how its lists show it"
        case .unknownAccount(let name, let known):
            "found the account \(name), expected " + (known.isEmpty ? "a bank with accounts that hold money" : oneOf(known))
        case .wrongAmount(let text, let currency):
            "found the amount \(text), expected one above zero with at most \(currency.digits) digits after the point, in \(currency)"
        case .tooLittle(let amount, let account): "the account \(account) has less than \(amount)"
        case .unknownPayment(let name?, let kind):
            "found the payment \(name), expected the id of a movement, the key of its row, or its idempotency key, for `\(kind.rawValue)`"
        case .unknownPayment(nil, let kind): "found no payment for `\(kind.rawValue)`"
        case .wrongState(let payment, let found, let expected): "found \(payment) \(found), expected it \(expected)"
        case .unlisted(let kind, let operation):
            "found `\(kind.rawValue)`, expected `returned` in the `lists` of `\(operation)`: the bank does not say how it shows money that returns"
        case .impossible(let reason): reason
        case .sessionFull(let limit): limit.refusal
        }
    }
}
