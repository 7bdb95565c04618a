import BankModel

/// Pays: one wish, one key, however often it is sent.
public protocol PaymentSending: Sendable {
    /// Fulfils the wish, or brings the receipt of the time it was fulfilled.
    ///
    /// - Throws: ``ClientFailure``; `rejected` is final, `outcomeUnknown` is not: ask again by the same intent.
    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt
    /// Finishes a wish begun before; `nothingToDo` if there is none of that name.
    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt
}

/// Sends payments out of an outbox, by these rules:
/// - key and bytes are stored before the first byte is sent, and are the same on every attempt, after a crash too;
/// - of one wish one sending is under way at a time: double taps wait for the same answer;
/// - a final answer closes the wish; anything else leaves it open under its key;
/// - a refused wish with another amount is a corrected one and gets a new key (a bank may store the refusal under the old);
/// - an open wish that may have reached the bank cannot be changed before its end is known.
public actor PaymentSender: PaymentSending {
    private let outbox: any Outbox
    private let attempts: PaymentAttempts
    private let makeKey: @Sendable () -> String
    private var underWay: [String: Sending] = [:]

    /// One sending and those who wait for it.
    private struct Sending {
        var order: PaymentOrder?
        var task: Task<Result<PaymentReceipt, ClientFailure>, Never>
        var waiting: Int
    }

    /// - Parameter makeKey: a new idempotency key at each call.
    public init(outbox: any Outbox, attempts: PaymentAttempts, makeKey: @escaping @Sendable () -> String) {
        (self.outbox, self.attempts, self.makeKey) = (outbox, attempts, makeKey)
    }

    public func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        try await joined(intent, order)
    }

    public func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt { try await joined(intent, nil) }

    /// Waits for the sending under way, or begins one. Cancelled with the last who waits.
    private func joined(_ intent: String, _ order: PaymentOrder?) async throws(ClientFailure) -> PaymentReceipt {
        while let other = underWay[intent], let order, let theirs = other.order, theirs != order {
            _ = await other.task.value
            if underWay[intent]?.task == other.task { underWay[intent] = nil }
        }
        let sending = underWay[intent] ?? Sending(order: order, task: Task { await self.outcome(intent, order) }, waiting: 0)
        underWay[intent] = sending
        underWay[intent]?.waiting += 1
        let outcome = await withTaskCancellationHandler {
            await sending.task.value
        } onCancel: {
            Task { await self.leave(intent, sending.task) }
        }
        if underWay[intent]?.task == sending.task { underWay[intent] = nil }
        return try outcome.get()
    }

    private func leave(_ intent: String, _ task: Task<Result<PaymentReceipt, ClientFailure>, Never>) {
        guard underWay[intent]?.task == task else { return }
        underWay[intent]?.waiting -= 1
        if underWay[intent]?.waiting == 0 { task.cancel() }
    }

    private func outcome(_ intent: String, _ order: PaymentOrder?) async -> Result<PaymentReceipt, ClientFailure> {
        do throws(ClientFailure) { return .success(try await fulfil(intent, order)) } catch { return .failure(error) }
    }

    private func fulfil(_ intent: String, _ order: PaymentOrder?) async throws(ClientFailure) -> PaymentReceipt {
        let kept: OutboxEntry?
        do throws(StoreError) { kept = try await outbox.entry(intent) } catch { throw PaymentAttempts.notStored(error) }
        guard let order = order ?? kept?.order else {
            throw ClientFailure(.nothingToDo, "no payment of the intent \(intent) was begun", mayHaveLeft: false)
        }
        guard let kept else { return try await attempts.send(new(intent, order)) }
        if kept.order == order {
            if case .done(let receipt) = kept.state { return receipt }
            return try await attempts.send(kept)
        }
        switch kept.state {
        case .refused: return try await attempts.send(new(intent, order))
        case .open where !kept.mayHaveLeft: return try await attempts.send(new(intent, order))
        case .open:
            throw ClientFailure(
                .outcomeUnknown, "whether \(kept.order.amount) was paid is not known yet: finish that first", mayHaveLeft: true)
        case .done:
            throw ClientFailure(.rejected, "\(kept.order.amount) was paid already under this intent", mayHaveLeft: false)
        }
    }

    private func new(_ intent: String, _ order: PaymentOrder) -> OutboxEntry {
        OutboxEntry(intent: intent, order: order, key: makeKey(), body: attempts.calls.body(for: order))
    }
}
