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
