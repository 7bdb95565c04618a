import BankClient
import BankModel
import ClientDriver
import Platform

/// Clients that leave out what is better done: each breaks a rule that a client should keep.
extension Mutant {
    static var habits: [Mutant] {
        [
            Mutant(
                "signs-out-on-the-device-only", "deletes the token without revoking it at the bank",
                killedBy: ["auth.logout-revokes-and-forgets"]
            ) { parts, _ in
                parts.signing = parts.signing.map { NeverRevokes(base: $0) }
            },
            Mutant("not-modified-is-not-there", "treats a 304 as a 404", killedBy: ["offline.not-modified"]) { parts, _ in
                parts.answers { if $1.status == 304 { $1.status = 404 } }
            },
            Mutant("reads-once", "never retries a lost read", killedBy: ["retry.safe-reads-retried"]) { parts, _ in
                parts.cache = nil
                parts.caller.retry = .never
            },
            Mutant(
                "ever-shorter-pauses", "waits longest before the first retry", killedBy: ["retry.backoff-grows"]
            ) { parts, _ in
                let clock = parts.caller.clock
                let attempts = Locked<[String: Int]>([:])
                parts.paymentRetry = RetryPolicy(base: .milliseconds(40), cap: .milliseconds(40), leastShare: 1)
                parts.around { request, base throws(TransportFailure) in
                    let name = request.url + (request.headers["Idempotency-Key"] ?? "")
                    let attempt = attempts.withLock { attempts in
                        attempts[name, default: 0] += 1
                        return attempts[name] ?? 1
                    }
                    if !request.isSafe, attempt == 2 { try? await clock.sleep(for: .milliseconds(250)) }
                    return try await base.send(request)
                }
            },
            Mutant(
                "pauses-without-chance", "waits as long as every other client before a retry (no jitter)",
                killedBy: ["retry.backoff-jitters"]
            ) { parts, _ in
                // Two attempts, far apart: the delays of a busy machine are small beside the wait.
                parts.paymentRetry = RetryPolicy(attempts: 2, base: .seconds(2), cap: .seconds(2), leastShare: 1)
            },
            Mutant(
                "cannot-be-called-off", "continues a cancelled operation, and reports its result",
                killedBy: ["retry.cancels"]
            ) { parts, _ in
                parts.cache = nil
                parts.caller.retry = .never
                parts.around { request, base throws(TransportFailure) in
                    // A separate task does not notice the cancellation.
                    let sending = Task { () async -> Result<HTTPResponse, TransportFailure> in
                        do throws(TransportFailure) { return .success(try await base.send(request)) } catch { return .failure(error) }
                    }
                    return try await sending.value.get()
                }
            },
            Mutant(
                "old-nothing", "shows an empty list marked as old if a read fails, though it has no cached list",
                killedBy: [
                    "errors.cold-refused", "errors.cold-signed-out", "errors.cold-forbidden", "errors.cold-not-there",
                    "errors.cold-conflict", "errors.cold-too-many", "errors.cold-unavailable", "errors.cold-unexpected-success",
                    "errors.cold-timeout", "retry.cold-bounded", "retry.cold-bounded-on-lost-connections",
                    "retry.cold-absurd-retry-after", "retry.cold-not-on-client-errors", "wire.cold-redirect-loop-bounded",
                    "wire.cold-slow-body-times-out", "wire.cold-reset-mid-body", "errors.500", "body.own-text-damaged",
                ]
            ) { parts, _ in
                let clock = parts.caller.clock
                parts.cache = nil
                parts.show { changes in
                    changes.accounts = { read async throws(ClientFailure) in await orOldNothing(clock, read) }
                    changes.transactions = { read async throws(ClientFailure) in await orOldNothing(clock, read) }
                }
            },
            Mutant(
                "logs-answers", "logs the bank's responses to reads", killedBy: ["data.nothing-in-logs"]
            ) { parts, _ in
                parts.answers {
                    if $0.isSafe { StandardStreams.warn("\($0.method) \($0.url): \(String(decoding: $1.body, as: UTF8.self))") }
                }
            },
            Mutant(
                "counts-keys-from-one", "numbers its keys, starting over with each start and each customer",
                killedBy: ["pay.keys-never-shared"]
            ) { parts, _ in
                let counter = Counter()
                parts.makeKey = { "payment-key-number-\(counter.next())" }
            },
        ]
    }

    private static func orOldNothing<Row>(
        _ clock: any ClientClock, _ read: () async throws(ClientFailure) -> Listing<Row>
    ) async -> Listing<Row> {
        do throws(ClientFailure) { return try await read() } catch {
            var nothing = Listing<Row>([])
            nothing.asOf = clock.now()
            return nothing
        }
    }
}

private struct NeverRevokes: SigningInBank {
    let base: any SigningInBank

    var name: String { base.name }
    var rules: any ResponseRules { base.rules }
    var usesTokens: Bool { base.usesTokens }

    func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token {
        try await base.signIn(caller, user: user, password: password)
    }

    func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token { try await base.refresh(caller, refresh) }
    func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) {}
}
