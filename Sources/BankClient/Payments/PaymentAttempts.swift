import BankModel

/// Sends one stored payment until there is a final response, or the retry policy gives up.
package struct PaymentAttempts: Sendable {
    package var calls: any PaymentCalls
    package var caller: BankCaller
    package var outbox: any Outbox
    package var retry: RetryPolicy = RetryPolicy()
    /// The policy for answers that another attempt with the same key is in progress.
    package var inFlight: RetryPolicy = .inFlight

    /// - Throws: ``ClientFailure``: `rejected` and the like for a final rejection; `outcomeUnknown` if a byte may have been
    ///   sent and no final response was received; otherwise the reason why nothing was sent.
    func send(_ claimed: OutboxEntry) async throws(ClientFailure) -> PaymentReceipt {
        var entry = claimed
        entry.state = .open
        let began = caller.clock.uptime()
        var (failures, conflicts) = (0, 0)
        while true {
            let before = entry.sentAt
            // Stored as possibly sent before the first byte: a crash in the next instant must not lose that.
            entry.sentAt = before ?? caller.clock.now()
            do throws(StorageError) { try await outbox.put(entry) } catch {
                entry.sentAt = before
                throw final(PaymentAttempts.notStored(error), entry)
            }
            let failure: ClientFailure
            switch await answer(to: entry, after: before != nil) {
            case .done(let receipt):
                entry.state = .done(receipt)
                caller.budget.earn()
                // The payment has been made: a store that fails now must not make it look otherwise.
                try? await outbox.put(entry)
                return receipt
            case .rejected(let detail):
                // As above: the bank's rejection is final, stored or not.
                entry.state = .rejected(detail)
                try? await outbox.put(entry)
                throw ClientFailure(.rejected, detail, mayHaveLeft: true)
            case .open(let reason, let seen):
                failure = reason
                if !seen, before == nil {
                    entry.sentAt = nil
                    // If this fails the payment remains stored as possibly sent, which is the safe side.
                    try? await outbox.put(entry)
                }
            }
            let isConflict = failure.error == .conflict
            (failures, conflicts) = isConflict ? (failures, conflicts + 1) : (failures + 1, conflicts)
            let wait = (isConflict ? inFlight : retry).wait(
                after: isConflict ? conflicts : failures, elapsed: caller.clock.uptime() - began, retryAfter: failure.retryAfter,
                chance: caller.random.fraction())
            // A key that is still in use is not a failure of the bank.
            guard failure.retryable, let wait, isConflict || caller.budget.spend() else { throw final(failure, entry) }
            guard (try? await caller.clock.sleep(for: wait)) != nil else {
                throw final(ClientFailure(.cancelled, "cancelled while waiting after \(failure)", mayHaveLeft: entry.mayHaveLeft), entry)
            }
        }
    }

    /// The failure to report when no further attempt is made.
    private func final(_ failure: ClientFailure, _ entry: OutboxEntry) -> ClientFailure {
        guard entry.mayHaveLeft, failure.challenge == nil else { return failure }
        return ClientFailure(.outcomeUnknown, "no final response (\(failure))", mayHaveLeft: true, problem: failure.problem)
    }

    static func notStored(_ error: StorageError) -> ClientFailure {
        ClientFailure(.unavailable, "the payment was not sent, because it could not be stored: \(error)", mayHaveLeft: false)
    }
}

/// The meaning of each answer for the payment: the rules of final, retryable and unknown.
extension PaymentAttempts {
    /// Sends the payment once.
    ///
    /// - Parameter doubtful: true if an earlier attempt may have been executed.
    func answer(to entry: OutboxEntry, after doubtful: Bool) async -> PaymentAnswer {
        let call = calls.call(for: entry)
        do throws(ClientFailure) {
            let answer = try await caller.exchange(call, of: entry.owner)
            if let rejection = rejection(answer, to: entry, after: doubtful) { return rejection }
            return .done(try calls.receipt(from: try caller.content(answer, of: call), for: entry))
        } catch {
            if error.error == .rejected { return .rejected(error.detail) }
            var failure = error
            // An unreadable answer has no result for the payment; a retry may return the stored one.
            if error.error == .decode && error.mayHaveLeft { failure.retryable = true }
            return .open(failure, seen: error.mayHaveLeft)
        }
    }

    /// The meaning of a status other than success; nil for success.
    private func rejection(_ answer: BankCaller.JudgedResponse, to entry: OutboxEntry, after doubtful: Bool) -> PaymentAnswer? {
        guard let error = answer.verdict.error else { return nil }
        var failure = caller.failure(answer)
        if calls.isQuestion(entry), [.rejected, .notFound, .conflict].contains(error) { return .open(failure, seen: true) }
        switch error {
        // The bank holds the payment, and makes it once the user has confirmed it.
        case .forbidden where failure.challenge != nil: return .open(failure, seen: true)
        // The bank checks these before it executes a payment (RFC 6750; rate limits precede the idempotency layer): open as
        // before.
        case .unauthorized, .consentExpired, .forbidden, .rateLimited: return .open(failure, seen: false)
        case .conflict:
            // Another attempt with this key is in progress (IETF idempotency draft §2.6), unless the bank defines it otherwise.
            guard failure.problem == nil || failure.problem == "key-in-flight" else { return .rejected(failure.detail) }
            failure.retryable = true
            return .open(failure, seen: true)
        case .rejected, .notFound:
            // After an attempt that may have been executed only the bank's own problem about this payment is final: a bare
            // 404 may be a gateway's, and a mismatch means that the key belongs to another payment.
            let isTheBanksWord = failure.problem != nil && failure.problem != "key-mismatch"
            return doubtful && !isTheBanksWord ? .open(failure, seen: true) : .rejected(failure.detail)
        default: return .open(failure, seen: true)
        }
    }
}
