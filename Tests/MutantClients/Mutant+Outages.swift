import BankClient
import BankModel
import ClientDriver
import Platform

/// Mistakes in how long a client waits by dates and redirects, and in what it does to a bank that is down.
extension Mutant {
    static var outages: [Mutant] {
        [
            Mutant(
                "past-date-is-a-licence", "retries at once, forty times, if the date in Retry-After has passed",
                killedBy: ["retry.past-date-is-no-licence"]
            ) { parts, _ in
                let clock = parts.caller.clock
                parts.around { request, base throws(TransportFailure) in
                    for _ in 1..<40 {
                        let response = try await base.send(request)
                        let text = response.headers["Retry-After"] ?? ""
                        guard response.status >= 400, let date = HTTPDate.instant(text, now: clock.now()), date < clock.now() else {
                            return response
                        }
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "waits-by-the-devices-clock", "compares the date in Retry-After with the device's clock",
                killedBy: ["retry.after-date-by-the-banks-clock"]
            ) { parts, _ in
                parts.answers { $1.headers["Date"] = nil }
            },
            Mutant(
                "follows-without-waiting", "follows a redirect at once, whatever its Retry-After is",
                killedBy: ["retry.after-301-seconds"]
            ) { parts, start in
                parts.useNaiveTransport(start, .trusting)
            },
            Mutant(
                "hardly-jitters", "varies its pause by three percent", killedBy: ["retry.backoff-spreads"]
            ) { parts, _ in
                parts.paymentRetry = RetryPolicy(attempts: 2, base: .milliseconds(300), cap: .milliseconds(300), leastShare: 0.97)
            },
            Mutant(
                "retries-without-budget", "retries each payment three times, however long the bank has been failing",
                killedBy: ["retry.outage-budget"]
            ) { parts, _ in
                parts.caller.budget = RetryBudget(1_000_000)
            },
            Mutant(
                "circuit-never-closes", "stops asking after three failures in a row, until it is restarted",
                killedBy: ["retry.reads-go-on-after-outage", "retry.payments-go-on-after-outage"]
            ) { parts, _ in
                parts.cache = nil
                let failures = Locked(0)
                parts.around { request, base throws(TransportFailure) in
                    guard failures.withLock({ $0 < 3 }) else {
                        throw TransportFailure(.offline, "the bank has failed too often", mayHaveLeft: false)
                    }
                    let response = try await base.send(request)
                    failures.withLock { $0 = response.status >= 500 ? $0 + 1 : 0 }
                    return response
                }
            },
        ]
    }
}
