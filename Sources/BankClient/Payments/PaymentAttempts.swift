import BankModel

/// Sends one stored wish until there is a final answer, or patience ends.
public struct PaymentAttempts: Sendable {
    public var calls: any PaymentCalls
    public var caller: BankCaller
    public var outbox: any Outbox
    public var retry: RetryPolicy
    /// For answers that another attempt under the same key is under way.
    public var inFlight: RetryPolicy

    public init(
        calls: any PaymentCalls, caller: BankCaller, outbox: any Outbox, retry: RetryPolicy = RetryPolicy(),
        inFlight: RetryPolicy = .inFlight
    ) {
        self.calls = calls
        self.caller = caller
        self.outbox = outbox
        self.retry = retry
        self.inFlight = inFlight
    }

    /// - Throws: ``ClientFailure``: `rejected` and the like when the bank said a final no; `outcomeUnknown` when a byte may
    ///   have left and no final answer came; otherwise what stood in the way of sending.
    func send(_ wish: OutboxEntry) async throws(ClientFailure) -> PaymentReceipt {
        var entry = wish
        entry.state = .open
        let began = caller.clock.uptime()
        var (failures, conflicts) = (0, 0)
        while true {
            let before = entry.sentAt
            // Stored as possibly sent before the first byte: a crash in the next instant must not forget it.
            entry.sentAt = before ?? caller.clock.now()
            do throws(StoreError) { try await outbox.put(entry) } catch {
                entry.sentAt = before
                throw final(PaymentAttempts.notStored(error), entry)
            }
            let failure: ClientFailure
            switch await answer(to: entry, after: before != nil) {
            case .done(let receipt):
                entry.state = .done(receipt)
                // The money has moved: a store that fails now must not make it look otherwise.
                try? await outbox.put(entry)
                return receipt
            case .refused(let detail):
                // As above: the bank's no stands, stored or not.
                entry.state = .refused(detail)
                try? await outbox.put(entry)
                throw ClientFailure(.rejected, detail, mayHaveLeft: true)
            case .open(let reason, let seen):
                failure = reason
                if !seen, before == nil {
                    entry.sentAt = nil
                    // If this fails the wish stays stored as possibly sent, which is the safe side.
                    try? await outbox.put(entry)
                }
            }
            let isConflict = failure.error == .conflict
            (failures, conflicts) = isConflict ? (failures, conflicts + 1) : (failures + 1, conflicts)
            let wait = (isConflict ? inFlight : retry).wait(
                after: isConflict ? conflicts : failures, elapsed: caller.clock.uptime() - began, retryAfter: failure.retryAfter,
                chance: caller.random.fraction())
            guard failure.retryable, let wait else { throw final(failure, entry) }
            guard (try? await caller.clock.sleep(for: wait)) != nil else {
                throw final(ClientFailure(.cancelled, "called off while waiting after \(failure)", mayHaveLeft: entry.mayHaveLeft), entry)
            }
        }
    }

    /// What is told when no further attempt is made.
    private func final(_ failure: ClientFailure, _ entry: OutboxEntry) -> ClientFailure {
        guard entry.mayHaveLeft else { return failure }
        return ClientFailure(.outcomeUnknown, "no final answer (\(failure))", mayHaveLeft: true, problem: failure.problem)
    }

    static func notStored(_ error: StoreError) -> ClientFailure {
        ClientFailure(.unavailable, "the payment was not sent, as it could not be stored: \(error)", mayHaveLeft: false)
    }
}
