import BankModel

/// Payments, and the keys under which they are sent.
extension Finding {
    /// - Parameters:
    ///   - allowed: `exactly 1 payment`.
    ///   - list: the payments, each with its key.
    static func payments(_ count: Int, for intent: String, _ list: String, allowed: String, mistake: Mistake?) -> Finding {
        let seen: Phrase =
            count == 0
            ? "the bank executed no payment for intent \(intent)"
            : "the bank executed \(fixed: count == 1 ? "a payment" : "payments") for intent \(intent): \(list)"
        return Finding(seen, "the case allows \(allowed) for it", mistake: mistake)
    }

    static func paymentsForNoIntent(_ list: String) -> Finding {
        Finding("the bank executed payments that the case did not ask for: \(list)", "money moves only when the user asks for it")
    }

    static func paymentForNoIntent(_ amount: Money, to payee: String, in exchange: JournalEntry?) -> Finding {
        let place: Phrase = exchange.map { "\($0.named)" } ?? "the client"
        return Finding(
            "\(place) moved \(amount) to \(payee) for no payment order of the case", "money moves only when the user asks for it",
            in: [exchange])
    }

    static func paidSeveralTimes(_ times: Int, for intent: String, keys: [String], in exchange: JournalEntry?) -> Finding {
        let how: Phrase = keys.count > 1 ? ", under \(keys.count) keys" : ""
        return Finding(
            "the client paid intent \(intent) \(times) times\(how)", "a payment order moves money once", in: [exchange],
            mistake: keys.count > 1 ? .newKey : .paidTwice)
    }

    static func otherPayment(_ exchange: JournalEntry, moved: String, wanted: String, isAmount: Bool) -> Finding {
        Finding(
            "\(exchange.named) moved \(moved)", "the user asked for \(wanted)", in: [exchange], mistake: isAmount ? .amount : nil)
    }

    static func successWithoutPayment(_ step: Phrase, intent: String) -> Finding {
        Finding("\(step) reported success, and the bank executed no payment for intent \(intent)", "a payment succeeds only if money moved")
    }

    static func failureWithPayment(_ step: Phrase, error: String, _ amount: Money, in exchange: JournalEntry?) -> Finding {
        Finding(
            "\(step) reported `\(fixed: error)`, and \(amount) moved\(exchange.map { " in \($0.named)" } ?? "")",
            "a client reports `\(fixed: error)` only if no money moved", in: [exchange])
    }

    static func needlessDoubt(_ step: Phrase, _ answered: JournalEntry) -> Finding {
        Finding(
            "\(step) reported `outcome_unknown`, although \(answered.named) was answered \(answered.status ?? 0)",
            "a payment is unknown only if the bank sent no final response", in: [answered])
    }

    // MARK: keys

    /// - Parameter values: each with the first exchange that had it.
    static func fieldsDiffer(_ field: ExchangeField, _ values: [(value: String, exchange: JournalEntry)], intent: String) -> Finding {
        let list = values.map { "\(clipped($0.value, to: 40)) in exchange \($0.exchange.seq)" }.joined(separator: ", ")
        return Finding(
            "the client sent intent \(intent) with \(values.count) different \(fixed: field.plural): \(list)",
            "every attempt of a payment order has the same \(fixed: field.rawValue)",
            in: values.prefix(2).map(\.exchange), mistake: field == .key ? .newKey : nil)
    }

    static func fieldMissing(_ field: ExchangeField, _ exchange: JournalEntry) -> Finding {
        Finding(
            "\(exchange.named) had no \(fixed: field.rawValue)", "every payment order has its own \(fixed: field.rawValue)",
            in: [exchange])
    }

    static func fieldShared(_ field: ExchangeField, _ value: String, by intents: [String], at exchange: JournalEntry?) -> Finding {
        Finding(
            "the client sent the intents \(intents.joined(separator: " and ")) with the same \(fixed: field.rawValue), \(clipped(value, to: 60))",
            "every payment order has its own \(fixed: field.rawValue)", in: [exchange])
    }

    static func keyMissing(_ exchange: JournalEntry, rule: Phrase) -> Finding {
        Finding("\(exchange.named) had no idempotency key", "the bank demands \(rule)", in: [exchange])
    }

    static func keyMalformed(_ exchange: JournalEntry, _ key: String, rule: Phrase) -> Finding {
        Finding("\(exchange.named) had the key \"\(clipped(key, to: 80))\"", "the bank demands \(rule)", in: [exchange])
    }

    /// - Parameter difference: `another address`.
    static func contentChanged(_ first: JournalEntry, _ other: JournalEntry, key: String, _ difference: String) -> Finding {
        Finding(
            "\(other.named) sent \(difference) under the key \(clipped(key, to: 40)) of \(first.named)",
            "every request under one key has the same content", in: [first, other])
    }

    static func keyOfTwoCustomers(_ customers: [String], key: String, _ exchange: JournalEntry?) -> Finding {
        Finding(
            "the customers \(customers.joined(separator: " and ")) sent the same key, \(clipped(key, to: 40))",
            "a key belongs to one customer",
            in: [exchange])
    }

    static func keyOfAnotherIntent(_ intent: String, key: String, owner: String, _ exchange: JournalEntry?) -> Finding {
        Finding(
            "the client sent intent \(intent) under \(clipped(key, to: 40)), the key of intent \(owner)",
            "every payment order has its own key", in: [exchange])
    }

    static func retriedUnderNewKey(_ payment: JournalEntry, _ twin: JournalEntry) -> Finding {
        Finding(
            "\(twin.named) sent the payment of \(payment.named), whose outcome is unknown, under the new key \(clipped(twin.key ?? "none", to: 40))",
            "a payment is retried under its own key, here \(clipped(payment.key ?? "", to: 40))", in: [payment, twin], mistake: .newKey)
    }

    static func rejectedPaymentAgain(_ refusal: JournalEntry, _ again: JournalEntry) -> Finding {
        let isSameKey = again.key == refusal.key
        return Finding(
            "\(again.named) sent the payment that \(refusal.named) rejected with \(refusal.status ?? 0), under \(fixed: isSameKey ? "the same key" : "a new key")",
            "a payment that the bank rejected for good is not sent again", in: [refusal, again])
    }
}

extension ExchangeField {
    fileprivate var plural: String {
        switch self {
        case .body: "bodies"
        case .bodySHA256: "values of body_sha256"
        case .key, .path, .token: "\(rawValue)s"
        }
    }
}
