import BankModel

/// Pays: one intent, one key, however often it is sent.
package protocol PaymentSending: Sendable {
    /// Makes the payment, or returns the receipt of the one already made.
    ///
    /// - Throws: ``ClientFailure``; `rejected` is final, `outcomeUnknown` is not: call again with the same intent.
    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt
    /// Makes a payment whose order is computed at the first call. From then on the stored order counts, whatever `order`
    /// would return.
    ///
    /// - Throws: as ``pay(_:_:)``, and the errors of `order`.
    func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder
    /// Finishes a payment begun earlier; `nothingToDo` if there is none of that intent.
    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt
}

/// Sends payments from an outbox, by these rules:
/// - key and bytes are stored before the first byte is sent, and are the same on every attempt, also after a crash, and in every process
///   of the app that shares the outbox;
/// - one payment is sent by one task at a time: double taps wait for the same response;
/// - a payment belongs to its customer: it is never sent with another customer's token, not even in a retry after another
///   sign-in, and never shown to another; it remains unchanged until its customer is back. The same intent of another
///   customer is another payment;
/// - a waiting task that is cancelled leaves at once; the last one to leave cancels the sending, and receives its outcome;
/// - a final response closes the payment; anything else leaves it open under its key;
/// - a rejected payment with another order is a correction and gets a new key (a bank may store the rejection under the old
///   one);
/// - an open payment that may have reached the bank cannot be changed before its outcome is known;
/// - nor is it sent again once the bank may have forgotten its key: that would be a second payment. Banks cannot be queried
///   by key, so its outcome remains unknown here, and a user must check the account.
package actor PaymentSender: PaymentSending {
    private let outbox: any Outbox
    private let attempts: PaymentAttempts
    private let keyWindow: KeyWindow
    private let makeKey: @Sendable () -> String
    private var underWay: [Name: Sending] = [:]

    private struct Name: Hashable, Sendable { var owner, intent: String }

    /// What the caller asks for.
    private enum Demand: Sendable {
        case order(PaymentOrder)
        case workedOut(@Sendable () async throws(ClientFailure) -> PaymentOrder)
        case begun

        var order: PaymentOrder? { if case .order(let order) = self { order } else { nil } }
    }

    /// One sending, shared by all tasks that wait for it.
    private struct Sending {
        var order: PaymentOrder?
        var work: SharedWork<Result<PaidOrder, ClientFailure>>
    }

    /// - Parameters:
    ///   - keyWindow: the time for which the bank remembers a key.
    ///   - makeKey: returns a new idempotency key at each call.
    package init(outbox: any Outbox, attempts: PaymentAttempts, keyWindow: KeyWindow, makeKey: @escaping @Sendable () -> String) {
        self.outbox = outbox
        self.attempts = attempts
        self.keyWindow = keyWindow
        self.makeKey = makeKey
    }

    package func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        try await joined(intent, .order(order)).receipt
    }

    package func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder {
        try await joined(intent, .workedOut(order))
    }

    package func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt { try await joined(intent, .begun).receipt }

    /// Waits for the sending in progress, or begins one.
    private func joined(_ intent: String, _ demand: Demand) async throws(ClientFailure) -> PaidOrder {
        let name = Name(owner: try await owner(), intent: intent)
        while let other = underWay[name] {
            if demand.order == nil || demand.order == other.order, let ticket = other.work.join() {
                return try await outcome(name, other, at: ticket)
            }
            // A sending that is cancelled, or has another order, cannot be shared: its end is awaited, as the outbox then has
            // its outcome.
            guard await other.work.hasEnded() else {
                throw ClientFailure(.cancelled, "cancelled before anything was sent", mayHaveLeft: false)
            }
            if underWay[name]?.work === other.work { underWay[name] = nil }
        }
        let sending = Sending(order: demand.order, work: SharedWork(whenAbandoned: .isCalledOff) { await self.fulfilled(name, demand) })
        underWay[name] = sending
        return try await outcome(name, sending, at: sending.work.join())
    }

    private func outcome(
        _ name: Name, _ sending: Sending, at ticket: SharedWork<Result<PaidOrder, ClientFailure>>.Ticket?
    ) async throws(ClientFailure) -> PaidOrder {
        guard let ticket, let outcome = await sending.work.value(at: ticket) else {
            throw ClientFailure(.cancelled, "cancelled; the payment continues, because other callers wait for it", mayHaveLeft: true)
        }
        if underWay[name]?.work === sending.work { underWay[name] = nil }
        return try outcome.get()
    }

    /// The customer whose payment is requested: the one who is signed in.
    private func owner() async throws(ClientFailure) -> String { try await attempts.caller.token().customer }

    private func fulfilled(_ name: Name, _ demand: Demand) async -> Result<PaidOrder, ClientFailure> {
        do throws(ClientFailure) { return .success(try await fulfil(name, demand)) } catch { return .failure(error) }
    }

    private func fulfil(_ name: Name, _ demand: Demand) async throws(ClientFailure) -> PaidOrder {
        let kept: OutboxEntry?
        let others: Set<String>
        do throws(StorageError) {
            kept = try await outbox.entry(name.intent, of: name.owner)
            others = kept == nil ? try await outbox.owners(of: name.intent) : []
        } catch { throw PaymentAttempts.notStored(error) }
        let entry: OutboxEntry
        if let kept {
            var order = demand.order ?? kept.order
            // After a restart a quote that was shown is known from the stored payment alone.
            order.quote = order.quote ?? kept.order.quote
            if case .done(let receipt) = kept.state, order == kept.order { return PaidOrder(order: order, receipt: receipt) }
            entry = try await claimed(try next(kept, order), insteadOf: kept)
        } else {
            try checkThatNew(name, others)
            entry = try await claimed(new(name, try await order(name, demand)), insteadOf: nil)
        }
        if case .done(let receipt) = entry.state { return PaidOrder(order: entry.order, receipt: receipt) }
        return PaidOrder(order: entry.order, receipt: try await attempts.send(entry))
    }

    /// The payment of the intent: this one, or the one that another process of the app has begun meanwhile.
    private func claimed(_ entry: OutboxEntry, insteadOf kept: OutboxEntry?) async throws(ClientFailure) -> OutboxEntry {
        guard entry.key != kept?.key else { return entry }
        let stored: OutboxEntry
        do throws(StorageError) { stored = try await outbox.claim(entry, replacing: kept?.key) } catch {
            throw PaymentAttempts.notStored(error)
        }
        guard stored.key != entry.key else { return entry }
        if case .done = stored.state, stored.order == entry.order { return stored }
        return try next(stored, entry.order)
    }

    /// Rejects an intent that may name an existing payment of the same customer: it could be paid twice.
    private func checkThatNew(_ name: Name, _ others: Set<String>) throws(ClientFailure) {
        guard others.isEmpty || Owner.isNamed(name.owner) && others.allSatisfy(Owner.isNamed) else {
            throw ClientFailure(
                .unauthorized,
                "the intent \(name.intent) was started with another token that names no customer: sign in as "
                    + "the customer who started it", mayHaveLeft: false)
        }
    }

    /// The entry to send for an intent that was begun earlier and is not done, or was done with another order.
    private func next(_ kept: OutboxEntry, _ order: PaymentOrder) throws(ClientFailure) -> OutboxEntry {
        let (same, remembered) = (kept.order == order, keyWindow.allows(kept.sentAt, now: attempts.caller.clock.now()))
        switch kept.state {
        case .done:
            throw ClientFailure(.rejected, "\(kept.order.amount) was already paid under this intent", mayHaveLeft: false)
        case .rejected:
            // Another body must not go under the old key.
            let body = attempts.calls.renewedBody(of: kept)
            let stands = same && remembered && (body == nil || body == kept.body)
            return stands ? kept : new(Name(owner: kept.owner, intent: kept.intent), order)
        case .open where !kept.mayHaveLeft: return same ? renewed(kept) : new(Name(owner: kept.owner, intent: kept.intent), order)
        case .open where !same:
            throw ClientFailure(
                .outcomeUnknown, "the outcome of the payment of \(kept.order.amount) is not known yet: resume it first", mayHaveLeft: true)
        case .open where !remembered:
            throw ClientFailure(
                .outcomeUnknown,
                "the outcome of the payment of \(order.amount) is not known, and its idempotency key may have expired: a retry "
                    + "could pay twice. Check the account", mayHaveLeft: true)
        case .open: return kept
        }
    }

    /// The unsent payment, under another key if it must have another body now: the bank may have seen the old key in a request that it
    /// rejected for its token.
    private func renewed(_ unsent: OutboxEntry) -> OutboxEntry {
        guard let body = attempts.calls.renewedBody(of: unsent), body != unsent.body else { return unsent }
        return new(Name(owner: unsent.owner, intent: unsent.intent), unsent.order)
    }

    private func order(_ name: Name, _ demand: Demand) async throws(ClientFailure) -> PaymentOrder {
        switch demand {
        case .order(let order): return order
        case .workedOut(let workOut):
            let order = try await workOut()
            guard try await owner() == name.owner else {
                throw ClientFailure(.unauthorized, "another customer has signed in", mayHaveLeft: false)
            }
            return order
        case .begun: throw ClientFailure(.nothingToDo, "no payment with the intent \(name.intent) was started", mayHaveLeft: false)
        }
    }

    private func new(_ name: Name, _ order: PaymentOrder) -> OutboxEntry {
        OutboxEntry(
            owner: name.owner, intent: name.intent, order: order, key: makeKey(), body: attempts.calls.body(for: order, of: name.intent))
    }
}
