import BankModel

extension AttachedRule {
    /// Nothing goes on without end.
    static let boundRules = [
        bound(
            "retry.bounded", most: 20,
            why: "A client stops retrying a request that fails repeatedly; endless retries prevent the bank from recovering.",
            trigger: "a request other than a payment failed", isMeant: { !$0.has(.pay) }, sameness: { $0.sameness }),
        bound(
            "retry.payment-bounded", most: 10,
            why: "A client stops retrying a payment without a final answer after a few attempts and reports its outcome as unknown.",
            trigger: "a payment got no final answer", isMeant: { $0.has(.pay) && $0.key != nil },
            sameness: { [$0.operation ?? "", $0.key ?? ""] }),
        AttachedRule(
            "wire.redirect-loop-bounded",
            why: "A client stops following a redirect loop after a few redirects (RFC 9110 §15.4; browsers stop at 20, curl at 50).",
            trigger: "a request was redirected"
        ) { scene in
            var findings = Findings()
            // The redirects that have not been followed yet, each with the steps that led to it.
            var open: [[JournalEntry]] = []
            for request in scene.requests {
                open.removeAll { ($0.last?.endNanoseconds ?? .max) < request.monoNanoseconds - Scene.Timing.quick }
                let place = open.lastIndex { steps in
                    steps.last.map { ($0.endNanoseconds ?? .max) < request.monoNanoseconds && $0.redirects(to: request) } ?? false
                }
                let steps = place.map { open.remove(at: $0) } ?? []
                guard request.isDelivered, request.isStatus(3), request.status != 304 else { continue }
                open.append(steps + [request])
                findings.add(
                    steps.count == mostSteps
                        ? Finding.tooManyRedirects(steps, request, most: mostSteps)
                        : nil)
            }
            return findings
        },
    ]

    /// Two or three reads in a row that each end in a loop look like one, so the bound is above what any client takes.
    private static let mostSteps = 160

    /// How long a stretch of time is judged as one, in nanoseconds.
    private static let stretch: Int64 = 10_000_000_000

    /// The largest number of equal sequential requests within 10 s in which none of them succeeds.
    ///
    /// Polling, and a customer who repeats a request by hand, stay below.
    private static func bound(
        _ id: String, most: Int, why: String, trigger: String, isMeant: @escaping @Sendable (JournalEntry) -> Bool,
        sameness: @escaping @Sendable (JournalEntry) -> [String]
    ) -> AttachedRule {
        AttachedRule(id, why: why, trigger: trigger) { scene in
            var findings = Findings()
            var runs: [[String]: [JournalEntry]] = [:]
            // Told once for each: a loop is one mistake.
            var told: Set<[String]> = []
            for request in scene.requests where isMeant(request) && !request.isGivenUp {
                let name = sameness(request)
                guard request.isFailure else {
                    runs[name] = nil
                    continue
                }
                var run = (runs[name] ?? []).filter { $0.monoNanoseconds > request.monoNanoseconds - stretch }
                // Concurrent requests are one attempt.
                if let last = run.last, request.monoNanoseconds <= last.endNanoseconds ?? .max { run = run.dropLast() }
                run.append(request)
                runs[name] = run
                let isOver = run.count > most && told.insert(name).inserted
                findings.add(
                    isOver
                        ? Finding.tooManyAttempts(run, request, most: most)
                        : nil)
            }
            return findings
        }
    }
}

extension JournalEntry {
    /// Whether it may be tried again: no whole reply, a fault of the bank, too many requests, or a key that is in flight.
    fileprivate var isFailure: Bool {
        durationMicroseconds != nil && (!isDelivered || isStatus(5) || status == 429 || said(.keyInFlight))
    }

    /// Whether the client did not wait for the reply, though the bank kept none back: its person went elsewhere.
    fileprivate var isGivenUp: Bool { receipt.end == .clientGone && !faults.contains(where: \.applied) }
}
