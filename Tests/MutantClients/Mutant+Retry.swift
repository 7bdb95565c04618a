import BankClient
import BankModel

/// Mistakes in when, and how often, something is asked again.
extension Mutant {
    static var retries: [Mutant] {
        [
            Mutant(
                "ignores-retry-after", "ignores Retry-After and retries after its own pause",
                killedBy: [
                    "retry.after-429-seconds", "retry.after-429-http-date", "retry.absurd-retry-after", "retry.payment-after-429-seconds",
                ]
            ) { parts, _ in
                parts.answers { $1.headers["Retry-After"] = nil }
            },
            Mutant(
                "reads-no-date-in-retry-after", "reads Retry-After as seconds only, and ignores a date",
                killedBy: ["retry.after-429-http-date", "retry.payment-after-429-http-date"]
            ) { parts, _ in
                parts.answers { if let text = $1.headers["Retry-After"], Int(text) == nil { $1.headers["Retry-After"] = nil } }
            },
            Mutant(
                "honours-retry-after-on-429-only", "honours Retry-After of a 429, but not of a 503",
                killedBy: [
                    "retry.maintenance-honoured", "retry.payment-maintenance-honoured", "retry.after-503-seconds",
                    "retry.payment-after-503-seconds",
                ]
            ) { parts, _ in
                parts.answers { if $1.status != 429 { $1.headers["Retry-After"] = nil } }
            },
            Mutant(
                "honours-retry-after-on-reads-only", "honours Retry-After for reads, but not for payments",
                killedBy: ["retry.payment-after-429-seconds", "retry.payment-after-429-http-date"]
            ) { parts, _ in
                parts.answers { if !$0.isSafe { $1.headers["Retry-After"] = nil } }
            },
            Mutant(
                "cuts-long-waits-short", "shortens a long Retry-After, and retries too early",
                killedBy: ["retry.absurd-retry-after"]
            ) { parts, _ in
                parts.answers { if let text = $1.headers["Retry-After"], text.utf8.count > 2 { $1.headers["Retry-After"] = "0" } }
            },
            Mutant(
                "reads-without-giving-up", "retries a read forty times before it gives up",
                killedBy: ["retry.after-429-absent", "retry.bounded"]
            ) { parts, _ in
                parts.caller.retry = .stubborn
            },
            Mutant(
                "reconnects-without-giving-up", "reopens a lost connection forty times, because it counts only responses as attempts",
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
                "pays-without-giving-up", "retries a payment forty times before it gives up",
                killedBy: ["retry.payment-bounded"]
            ) { parts, _ in
                parts.paymentRetry = .stubborn
            },
            Mutant(
                "asks-again-after-any-no", "retries every rejected request",
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
