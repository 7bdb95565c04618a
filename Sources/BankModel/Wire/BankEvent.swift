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
    /// Why a payment is rejected or returned, such as the code `AC04` of ISO 20022.
    package var reason: String?
    /// The key of the consent; nil for the newest that is authorised.
    package var consent: String?

    /// The largest number of characters of a member.
    package static let longestText = 140

    package init(_ kind: Kind) { self.kind = kind }

    /// What happens, which ``about`` describes.
    package enum Kind: String, Sendable, CaseIterable, Hashable {
        case paymentIn = "payment-in"
        case directDebit = "direct-debit"
        case cardAuthorised = "card-authorised"
        case cardIncremented = "card-incremented"
        case cardCaptured = "card-captured"
        case cardReversed = "card-reversed"
        case cardRefunded = "card-refunded"
        case paymentAuthorised = "payment-authorised"
        case paymentSettles = "payment-settles"
        case paymentRejected = "payment-rejected"
        case paymentCancelled = "payment-cancelled"
        case paymentReturns = "payment-returns"
        case accountClosed = "account-closed"
        case consentRevoked = "consent-revoked"
    }

    /// A property of an event that a row can show.
    package enum Property: String, Sendable, CaseIterable, Hashable { case kind, name, reference, reason }
}

extension BankEvent.Kind {
    /// What it does with money.
    package enum Effect: Sendable, Hashable {
        /// New money moves: into the account, or out of it.
        case moves(isDebit: Bool)
        /// A pending payment ends.
        case ends(Movement.State)
        /// A payment that waits for a second person's authorisation goes on.
        case authorises
        /// The money of a settled payment comes back.
        case returns
        /// A reservation is replaced by a larger one.
        case grows
        /// No money moves: an account is closed.
        case closes
        /// No money moves: a consent ends.
        case revokes
    }

    package var effect: Effect {
        switch self {
        case .paymentIn: .moves(isDebit: false)
        case .directDebit, .cardAuthorised: .moves(isDebit: true)
        case .cardIncremented: .grows
        case .accountClosed: .closes
        case .paymentAuthorised: .authorises
        case .cardCaptured, .paymentSettles: .ends(.settled)
        case .cardReversed, .paymentRejected: .ends(.rejected)
        case .paymentCancelled: .ends(.cancelled)
        case .cardRefunded, .paymentReturns: .returns
        case .consentRevoked: .revokes
        }
    }

    /// Whether it is about card payments alone.
    package var isOfCards: Bool { [.cardIncremented, .cardCaptured, .cardReversed, .cardRefunded].contains(self) }

    /// The time after which a reservation that nobody captures is given up.
    package var lapses: Duration? { self == .cardAuthorised ? .seconds(7 * 86_400) : nil }

    /// The name of who pays or is paid, if the event has none.
    package var usualName: String {
        switch self {
        case .paymentIn: "Employer"
        case .directDebit: "Utility"
        default: "Shop"
        }
    }

    /// What happens, in a sentence.
    package var about: String {
        switch self {
        case .paymentIn: "new money arrives on the account"
        case .directDebit: "a direct debit takes money from the account"
        case .cardAuthorised: "a card payment reserves money, for 7 days unless it is captured"
        case .cardIncremented: "a reserved card payment grows by the amount"
        case .cardCaptured: "a reserved card payment is booked, in full or in part"
        case .cardReversed: "the reservation of a card payment is released"
        case .cardRefunded: "a booked card payment is refunded, in full or in part"
        case .paymentAuthorised: "a second person authorises a payment that waits for it"
        case .paymentSettles: "a pending payment settles now"
        case .paymentRejected: "a pending payment is rejected now, and its money is returned"
        case .paymentCancelled: "the customer cancels a pending payment elsewhere, and its money is returned"
        case .paymentReturns: "the money of a settled payment is returned"
        case .accountClosed: "the bank closes an account, and rejects payments from and to it from then on"
        case .consentRevoked: "the customer revokes a consent elsewhere, and the tokens that carry it are rejected"
        }
    }
}

/// An event as a mapping: in bodies of the admin API, and in `life` of a bank.
extension BankEvent {
    package static let fields: [any AnyField] = [event] + texts.map { $0.field as any AnyField }

    private static let event = Field(required: "event", .choice(of: Kind.self), "the event")

    /// The members that are texts, all of them optional: each with its field.
    package static let texts: [(field: Field<String>, path: any Sendable & WritableKeyPath<BankEvent, String?>)] = [
        (
            Field("account", .text("an account's key, or `TABLE/KEY`"), "the account that new money is for, or that is closed"),
            \BankEvent.account
        ),
        (
            Field(
                "amount", .text("an amount such as `12.30`"),
                "the amount, in major units of the account's currency: the part to refund or to capture, or the addition of an increment"),
            \BankEvent.amount
        ),
        (
            Field(
                "payment", .text("a movement's id, the key of its row, or an idempotency key"),
                "the payment; by default the newest to which the event can happen"), \BankEvent.payment
        ),
        (Field("name", .text("a name"), "the name of the party outside the bank that pays or is paid"), \BankEvent.name),
        (Field("reference", .text("a text"), "the reference of new money"), \BankEvent.reference),
        (Field("reason", .text("a text"), "why a payment is rejected or returned, such as `AC04`"), \BankEvent.reason),
        (Field("consent", .text("a consent's key"), "the consent; by default the newest that is authorised"), \BankEvent.consent),
    ]

    package static let schema = ObjectSchema(
        "an event", named: "bank-event", "An event at the bank without a request of a client.",
        fields: fields,
        example: "{\"event\": \"payment-in\", \"account\": \"ava-gbp\", \"amount\": \"1200.00\"}")

    /// Reads an event; nil, and a complaint, if its kind is missing or unknown.
    package init?(_ fields: Fields) {
        let kind = fields[BankEvent.event]
        let values = BankEvent.texts.map { fields[$0.field] }
        guard let kind else { return nil }
        self.init(kind)
        for (text, value) in zip(BankEvent.texts, values) { self[keyPath: text.path] = value }
    }

    package var members: JSONObject {
        var object = JSONObject([("event", .string(kind.rawValue))])
        for text in BankEvent.texts { object.set(text.field, self[keyPath: text.path]) }
        return object
    }
}
