import BankModel
import DriverProtocol

extension ClientRule {
    /// Which keys payments have: a key stands for one payment order, and for one only.
    static let keyRules = [
        underOneKey(
            "pay.retry-same-bytes",
            why:
                "A retry must use the same key and the same body (draft-ietf-httpapi-idempotency-key-header §2.7).",
            trigger: "a payment was retried under its key before it had a final response", shows: "same-wish-same-body",
            after: { !$0.succeeded && !$0.isFinalRejection },
            alsoMetBy: { same, sameKey in same && sameKey }),
        underOneKey(
            "pay.new-intent-new-key", why: "Each payment needs its own key (draft-ietf-httpapi-idempotency-key-header §2.2).",
            trigger: "a payment succeeded, followed by one with another body", shows: "other-wish-other-key", after: { $0.succeeded },
            alsoMetBy: { same, sameKey in !same && !sameKey }),
        underOneKey(
            "pay.corrected-payment-new-key", why: "A corrected payment is a new request, so it needs a new key (Stripe's rule).",
            trigger: "a payment was permanently rejected, followed by one with another body", shows: "other-wish-other-key",
            after: { $0.isFinalRejection },
            alsoMetBy: { same, sameKey in !same && !sameKey }),
        keptKey(
            "pay.server-error-same-key",
            why: "The bank may have executed a payment before it sent a 5xx, so a retry must use the same key.",
            trigger: "a payment failed with 5xx and was retried", after: { $0.isDelivered && $0.isStatus(5) }),
        keptKey(
            "pay.transport-resend-harmless",
            why: "The bank may have executed a payment whose response is lost, so a retry must use the same key (RFC 9110 §9.2.2).",
            trigger: "a payment's response was lost and the payment was retried", after: { !$0.isDelivered }),
        keptKey(
            "pay.in-flight-conflict-waits-with-same-key",
            why: "A 409 for a key in flight is not a rejection; the client retries under the same key (the draft, §2.6).",
            trigger: "a key was in flight and the payment was retried", after: { $0.wasAnswered(.keyInFlight) }),
        ClientRule("invariant.same-wish-same-body", .money, survivesDroppedEntries: true) { $0.sameKeySameBody(&$1) },
        ClientRule("invariant.other-wish-other-key", .money, needs: .steps) { $0.otherOrderOtherKey(&$1) },
    ]

    /// The next payment under a key must have the same content as the one before: JSON by value, because a client's encoder may order keys
    /// differently each time, and all else byte for byte.
    ///
    /// - Parameters:
    ///   - after: which earlier exchanges of the key it is about, by how they ended.
    ///   - alsoMetBy: whether a later payment is an innocent case, from whether its content and its key are the same.
    private static func underOneKey(
        _ id: String, why: String, trigger: String, shows: String, after isMeant: @escaping @Sendable (JournalEntry) -> Bool,
        alsoMetBy isInnocent: @escaping @Sendable (_ same: Bool, _ sameKey: Bool) -> Bool
    ) -> ClientRule {
        ClientRule(id, why: why, trigger: trigger, restsOn: [.payment, .content, .sent], shows: shows) { scene, result in
            // The last payment under each key. A key is its customer's, and each operation has its own keys; a request whose
            // token was rejected has no customer.
            var known: [String: JournalEntry] = [:]
            var last: JournalEntry?
            for later in scene.payments {
                let scope = "\(later.operation ?? "") \(later.key ?? "")"
                defer {
                    known[scope] = later
                    last = later
                }
                let before = known[scope].flatMap { $0.isOfAnotherPerson(than: later) ? nil : $0 }
                guard let before = before ?? last, isMeant(before) else { continue }
                let sameKey = before.hasKey(of: later)
                let sameContent = before.hasContent(of: later)
                if sameKey, sameContent != true {
                    let unknown: InconclusiveReason = before.isBodyBlanked || later.isBodyBlanked ? .blanked : .unread
                    let doubt: InconclusiveReason? = sameContent == nil ? unknown : before.mayHaveKeyOfAnother(later) ? .device : nil
                    result.add(before.isShared(with: later), unless: doubt)
                } else if isInnocent(sameContent != false, sameKey) {
                    result.add()
                }
            }
        }
    }

    /// A payment whose outcome is open is sent again under its own key.
    ///
    /// A second payment with the same content under a new key may be a second order. It is taken for the same order only if it
    /// follows so soon that no user can have looked at the outcome, and only if the client's payments do not follow each
    /// other so soon anyway, as those of a script or of a list of standing orders do.
    private static func keptKey(
        _ id: String, why: String, trigger: String, after isMeant: @escaping @Sendable (JournalEntry) -> Bool
    ) -> ClientRule {
        ClientRule(id, why: why, trigger: trigger, restsOn: [.payment, .sent]) { scene, result in
            let makesTwins = scene.makesTwins
            var known: Set<String> = []
            for position in scene.index.payments {
                let payment = scene.requests[position]
                let key = payment.key ?? ""
                known.insert(key)
                guard isMeant(payment), let ended = payment.endNanoseconds else { continue }
                let later = scene.requests(scene.index.byKey[key] ?? [], after: ended)
                if later.contains(where: { $0.has(.pay) && $0.hasKey(of: payment) }) {
                    result.add()
                } else if let twin = scene.twin(ofPaymentAt: position), !known.contains(twin.key ?? "") {
                    let renamed = Finding.retriedUnderNewKey(payment, twin)
                    result.add(renamed, unless: scene.doubt(aboutRenamed: twin, after: payment, makesTwins: makesTwins))
                }
            }
        }
    }
}

extension Scene {
    /// All attempts under one key ask for the same: path and body, JSON by value. Of bodies that the journal does not store
    /// nothing is known.
    fileprivate func sameKeySameBody(_ result: inout RuleResult) {
        for (_, attempts) in byKey {
            guard let first = attempts.first else { continue }
            let contents = attempts.map { first.hasContent(of: $0) }
            if let index = contents.firstIndex(of: false) {
                result.add(first.isShared(with: attempts[index]))
            } else if !contents.contains(nil) {
                result.add()
            }
        }
    }

    /// No order is carried out under a key that was another's, and no key is sent by two customers.
    fileprivate func otherOrderOtherKey(_ result: inout RuleResult) {
        for (key, attempts) in byKey {
            let customers = distinct(attempts.compactMap(\.customer))
            let second = attempts.first { $0.customer != nil && $0.customer != customers.first }
            result.add(customers.count < 2 ? nil : .keyOfTwoCustomers(customers, key: key, second))
        }
        for step in steps {
            guard let intent = step.action.intent, step.action.operation == .pay, case .ok = outcome(of: step.n),
                group(of: step.n).count == 1
            else { continue }
            // A client may finish an open payment before a new one: the new one still has a different key.
            let payments = exchanges(during: step.n).filter { $0.has(.pay) && $0.key != nil && !isLateAttempt($0, during: intent) }
            let keys = distinct(payments.compactMap(\.key))
            let owners = keys.compactMap(self.intent(ofKey:))
            guard let key = keys.first, let owner = owners.first, !keys.contains(where: { candidates(ofKey: $0).contains(intent) }) else {
                continue
            }
            result.add(.keyOfAnotherIntent(intent, key: key, owner: owner, payments.first))
        }
    }

    /// Whether a payment repeats one of another order while this order is asked for, as a client with an outbox does in the background: it
    /// is the same as what the other order's key was first sent with, and this order has a key of its own, or another amount.
    func isLateAttempt(_ payment: JournalEntry, during intent: String) -> Bool {
        guard let key = payment.key, let owner = self.intent(ofKey: key), owner != intent,
            let position = index.byKey[key]?.first(where: { requests[$0].has(.pay) && requests[$0].hasKey(of: payment) }),
            case let first = requests[position],
            first.monoNanoseconds < payment.monoNanoseconds, first.hasContent(of: payment) == true
        else { return false }
        let hasOwnKey = index.payments.contains { requests[$0].key.map { self.intent(ofKey: $0) == intent } ?? false }
        return hasOwnKey || (hasAmount(of: owner, payment) && !hasAmount(of: intent, payment))
    }

    private func hasAmount(of intent: String, _ payment: JournalEntry) -> Bool {
        let amounts = RequestAmounts(payment)
        return steps.contains { $0.action.intent == intent && amounts.named($0.action.argument("amount")) }
    }

    /// The payments with a key, by key.
    private var byKey: [(key: String, value: [JournalEntry])] {
        Dictionary(grouping: payments) { $0.key ?? "" }.sorted { $0.key < $1.key }
    }

    /// Whether the client pays the same twice at a program's speed though the first payment succeeded.
    var makesTwins: Bool { index.payments.contains { requests[$0].succeeded && twin(ofPaymentAt: $0) != nil } }

    /// Why a payment may be another order than an earlier one with the same content and another key; nil if nothing suggests that.
    ///
    /// - Parameter makesTwins: the value of ``makesTwins``, which takes long to find.
    func doubt(aboutRenamed payment: JournalEntry, after earlier: JournalEntry, makesTwins: Bool) -> InconclusiveReason? {
        // No sign-in shows whose they are.
        if payment.customer == nil || earlier.customer == nil, mayBeOfAnotherAccount(payment, than: earlier) { return .device }
        if let cause = doubt(aboutOrderOf: payment, after: earlier) { return cause }
        if makesTwins { return .twins }
        // Whether the key is new, and whether the client pays twice anyway, only a whole journal shows.
        return evidence.dropped > 0 ? .dropped : nil
    }

    /// Why two equal orders may have been on their way at once, of which the bank has read the second after its response to the first; nil if the
    /// second cannot have been sent so early. Who gives up waiting knows that before the bank does.
    private func doubt(aboutOrderOf payment: JournalEntry, after earlier: JournalEntry) -> InconclusiveReason? {
        guard earlier.receipt.end != .clientGone, let ended = earlier.endNanoseconds,
            case .open(let cause) = order(of: payment, after: earlier)
        else { return nil }
        switch cause {
        case .crowd, .delayed, .resent: return cause
        // A client whose connection has ended tries again on another one, so a longer time leaves no doubt.
        case .soon, .proxy: return payment.monoNanoseconds <= ended + Timing.streamGrace ? cause : nil
        default: return nil
        }
    }

    /// The payment with the same content and another key that follows at a program's speed.
    fileprivate func twin(ofPaymentAt position: Int) -> JournalEntry? {
        let payment = requests[position]
        guard let ended = payment.endNanoseconds else { return nil }
        let alike = requests(index.alike(payment), after: ended)
        return alike.prefix { $0.monoNanoseconds <= ended + Scene.Timing.quick }.first {
            $0.key != payment.key && !$0.isOfAnotherPerson(than: payment) && $0.hasBody(of: payment) == true
                && $0.orderAddress == payment.orderAddress
        }
    }
}

extension JournalEntry {
    /// Whether both have one address and method, which must not change from attempt to attempt.
    private func hasAddress(of other: JournalEntry) -> Bool { method == other.method && orderAddress == other.orderAddress }

    /// Whether both ask for the same; nil if the journal stores too little of their bodies to decide.
    fileprivate func hasContent(of other: JournalEntry) -> Bool? { hasAddress(of: other) ? hasBody(of: other) : false }

    /// The address that two attempts of one order share beside their bodies, whatever their keys: a key may stand in the path.
    var orderAddress: [String] {
        // The case of a UUID's digits has no meaning (RFC 9562 §4): the journal may have it in another than the address.
        func without(_ text: String) -> String {
            guard let key, !key.isEmpty else { return text }
            let plain = text.replacing(key, with: "")
            return isUUID(key) ? plain.replacing(key.uppercased(), with: "") : plain
        }
        return [operation ?? "", without(path), without(query ?? "")]
    }

    /// Whether both have one key, in the scope in which keys count.
    fileprivate func hasKey(of other: JournalEntry) -> Bool {
        key == other.key && operation == other.operation && !isOfAnotherPerson(than: other)
    }

    /// Whether the other may be another customer's with the same key, which is such as the number of an invoice: nothing shows whose they are, and
    /// they have two tokens.
    fileprivate func mayHaveKeyOfAnother(_ other: JournalEntry) -> Bool {
        (customer == nil || other.customer == nil) && token != other.token && !isUUID(key ?? "")
    }

    /// The violation that its key stands for another payment too.
    fileprivate func isShared(with later: JournalEntry) -> Finding {
        .contentChanged(self, later, key: later.key ?? "", difference(from: later))
    }

    private func difference(from other: JournalEntry) -> String {
        hasAddress(of: other) ? "another body (\(other.bodyBytes) bytes instead of \(bodyBytes))" : "another address"
    }
}

extension Finding {
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
            "the client sent payment order \(intent) under \(clipped(key, to: 40)), the key of payment order \(owner)",
            "every payment order has its own key", in: [exchange])
    }

    static func retriedUnderNewKey(_ payment: JournalEntry, _ twin: JournalEntry) -> Finding {
        Finding(
            "\(twin.named) sent the payment of \(payment.named), whose outcome is unknown, under the new key \(clipped(twin.key ?? "none", to: 40))",
            "a payment is retried under its own key, here \(clipped(payment.key ?? "", to: 40))", in: [payment, twin], mistake: .newKey)
    }
}
