import BankModel

extension AttachedRule {
    /// What is refused for good stays refused.
    static let refusalRules = [
        refusedPayment(
            "pay.final-refusal-not-retried",
            why: "A payment that the bank refused for good is told as refused and not sent again (the draft, §2.7).",
            trigger: "a payment was refused for good", refusal: { $0.isFinalRefusal && !$0.said(.keyMismatch) }),
        refusedPayment(
            "pay.mismatch-not-retried",
            why: "A bank that says the key stands for another payment has refused; sending the same again cannot help (the draft, §2.7).",
            trigger: "a payment's key stood for another", refusal: { $0.said(.keyMismatch) }),
        AttachedRule(
            "retry.not-on-client-errors",
            why: "What the bank refuses as wrong stays wrong; the same request is not sent again (RFC 9110 §15.5).",
            trigger: "a request other than a payment was refused for good"
        ) { scene in
            var finding = AttachedFinding()
            var runs: [[String]: [JournalEntry]] = [:]
            for request in scene.requests where !request.has(.pay) {
                var run = runs[request.sameness] ?? []
                guard request.isFinalRefusal else {
                    runs[request.sameness] = nil
                    continue
                }
                let ended = run.last?.endNanoseconds ?? 0
                let isQuick = ended < request.monoNanoseconds && request.monoNanoseconds < ended + quick
                // What is read side by side is no retry, and what comes later may be somebody's wish or an app that polls.
                if !isQuick { run = run.last.map { $0.endNanoseconds ?? .max > request.monoNanoseconds ? [$0] : [] } ?? [] }
                run.append(request)
                runs[request.sameness] = run
                finding.meet(
                    run.count == 3
                        ? AttachedViolation(
                            expected: "at most two of the same request within a second of its refusal",
                            seen: "\(request.named) was the third, after status \(run[1].status ?? 0)", exchanges: run.map(\.seq))
                        : nil)
            }
            return finding
        },
    ]

    /// A request that follows a refusal so soon, in nanoseconds, was sent by a program and not by a person or a timer.
    private static let quick: Int64 = 1_000_000_000

    private static func refusedPayment(
        _ id: String, why: String, trigger: String, refusal isRefusal: @escaping @Sendable (JournalEntry) -> Bool
    ) -> AttachedRule {
        AttachedRule(id, why: why, trigger: trigger) { scene in
            var finding = AttachedFinding()
            var judged: Set<String> = []
            for refusal in scene.payments where isRefusal(refusal) {
                guard judged.insert((refusal.key ?? "") + refusal.bodySHA256).inserted else { continue }
                let again = scene.after(refusal).first {
                    $0.has(.pay) && $0.key == refusal.key && $0.bodySHA256 == refusal.bodySHA256 && $0.path == refusal.path
                }
                finding.meet(
                    again.map {
                        AttachedViolation(
                            expected: "\(refusal.named) is not sent again after status \(refusal.status ?? 0)",
                            seen: "\($0.named) is the same with the same key", exchanges: [refusal.seq, $0.seq])
                    })
            }
            return finding
        }
    }
}
