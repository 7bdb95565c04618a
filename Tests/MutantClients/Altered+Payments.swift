import BankClient
import BankModel

/// The calls of a bank that pays, what goes out passed through a change.
struct AlteredCalls: PaymentCalls {
    let base: any PaymentCalls
    /// The order as it is written; the client's record of what it sent stays as it was.
    var written: @Sendable (PaymentOrder) -> PaymentOrder = { $0 }
    /// Changes an entry before each attempt.
    var sent: @Sendable (inout OutboxEntry) -> Void = { _ in }

    func body(for order: PaymentOrder) -> [UInt8] { base.body(for: written(order)) }

    func call(for entry: OutboxEntry) -> BankCall {
        var entry = entry
        entry.order = written(entry.order)
        sent(&entry)
        return base.call(for: entry)
    }

    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        try base.receipt(from: json, for: entry)
    }
}

/// A sender that does something else for a payment order.
struct OtherSender: PaymentSending {
    typealias WorkingOut = @Sendable () async throws(ClientFailure) -> PaymentOrder
    typealias Paying = @Sendable (String, PaymentOrder, any PaymentSending) async throws(ClientFailure) -> PaymentReceipt
    typealias RoundingUp = @Sendable (String, @escaping WorkingOut, any PaymentSending) async throws(ClientFailure) -> PaidOrder

    let base: any PaymentSending
    var paying: Paying = { intent, order, base throws(ClientFailure) in try await base.pay(intent, order) }
    var roundingUp: RoundingUp = { intent, order, base throws(ClientFailure) in try await base.pay(intent, workedOut: order) }

    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        try await paying(intent, order, base)
    }

    func pay(_ intent: String, workedOut order: @escaping WorkingOut) async throws(ClientFailure) -> PaidOrder {
        try await roundingUp(intent, order, base)
    }

    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt { try await base.resume(intent) }
}

extension ClientParts {
    /// Writes each order in another way.
    mutating func writes(_ change: @escaping @Sendable (PaymentOrder) -> PaymentOrder) {
        payments = payments.map { AlteredCalls(base: $0, written: change) }
    }

    /// Looks each payment over before each sending.
    mutating func sends(_ change: @escaping @Sendable (inout OutboxEntry) -> Void) {
        payments = payments.map { AlteredCalls(base: $0, sent: change) }
    }

    /// The client whose sender is another.
    func client(sending change: (any PaymentSending) -> any PaymentSending) -> BankClient {
        BankClient(self, sender: paymentSender().map(change))
    }

    /// The client that shows each round-up as it is worked out, and moves another order.
    func client(moving change: @escaping @Sendable (PaymentOrder) -> PaymentOrder) -> BankClient {
        client { base in
            OtherSender(
                base: base,
                roundingUp: { intent, workOut, base throws(ClientFailure) in
                    let shown = try await workOut()
                    let paid = try await base.pay(intent, workedOut: { () throws(ClientFailure) in change(shown) })
                    return PaidOrder(order: shown, receipt: paid.receipt)
                })
        }
    }
}

extension HTTPRequest {
    /// True for what moves money at the banks that pay.
    var isPayment: Bool { url.hasSuffix("/v1/payments") || url.contains("/add-money/") }
}
