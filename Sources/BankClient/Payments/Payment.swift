public import BankModel

/// What a person wants paid.
public struct PaymentOrder: Sendable, Hashable {
    /// The account that pays.
    public var from: String
    /// Who gets it: a payee, an account or a savings goal.
    public var to: String
    public var amount: Money

    public init(from: String, to: String, amount: Money) {
        self.from = from
        self.to = to
        self.amount = amount
    }
}

/// What the bank says of a payment it took on.
public struct PaymentReceipt: Sendable, Hashable {
    /// The bank's name for it.
    public var id: String?
    public var state: State

    /// How far it has come.
    public enum State: String, Sendable, CaseIterable {
        case accepted, settled
    }

    public init(id: String?, state: State) {
        self.id = id
        self.state = state
    }
}

/// A wish that was fulfilled, and how.
public struct PaidOrder: Sendable, Hashable {
    public var order: PaymentOrder
    public var receipt: PaymentReceipt

    public init(order: PaymentOrder, receipt: PaymentReceipt) {
        self.order = order
        self.receipt = receipt
    }
}

/// One wish as the outbox keeps it: everything that is needed to send it again, byte for byte.
public struct OutboxEntry: Sendable, Hashable {
    /// Whose wish it is, by ``Token/owner``: it is sent with nobody else's token, and nobody else is told of it. Empty
    /// where an older version kept it without.
    public var owner: String
    /// The wish's name, given by whoever asks; double taps and retries share it.
    public var intent: String
    public var order: PaymentOrder
    /// The idempotency key: made once for the wish, changed only when a refused wish is corrected.
    public var key: String
    /// The exact bytes of the request's body.
    public var body: [UInt8]
    /// When the key may first have reached the bank, by the device's clock; nil: no byte of any attempt has left.
    public var sentAt: Instant?
    public var state: State

    /// How it ended, if it has.
    public enum State: Sendable, Hashable {
        /// Not sent, or sent without a final answer.
        case open
        case done(PaymentReceipt)
        /// The bank said a final no, and why.
        case refused(String)
    }

    /// True if some attempt may have reached the bank.
    public var mayHaveLeft: Bool { sentAt != nil }

    public init(
        owner: String, intent: String, order: PaymentOrder, key: String, body: [UInt8], sentAt: Instant? = nil, state: State = .open
    ) {
        self.owner = owner
        self.intent = intent
        self.order = order
        self.key = key
        self.body = body
        self.sentAt = sentAt
        self.state = state
    }
}

/// What one answer to a payment means.
public enum PaymentAnswer: Sendable, Hashable {
    case done(PaymentReceipt)
    /// A final no, in a success status or another.
    case refused(String)
    /// Not final: the payment is as open as before the attempt. `seen` is true if the bank may have carried it out.
    case open(ClientFailure, seen: Bool)
}

/// How a bank is asked to pay.
public protocol PaymentCalls: Sendable {
    /// The body for an order: the same bytes must be sent on each attempt, so this is asked once per key.
    func body(for order: PaymentOrder) -> [UInt8]
    /// The request for a stored wish, its key in its place.
    func call(for entry: OutboxEntry) -> BankCall
    /// What the JSON of a success status says.
    ///
    /// - Throws: ``ClientFailure`` `rejected` for a "no" inside a success, `decode` for what makes no sense.
    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt
}
