import BankModel

extension AttachedRule {
    /// Which keys payments have.
    static let paymentRules = [
        underOneKey(
            "pay.retry-same-bytes",
            why:
                "Asking again for the same wish must use the same key and the very same bytes (draft-ietf-httpapi-idempotency-key-header §2.7).",
            trigger: "a payment was sent again under its key before it had a final answer", after: { !$0.succeeded && !$0.isFinalRefusal },
            alsoMetBy: { same, _ in same }),
        underOneKey(
            "pay.new-intent-new-key",
            why: "Two wishes are two payments, so each needs a key of its own (draft-ietf-httpapi-idempotency-key-header §2.2).",
            trigger: "a payment was made, and then another with other bytes", after: { $0.succeeded },
            alsoMetBy: { same, sameKey in !same && !sameKey }),
        underOneKey(
            "pay.corrected-payment-new-key",
            why: "A payment that was refused and is then corrected is another request, so it needs another key (Stripe's rule).",
            trigger: "a payment was refused for good, and then another sent with other bytes", after: { $0.isFinalRefusal },
            alsoMetBy: { same, sameKey in !same && !sameKey }),
        keptKey(
            "pay.server-error-same-key",
            why: "A 5xx may come after the money has moved, so whoever sends the payment again does so under the same key.",
            trigger: "a payment failed with 5xx and was sent again", after: { $0.isDelivered && $0.isStatus(5) }),
        keptKey(
            "pay.transport-resend-harmless",
            why: "A payment whose reply is lost may have moved money; sent again it must have the same key (RFC 9110 §9.2.2).",
            trigger: "a payment's reply was lost and it was sent again", after: { !$0.isDelivered }),
        keptKey(
            "pay.in-flight-conflict-waits-with-same-key",
            why: "A 409 that says the key is in flight is no refusal; the client asks again under the same key (the draft, §2.6).",
            trigger: "a key was in flight and the payment was sent again", after: { $0.said(.keyInFlight) }),
    ]

    /// The next payment under a key must have the bytes of the one before.
    ///
    /// - Parameters:
    ///   - after: which earlier exchanges of the key it is about, by how they ended.
    ///   - alsoMetBy: whether a later payment is an innocent case, from whether bytes and key are the same.
    private static func underOneKey(
        _ id: String, why: String, trigger: String, after isMeant: @escaping @Sendable (JournalEntry) -> Bool,
        alsoMetBy isInnocent: @escaping @Sendable (_ sameBytes: Bool, _ sameKey: Bool) -> Bool
    ) -> AttachedRule {
        AttachedRule(id, why: why, trigger: trigger) { scene in
            var finding = AttachedFinding()
            let payments = scene.payments
            for (index, later) in payments.enumerated() {
                let key = later.key
                // By its own key if there is an earlier payment under it, else by the payment before.
                let earlier = payments[..<index]
                guard let before = earlier.last(where: { $0.key == key }) ?? earlier.last, isMeant(before) else { continue }
                let (same, sameKey) = (before.payload == later.payload, before.key == key)
                if sameKey, !same {
                    finding.meet(
                        AttachedViolation(
                            expected: "the key \(clipped(key ?? "", to: 40)) of \(before.named) stands for its bytes alone",
                            seen: "\(later.named) has the key and \(before.difference(from: later))", exchanges: [before.seq, later.seq]))
                } else if isInnocent(same, sameKey) {
                    finding.meet()
                }
            }
            return finding
        }
    }

    /// The longest time, in nanoseconds, after which a payment of the same bytes is taken for the same wish: a person who pays
    /// the same again after that may mean a second payment.
    private static let sameWish: Int64 = 5_000_000_000

    /// A payment whose outcome is open is sent again under its own key.
    private static func keptKey(
        _ id: String, why: String, trigger: String, after isMeant: @escaping @Sendable (JournalEntry) -> Bool
    ) -> AttachedRule {
        AttachedRule(id, why: why, trigger: trigger) { scene in
            var finding = AttachedFinding()
            for payment in scene.payments where isMeant(payment) {
                guard let ended = payment.endNanoseconds else { continue }
                let later = scene.payments.filter { $0.monoNanoseconds > ended }
                if later.contains(where: { $0.key == payment.key }) {
                    finding.meet()
                } else if let other = later.first(where: {
                    $0.monoNanoseconds <= ended + sameWish && $0.bodySHA256 == payment.bodySHA256 && $0.operation == payment.operation
                }), !scene.payments.contains(where: { $0.key == other.key && $0.monoNanoseconds < ended }) {
                    finding.meet(
                        AttachedViolation(
                            expected:
                                "\(payment.named), whose outcome is open, is sent again under its key \(clipped(payment.key ?? "", to: 40))",
                            seen: "\(other.named) has the same bytes and the new key \(clipped(other.key ?? "none", to: 40))",
                            exchanges: [payment.seq, other.seq]))
                }
            }
            return finding
        }
    }
}

extension AttachedScene {
    /// The payments that have a key.
    var payments: [JournalEntry] { requests.filter { $0.has(.pay) && $0.key != nil } }
}

extension JournalEntry {
    /// What must not change from attempt to attempt.
    fileprivate var payload: [String] { [method ?? "", path, query ?? "", bodySHA256] }

    fileprivate func difference(from other: JournalEntry) -> String {
        bodySHA256 != other.bodySHA256 ? "another body (\(other.bodyBytes) bytes, not the same \(bodyBytes))" : "another address"
    }
}
