import BankClient
import BankModel

/// Mistakes in when, and how often, something is asked again.
extension Mutant {
    static var retries: [Mutant] {
        [
            Mutant(
                "ignores-retry-after", "never looks at Retry-After and comes again after a pause of its own",
                killedBy: [
                    "retry.after-429-seconds", "retry.after-429-http-date", "retry.absurd-retry-after", "retry.payment-after-429-seconds",
                ]
            ) { parts, _ in
                parts.answers { $1.headers["Retry-After"] = nil }
            },
            Mutant(
                "reads-no-date-in-retry-after", "reads Retry-After as seconds only: a date counts as if there were none",
                killedBy: ["retry.after-429-http-date", "retry.payment-after-429-http-date"]
            ) { parts, _ in
                parts.answers { if let text = $1.headers["Retry-After"], Int(text) == nil { $1.headers["Retry-After"] = nil } }
            },
            Mutant(
                "honours-retry-after-on-429-only", "honours Retry-After where it asked too often, and not where the bank is closed",
                killedBy: ["retry.maintenance-honoured", "retry.payment-maintenance-honoured"]
            ) { parts, _ in
                parts.answers { if $1.status != 429 { $1.headers["Retry-After"] = nil } }
            },
            Mutant(
                "honours-retry-after-on-reads-only", "honours Retry-After when it reads, and not when it pays",
                killedBy: ["retry.payment-after-429-seconds", "retry.payment-after-429-http-date"]
            ) { parts, _ in
                parts.answers { if !$0.isSafe { $1.headers["Retry-After"] = nil } }
            },
            Mutant(
                "cuts-long-waits-short", "takes a wait that is too long for it for a short one, and comes again",
                killedBy: ["retry.absurd-retry-after"]
            ) { parts, _ in
                parts.answers { if let text = $1.headers["Retry-After"], text.utf8.count > 2 { $1.headers["Retry-After"] = "0" } }
            },
            Mutant(
                "reads-without-giving-up", "asks a failing bank forty times in a row before it gives up",
                killedBy: ["retry.after-429-absent", "retry.bounded"]
            ) { parts, _ in
                parts.caller.retry = .stubborn
            },
            Mutant(
                "reconnects-without-giving-up", "opens a lost connection again forty times: only answers are counted as attempts",
                killedBy: ["retry.bounded-on-lost-connections"]
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    for _ in 1..<40 where request.isSafe {
                        do throws(TransportFailure) { return try await base.send(request) } catch {
                            if error.error == .cancelled || error.error == .timeout { throw error }
                        }
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "pays-without-giving-up", "sends a payment to a failing bank forty times in a row before it gives up",
                killedBy: ["retry.payment-bounded"]
            ) { parts, _ in
                parts.paymentRetry = .stubborn
            },
            Mutant(
                "asks-again-after-any-no", "sends again whatever the bank refused, for whatever reason",
                killedBy: ["retry.not-on-client-errors", "pay.final-refusal-not-retried"]
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    for _ in 1..<4 {
                        let response = try await base.send(request)
                        if response.status < 400 { return response }
                    }
                    return try await base.send(request)
                }
            },
        ]
    }
}

extension RetryPolicy {
    /// Forty attempts, hardly a pause between them.
    fileprivate static let stubborn = RetryPolicy(attempts: 40, base: .milliseconds(2), cap: .milliseconds(5), budget: .seconds(4))
}
