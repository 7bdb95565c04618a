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
