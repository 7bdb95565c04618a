import BankModel

/// Sends one stored wish until there is a final answer, or patience ends.
public struct PaymentAttempts: Sendable {
    public var calls: any PaymentCalls
    public var caller: BankCaller
    public var outbox: any Outbox
    public var retry: RetryPolicy

    public init(calls: any PaymentCalls, caller: BankCaller, outbox: any Outbox, retry: RetryPolicy = RetryPolicy()) {
        (self.calls, self.caller, self.outbox, self.retry) = (calls, caller, outbox, retry)
    }

    /// - Throws: ``ClientFailure``: `rejected` and the like when the bank said a final no; `outcomeUnknown` when a byte may
    ///   have left and no final answer came; otherwise what stood in the way of sending.
    func send(_ wish: OutboxEntry) async throws(ClientFailure) -> PaymentReceipt {
        var entry = wish
        entry.state = .open
        let began = caller.clock.uptime()
        var attempt = 0
        while true {
            attempt += 1
            // Stored as possibly sent before the first byte: a crash in the next instant must not forget it.
            let before = entry.mayHaveLeft
            entry.mayHaveLeft = true
            try await keep(entry)
            switch await self.attempt(entry) {
            case .done(let receipt):
                entry.state = .done(receipt)
                // The money has moved: a store that fails now must not make it look otherwise.
                try? await outbox.put(entry)
                return receipt
            case .refused(let detail):
                (entry.state, entry.mayHaveLeft) = (.refused(detail), true)
                try await keep(entry)
                throw ClientFailure(.rejected, detail, mayHaveLeft: true)
            case .open(let failure, let seen):
                entry.mayHaveLeft = before || seen
                try await keep(entry)
                let elapsed = caller.clock.uptime() - began
                let wait = retry.wait(after: attempt, elapsed: elapsed, retryAfter: failure.retryAfter, chance: caller.random.fraction())
                guard failure.retryable, let wait, (try? await caller.clock.sleep(for: wait)) != nil else { throw final(failure, entry) }
            }
        }
    }

    /// What is told when no further attempt is made.
    private func final(_ failure: ClientFailure, _ entry: OutboxEntry) -> ClientFailure {
        guard entry.mayHaveLeft else { return failure }
        return ClientFailure(.outcomeUnknown, "no final answer (\(failure))", mayHaveLeft: true, problem: failure.problem)
    }

    private func attempt(_ entry: OutboxEntry) async -> PaymentAnswer {
        let call = calls.call(for: entry)
        do throws(ClientFailure) {
            let answer = try await caller.exchange(call)
            if let refusal = refusal(answer) { return refusal }
            return .done(try calls.receipt(from: try caller.content(answer, of: call), for: entry))
        } catch {
            if error.error == .rejected { return .refused(error.detail) }
            var failure = error
            // An answer that makes no sense says nothing about the money; the stored one may come on asking again.
            if error.error == .decode && error.mayHaveLeft { failure.retryable = true }
            return .open(failure, seen: error.mayHaveLeft)
        }
    }

    /// What a status other than success means for a payment; nil for success.
    private func refusal(_ answer: BankCaller.Answer) -> PaymentAnswer? {
        guard let error = answer.verdict.error else { return nil }
        var failure = caller.failure(answer)
        switch error {
        // Looked at before it was carried out (RFC 6750; rate limits sit before the idempotency layer): open as before.
        case .unauthorized, .consentExpired, .forbidden, .rateLimited: return .open(failure, seen: false)
        case .conflict:
            // Another attempt under this key is under way (IETF idempotency draft §2.6), unless the bank says otherwise.
            guard failure.problem == nil || failure.problem == "key-in-flight" else { return .refused(failure.detail) }
            failure.retryable = true
            return .open(failure, seen: true)
        case .rejected, .notFound: return .refused(failure.detail)
        default: return .open(failure, seen: true)
        }
    }

    private func keep(_ entry: OutboxEntry) async throws(ClientFailure) {
        do throws(StoreError) { try await outbox.put(entry) } catch { throw PaymentAttempts.notStored(error) }
    }

    static func notStored(_ error: StoreError) -> ClientFailure {
        ClientFailure(.unavailable, "the payment was not sent, as it could not be stored: \(error)", mayHaveLeft: false)
    }
}
