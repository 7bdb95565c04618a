import BankModel

extension AttachedRule {
    /// Nothing goes on without end.
    static let boundRules = [
        bound(
            "retry.bounded", most: 20, of: "failed",
            why: "A bank that keeps failing is left alone after a few tries; tries without end keep it down.",
            trigger: "a request other than a payment failed", counts: { !$0.has(.pay) && $0.isFailure }),
        AttachedRule(
            "retry.payment-bounded",
            why: "A payment that gets no final answer is given up after a few tries and told as unknown.",
            trigger: "a payment got no final answer"
        ) { scene in
            var finding = AttachedFinding()
            for key in distinct(scene.payments.filter(\.isFailure).compactMap(\.key)) {
                let tries = scene.payments.filter { $0.key == key && $0.isFailure }
                finding.meet(
                    tries.count > 10
                        ? AttachedViolation(
                            expected: "a payment without a final answer is given up after a few tries, at most 10",
                            seen: "\(tries.count) under the key \(clipped(key, to: 40))", exchanges: tries.map(\.seq))
                        : nil)
            }
            return finding
        },
        bound(
            "wire.redirect-loop-bounded", most: 20, of: "were redirected",
            why: "A redirect that leads back to itself is given up after a few steps (RFC 9110 §15.4; browsers stop at 20).",
            trigger: "a request was redirected", counts: { $0.isDelivered && $0.isStatus(3) && $0.status != 304 }),
    ]

    /// At most so many of the same request within a minute, with nothing better in between.
    ///
    /// An app that polls every few seconds stays below.
    private static func bound(
        _ id: String, most: Int, of what: String, why: String, trigger: String,
        counts isCounted: @escaping @Sendable (JournalEntry) -> Bool
    ) -> AttachedRule {
        AttachedRule(id, why: why, trigger: trigger) { scene in
            var finding = AttachedFinding()
            var runs: [[String]: [JournalEntry]] = [:]
            for request in scene.requests {
                guard isCounted(request) else {
                    runs[request.sameness] = nil
                    continue
                }
                var run = (runs[request.sameness] ?? []).filter { $0.monoNanoseconds > request.monoNanoseconds - 60_000_000_000 }
                run.append(request)
                let isOver = run.count == most + 1
                finding.meet(
                    isOver
                        ? AttachedViolation(
                            expected: "at most \(most) of the same request in a minute that \(what)",
                            seen: "\(request.named) was number \(run.count)", exchanges: run.map(\.seq))
                        : nil)
                runs[request.sameness] = run
            }
            return finding
        }
    }
}

extension JournalEntry {
    /// Whether it may be tried again: no whole reply, a fault of the bank, or too many requests.
    fileprivate var isFailure: Bool { durationMicroseconds != nil && (!isDelivered || isStatus(5) || status == 429) }
}
