import BankModel

extension AttachedRule {
    /// What is refused for good stays refused.
    static let refusalRules = [
        refusedPayment(
            "pay.final-refusal-not-retried",
            why: "A payment that the bank refused for good is told as refused and not sent again (the draft, §2.7).",
            trigger: "a payment was refused for good", isEver: false,
            refusal: { $0.isFinalRefusal && !$0.said(.keyMismatch) }),
        refusedPayment(
            "pay.mismatch-not-retried",
            why: "A bank that says the key stands for another payment has refused; sending the same again cannot help (the draft, §2.7).",
            trigger: "a payment's key stood for another", isEver: true,
            refusal: { $0.said(.keyMismatch) }),
        AttachedRule(
            "retry.not-on-client-errors",
            why: "What the bank refuses as wrong stays wrong; the same request is not sent again (RFC 9110 §15.5).",
            trigger: "a request other than a payment was refused for good, 404 aside: what is looked for may be yet to come"
        ) { scene in
            var finding = AttachedFinding()
            var runs: [[String]: [JournalEntry]] = [:]
            for request in scene.requests where !request.has(.pay) {
                guard request.isFinalRefusal, request.status != 404 else {
                    runs[request.sameness] = nil
                    continue
                }
                // What is read side by side is one try, and what comes later may be somebody's wish or an app that polls.
                var run = runs[request.sameness] ?? []
                if let last = run.last, let ended = last.endNanoseconds {
                    if request.monoNanoseconds > ended + AttachedScene.quick { run = [] }
                    if !scene.follows(request, last) { run = run.dropLast() }
                }
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

    /// - Parameter isEver: whether the same is wrong for ever. Else it is only if it comes at a program's speed: a person who has
    ///   paid money in may ask for the same again.
    private static func refusedPayment(
        _ id: String, why: String, trigger: String, isEver: Bool, refusal isRefusal: @escaping @Sendable (JournalEntry) -> Bool
    ) -> AttachedRule {
        AttachedRule(id, why: why, trigger: trigger) { scene in
            var finding = AttachedFinding()
            // Told once for each key: a loop is one mistake.
            var told: Set<String> = []
            for refusal in scene.payments where isRefusal(refusal) {
                guard !told.contains(refusal.key ?? ""), let ended = refusal.endNanoseconds else { continue }
                let again = scene.first(after: refusal) {
                    $0.has(.pay) && $0.key == refusal.key && $0.bodySHA256 == refusal.bodySHA256 && $0.path == refusal.path
                        && !$0.isOfAnotherPerson(than: refusal) && (isEver || $0.monoNanoseconds < ended + AttachedScene.quick)
                }
                if again != nil { told.insert(refusal.key ?? "") }
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
