import BankModel

/// Pays: one wish, one key, however often it is sent.
public protocol PaymentSending: Sendable {
    /// Fulfils the wish, or brings the receipt of the time it was fulfilled.
    ///
    /// - Throws: ``ClientFailure``; `rejected` is final, `outcomeUnknown` is not: ask again by the same intent.
    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt
    /// Fulfils a wish whose order must be worked out first: once, when it is first asked for. From then on it is the order
    /// that was stored, whatever it would come to now.
    ///
    /// - Throws: as ``pay(_:_:)``, and what keeps the order from being worked out.
    func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder
    /// Finishes a wish begun before; `nothingToDo` if there is none of that name.
    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt
}

/// Sends payments out of an outbox, by these rules:
/// - key and bytes are stored before the first byte is sent, and are the same on every attempt, after a crash too;
/// - of one wish one sending is under way at a time: double taps wait for the same answer;
/// - a final answer closes the wish; anything else leaves it open under its key;
/// - a refused wish with another amount is a corrected one and gets a new key (a bank may store the refusal under the old);
/// - an open wish that may have reached the bank cannot be changed before its end is known;
/// - nor is it sent again once the bank may have forgotten its key: to the bank it would be a second payment. Banks cannot
///   be asked by key, so its end stays unknown here, and a person must look at the account.
public actor PaymentSender: PaymentSending {
    private let outbox: any Outbox
    private let attempts: PaymentAttempts
    private let keyWindow: KeyWindow
    private let makeKey: @Sendable () -> String
    private var underWay: [String: Sending] = [:]

    /// What is asked for.
    private enum Wish: Sendable {
        case order(PaymentOrder)
        case workedOut(@Sendable () async throws(ClientFailure) -> PaymentOrder)
        case begun

        var order: PaymentOrder? { if case .order(let order) = self { order } else { nil } }
    }

    /// One sending and those who wait for it.
    private struct Sending {
        var order: PaymentOrder?
        var task: Task<Result<PaidOrder, ClientFailure>, Never>
        var waiting: Int
    }

    /// - Parameters:
    ///   - keyWindow: how long the bank remembers a key.
    ///   - makeKey: a new idempotency key at each call.
    public init(outbox: any Outbox, attempts: PaymentAttempts, keyWindow: KeyWindow, makeKey: @escaping @Sendable () -> String) {
        (self.outbox, self.attempts, self.keyWindow, self.makeKey) = (outbox, attempts, keyWindow, makeKey)
    }

    public func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        try await joined(intent, .order(order)).receipt
    }

    public func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder {
        try await joined(intent, .workedOut(order))
    }

    public func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt { try await joined(intent, .begun).receipt }

    /// Waits for the sending under way, or begins one. Cancelled with the last who waits.
    private func joined(_ intent: String, _ wish: Wish) async throws(ClientFailure) -> PaidOrder {
        // One that is called off, or of another order, is not ours: its end is waited for, as the outbox then knows more.
        while let other = underWay[intent], other.waiting == 0 || (wish.order != nil && wish.order != other.order) {
            _ = await other.task.value
            if underWay[intent]?.task == other.task { underWay[intent] = nil }
        }
        let sending = underWay[intent] ?? Sending(order: wish.order, task: Task { await self.outcome(intent, wish) }, waiting: 0)
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

    private func leave(_ intent: String, _ task: Task<Result<PaidOrder, ClientFailure>, Never>) {
        guard underWay[intent]?.task == task else { return }
        underWay[intent]?.waiting -= 1
        if underWay[intent]?.waiting == 0 { task.cancel() }
    }

    private func outcome(_ intent: String, _ wish: Wish) async -> Result<PaidOrder, ClientFailure> {
        do throws(ClientFailure) { return .success(try await fulfil(intent, wish)) } catch { return .failure(error) }
    }

    private func fulfil(_ intent: String, _ wish: Wish) async throws(ClientFailure) -> PaidOrder {
        let kept: OutboxEntry?
        do throws(StoreError) { kept = try await outbox.entry(intent) } catch { throw PaymentAttempts.notStored(error) }
        let entry: OutboxEntry
        if let kept {
            if case .done(let receipt) = kept.state, wish.order == nil || wish.order == kept.order {
                return PaidOrder(order: kept.order, receipt: receipt)
            }
            entry = try next(kept, wish.order ?? kept.order)
        } else {
            entry = new(intent, try await order(intent, wish))
        }
        return PaidOrder(order: entry.order, receipt: try await attempts.send(entry))
    }

    /// What to send for a wish that was begun before and is not done, or done with another order.
    private func next(_ kept: OutboxEntry, _ order: PaymentOrder) throws(ClientFailure) -> OutboxEntry {
        let (same, remembered) = (kept.order == order, keyWindow.allows(kept.sentAt, now: attempts.caller.clock.now()))
        switch kept.state {
        case .done:
            throw ClientFailure(.rejected, "\(kept.order.amount) was paid already under this intent", mayHaveLeft: false)
        case .refused: return same && remembered ? kept : new(kept.intent, order)
        case .open where !kept.mayHaveLeft: return same ? kept : new(kept.intent, order)
        case .open where !same:
            throw ClientFailure(
                .outcomeUnknown, "whether \(kept.order.amount) was paid is not known yet: finish that first", mayHaveLeft: true)
        case .open where !remembered:
            throw ClientFailure(
                .outcomeUnknown,
                "whether \(order.amount) was paid is not known, and the bank may have forgotten the key: sent again "
                    + "it could be paid twice. Look at the account", mayHaveLeft: true)
        case .open: return kept
        }
    }

    private func order(_ intent: String, _ wish: Wish) async throws(ClientFailure) -> PaymentOrder {
        switch wish {
        case .order(let order): return order
        case .workedOut(let order): return try await order()
        case .begun: throw ClientFailure(.nothingToDo, "no payment of the intent \(intent) was begun", mayHaveLeft: false)
        }
    }

    private func new(_ intent: String, _ order: PaymentOrder) -> OutboxEntry {
        OutboxEntry(intent: intent, order: order, key: makeKey(), body: attempts.calls.body(for: order))
    }
}
