package import BankModel
import DriverProtocol
import Platform

/// An order to pay.
package struct PaymentOrder: Sendable, Hashable {
    /// The account to debit.
    package var from: String
    /// The payee: a payee, an account or a savings goal.
    package var to: String
    package var amount: Money
    /// The bank's id of the quote at whose rate it is paid; nil if it needs none.
    package var quote: String?

    package init(from: String, to: String, amount: Money, quote: String? = nil) {
        self.quote = quote
        self.from = from
        self.to = to
        self.amount = amount
    }
}

/// The bank's confirmation of a payment that it accepted.
package struct PaymentReceipt: Sendable, Hashable {
    /// The bank's id for it.
    package var id: String?
    package var state: State

    /// The payment's progress at the bank.
    package enum State: String, Sendable, CaseIterable {
        case accepted, settled
        /// A second person must authorise it before it goes on.
        case pendingAuthorisation = "pending-authorisation"
    }

    package init(id: String?, state: State) {
        self.id = id
        self.state = state
    }
}

/// A payment that was made, with its receipt.
package struct PaidOrder: Sendable, Hashable {
    package var order: PaymentOrder
    package var receipt: PaymentReceipt

    package init(order: PaymentOrder, receipt: PaymentReceipt) {
        self.order = order
        self.receipt = receipt
    }
}

/// One payment as the outbox stores it: everything that is needed to send it again, byte for byte.
package struct OutboxEntry: Sendable, Hashable {
    /// The customer, by ``Token/owner``: the payment is never sent with another customer's token, nor shown to another.
    package var owner: String
    /// The intent, chosen by the caller; double taps and retries share it.
    package var intent: String
    package var order: PaymentOrder
    /// The idempotency key: made once for the intent, changed only when a rejected payment is corrected, or an unsent one gets another body.
    package var key: String
    /// The exact bytes of the request's body.
    package var body: [UInt8]
    /// The earliest time at which the key may have reached the bank, by the device's clock; nil if no byte of any attempt was
    /// sent.
    package var sentAt: Instant?
    package var state: State

    /// The outcome so far.
    package enum State: Sendable, Hashable {
        /// Not sent, or sent without a final response.
        case open
        case done(PaymentReceipt)
        /// The bank's final rejection, with its reason.
        case rejected(String)
    }

    /// True if some attempt may have reached the bank.
    package var mayHaveLeft: Bool { sentAt != nil }

    package init(
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

/// The meaning of one response to a payment.
package enum PaymentAnswer: Sendable, Hashable {
    case done(PaymentReceipt)
    /// A final rejection, in a success status or another.
    case rejected(String)
    /// Not final: the payment is as open as before the attempt. `seen` is true if the bank may have executed it.
    case open(ClientFailure, seen: Bool)
}

/// The bank's calls for payments.
package protocol PaymentCalls: Sendable {
    /// Whether the request only asks about a payment that the bank has already: an error response then means the question, not the payment.
    func isQuestion(_ entry: OutboxEntry) -> Bool
    /// The body for an order, encoded once per key: each attempt must send the same bytes.
    func body(for order: PaymentOrder) -> [UInt8]
    /// The body for the order of an intent, for a bank where it depends on more than the order.
    func body(for order: PaymentOrder, of intent: String) -> [UInt8]
    /// The body with which a stored payment is sent again that the bank has not executed; nil for the stored body.
    func renewedBody(of unsent: OutboxEntry) -> [UInt8]?
    /// The request for a stored payment, with its key.
    func call(for entry: OutboxEntry) -> BankCall
    /// The receipt in the JSON of a success status.
    ///
    /// - Throws: ``ClientFailure`` `rejected` for a rejection inside a success, `decode` for unreadable JSON.
    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt
}

extension PaymentCalls {
    /// The default for a bank that makes the payment by the request.
    package func isQuestion(_ entry: OutboxEntry) -> Bool { false }

    /// The default for a bank whose bodies follow from the order.
    package func body(for order: PaymentOrder, of intent: String) -> [UInt8] { body(for: order) }

    /// The default for a bank whose bodies stay valid.
    package func renewedBody(of unsent: OutboxEntry) -> [UInt8]? { nil }

    /// Reads `id`, and `state` or `status`.
    package func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        let text = (json["state"] ?? json["status"])?.string ?? ""
        if text == "rejected" { throw ClientFailure(.rejected, "the bank rejected the payment", mayHaveLeft: true) }
        let state = try needed(PaymentReceipt.State(rawValue: text), "known state of a payment")
        return PaymentReceipt(id: try needed(json["id"]?.string, "id of a payment"), state: state)
    }
}

/// A rate that the bank offers for a payment, for a time.
package struct PaymentQuote: Sendable, Hashable {
    /// The bank's id, which the payment names.
    package var id: String
    /// As the bank has sent it.
    package var rate: String
    /// As the bank has sent it; nil if it sets no time.
    package var expires: String?
}

/// The ids of the quotes that the signed-in customer was shown last, by payment intent.
final class ShownQuotes: Sendable {
    private let all = Locked<[String: String]>([:])

    subscript(intent: String) -> String? {
        get { all.withLock { $0[intent] } }
        set { all.withLock { $0[intent] = newValue } }
    }

    func forget() { all.withLock { $0 = [:] } }
}

extension BankClient {
    /// Asks for the rate of a payment. The intent's payment names this quote from now on, and no other: one that the bank rejects as
    /// expired is not replaced until the user has seen another.
    ///
    /// - Parameter target: the currency that the payee gets.
    package func quote(_ intent: String, for amount: Money, in target: Currency) async throws(ClientFailure) -> PaymentQuote {
        guard let bank = parts.quotes else { throw notOffered(.quote) }
        let quote = try await bank.quote(parts.caller, for: amount, in: target)
        shownQuotes[intent] = quote.id
        return quote
    }
}
