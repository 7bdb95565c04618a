import BankClient
import BankModel
import Foundation

/// Mistakes by which a client never stops, never answers, or ends.
extension Mutant {
    static var invariantEndings: [Mutant] {
        [
            Mutant(
                "pays-150-times", "retries a payment endlessly without a pause",
                killedBy: ["invariant.bounded in retry.payment-bounded"]
            ) { parts, _ in
                parts.caller.budget = RetryBudget(1_000_000)
                parts.paymentRetry = RetryPolicy(attempts: 150, base: .milliseconds(1), cap: .milliseconds(1), budget: .seconds(60))
            },
            Mutant(
                "sends-on-when-rejected", "repeats a rejected request endlessly",
                killedBy: ["invariant.bounded in auth.no-refresh-loop"]
            ) { parts, _ in
                let rules = parts.caller.rules
                parts.around { request, base throws(TransportFailure) in
                    for _ in 1..<1010 {
                        let response = try await base.send(request)
                        if !rules.judge(response).tokenRejected { return response }
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "asks-on-behind-the-screen", "continues to poll in the background",
                killedBy: ["invariant.bounded in retry.cancels"], control: paying
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    let response = try await base.send(request)
                    if request.isSafe {
                        Task {
                            for _ in 0..<20 {
                                // The mistake itself: a poll every 60 ms, of which the client's owner knows nothing.
                                try await Task.sleep(for: .milliseconds(60))
                                _ = try await base.send(request)
                            }
                        }
                    }
                    return response
                }
            },
            Mutant(
                "waits-for-ever", "waits for a response without a limit",
                killedBy: ["invariant.never-hangs in errors.read-timeout"]
            ) { parts, _ in
                parts.beforeFailures { if $0.error == .timeout { await hang() } }
            },
            Mutant(
                "loses-who-called-off", "never resumes the caller of a cancelled operation",
                killedBy: ["invariant.never-hangs in retry.cancels"]
            ) { parts, _ in
                parts.beforeFailures { if $0.error == .cancelled { await hang() } }
            },
            Mutant(
                "locked-after-two-failures", "holds a lock after two failures of the bank, and deadlocks at the third",
                killedBy: ["invariant.never-hangs in errors.500"]
            ) { parts, _ in
                let failures = Counter()
                parts.around { request, base throws(TransportFailure) in
                    let response = try await base.send(request)
                    if response.status >= 500, failures.next() > 2 { await hang() }
                    return response
                }
            },
            Mutant(
                "divides-by-the-rows", "divides by the number of rows, and crashes on an empty list",
                killedBy: ["invariant.never-dies in data.empty-list"]
            ) { parts, _ in
                parts.showRows { rows in
                    if rows.isEmpty { exit(136) }
                    return rows
                }
            },
            Mutant(
                "header-taken-for-granted", "crashes on a 429 without Retry-After",
                killedBy: ["invariant.never-dies in retry.after-429-absent"]
            ) { parts, _ in
                parts.answers { _, response in
                    if response.status == 429, response.headers["Retry-After"].flatMap({ Int($0) }) == nil { exit(133) }
                }
            },
            Mutant(
                "kind-taken-for-granted", "crashes on an unknown account type",
                killedBy: ["invariant.never-dies in body.unknown-account-type-keeps-list"]
            ) { parts, _ in
                let known: Set = ["current", "savings", "PRIMARY", "ADDITIONAL", "SAVINGS", "LOAN", "FIXED_TERM_DEPOSIT"]
                parts.caller.reader = AlteredReader(base: parts.caller.reader) { _, json throws(ClientFailure) in
                    for account in json["accounts"]?.array ?? [] {
                        guard let kind = (account["type"] ?? account["accountType"])?.string else { continue }
                        if !known.contains(kind) { exit(133) }
                    }
                    return json
                }
            },
        ]
    }

    /// Waits, whatever happens, much longer than anybody does.
    private static func hang() async {
        await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().asyncAfter(deadline: .now() + 3600) { waiting.resume() }
        }
    }
}

extension ClientParts {
    /// Does something before a transport failure is reported.
    fileprivate mutating func beforeFailures(_ body: @escaping @Sendable (TransportFailure) async -> Void) {
        around { request, base throws(TransportFailure) in
            do throws(TransportFailure) { return try await base.send(request) } catch {
                await body(error)
                throw error
            }
        }
    }
}
