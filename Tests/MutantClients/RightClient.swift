import BankClient
import BankModel
import DriverProtocol
import Foundation

/// Conforming clients that are built differently from the model client: no test may fail one of them.
enum RightClient: String, CaseIterable {
    /// Stores the payment order and its key, and encodes the body again for each attempt, with the keys in no order.
    case jsonEncoder = "json-encoder"
    /// Stores the attempt to sign in on the bank's page, and finishes it after a restart.
    case resuming

    static var names: String { allCases.map(\.rawValue).joined(separator: " or ") }

    func compose(_ parts: ClientParts, _ start: CaseStart) -> BankClient {
        var parts = parts
        switch self {
        // At other banks the customer authorises a payment on a page, and it has another form.
        case .jsonEncoder where ["counterfoil", "roundup"].contains(start.bank):
            parts.payments = parts.payments.map { EncodedPayments(base: $0, hasMinorUnits: start.bank == "roundup") }
        case .jsonEncoder: break
        case .resuming: parts.keepAttempt(start)
        }
        return BankClient(parts)
    }
}

/// Payments whose bodies come from Foundation's `JSONEncoder` without `.sortedKeys`, as in most apps: it orders the keys differently at each
/// call and escapes slashes, so two attempts at one order seldom have the same bytes, and always the same value.
private struct EncodedPayments: PaymentCalls {
    let base: any PaymentCalls
    let hasMinorUnits: Bool

    func body(for order: PaymentOrder) -> [UInt8] { base.body(for: order) }

    func call(for entry: OutboxEntry) -> BankCall {
        var call = base.call(for: entry)
        let body: any Encodable = hasMinorUnits ? GoalTransfer(entry.order) : Transfer(entry.order)
        // Texts and whole numbers can always be encoded.
        if let bytes = try? JSONEncoder().encode(body) { call.body = Array(bytes) }
        return call
    }

    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        try base.receipt(from: json, for: entry)
    }
}

/// A text with numbers that are amounts of the test cases, as a date may have.
private let datedNote = "2026-11-12T10:11:12Z"

/// A payment of the bank `counterfoil`.
private struct Transfer: Encodable {
    var from: String
    var to: String
    var amount: Amount
    let note = datedNote

    struct Amount: Encodable {
        var amount: String
        var currency: String
    }

    init(_ order: PaymentOrder) {
        from = order.from
        to = order.to
        amount = Amount(amount: order.amount.major, currency: order.amount.currency.code)
    }
}

/// A payment into a savings goal of the bank `roundup`.
private struct GoalTransfer: Encodable {
    var amount: Amount
    let note = datedNote

    struct Amount: Encodable {
        var currency: String
        var minorUnits: Int64
    }

    init(_ order: PaymentOrder) {
        amount = Amount(currency: order.amount.currency.code, minorUnits: order.amount.minorUnits)
    }
}
