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
/// - a wish is its customer's: it goes with no other customer's token, not even in a retry after somebody else has signed
///   in, and it is told to nobody else; until its customer is back it stays as it is. Another customer's wish of the same
///   name is another wish;
/// - whoever waits and is called off leaves at once; the last one to do so calls the sending off, and hears how far it came;
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
    private var underWay: [Name: Sending] = [:]

    private struct Name: Hashable, Sendable { var owner, intent: String }

    /// What is asked for.
    private enum Wish: Sendable {
        case order(PaymentOrder)
        case workedOut(@Sendable () async throws(ClientFailure) -> PaymentOrder)
        case begun

        var order: PaymentOrder? { if case .order(let order) = self { order } else { nil } }
    }

    /// One sending, for all who wait for it.
    private struct Sending {
        var order: PaymentOrder?
        var work: SharedWork<Result<PaidOrder, ClientFailure>>
    }

    /// - Parameters:
    ///   - keyWindow: how long the bank remembers a key.
    ///   - makeKey: a new idempotency key at each call.
    public init(outbox: any Outbox, attempts: PaymentAttempts, keyWindow: KeyWindow, makeKey: @escaping @Sendable () -> String) {
        self.outbox = outbox
        self.attempts = attempts
        self.keyWindow = keyWindow
        self.makeKey = makeKey
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

    /// Waits for the sending under way, or begins one.
    private func joined(_ intent: String, _ wish: Wish) async throws(ClientFailure) -> PaidOrder {
        let name = Name(owner: try await owner(), intent: intent)
        while let other = underWay[name] {
            if wish.order == nil || wish.order == other.order, let place = other.work.join() {
                return try await outcome(name, other, at: place)
            }
            // One that is called off, or of another order, is not ours: its end is waited for, as the outbox then knows more.
            guard await other.work.hasEnded() else {
                throw ClientFailure(.cancelled, "called off before anything was sent", mayHaveLeft: false)
            }
            if underWay[name]?.work === other.work { underWay[name] = nil }
        }
        let sending = Sending(order: wish.order, work: SharedWork(whenAbandoned: .isCalledOff) { await self.fulfilled(name, wish) })
        underWay[name] = sending
        return try await outcome(name, sending, at: sending.work.join())
    }

    private func outcome(
        _ name: Name, _ sending: Sending, at place: SharedWork<Result<PaidOrder, ClientFailure>>.Place?
    ) async throws(ClientFailure) -> PaidOrder {
        guard let place, let outcome = await sending.work.value(at: place) else {
            throw ClientFailure(.cancelled, "called off; the payment goes on, as others wait for it", mayHaveLeft: true)
        }
        if underWay[name]?.work === sending.work { underWay[name] = nil }
        return try outcome.get()
    }

    /// Whose wish it is that somebody asks for: that of whoever is signed in.
    private func owner() async throws(ClientFailure) -> String {
        guard let token = try await attempts.caller.keeper.current() else {
            throw ClientFailure(.unauthorized, "nobody is signed in", mayHaveLeft: false)
        }
        return token.customer
    }

    private func fulfilled(_ name: Name, _ wish: Wish) async -> Result<PaidOrder, ClientFailure> {
        do throws(ClientFailure) { return .success(try await fulfil(name, wish)) } catch { return .failure(error) }
    }

    private func fulfil(_ name: Name, _ wish: Wish) async throws(ClientFailure) -> PaidOrder {
        let kept: OutboxEntry?
        let others: Set<String>
        do throws(StoreError) {
            kept = try await outbox.entry(name.intent, of: name.owner)
            others = kept == nil ? try await outbox.owners(of: name.intent) : []
        } catch { throw PaymentAttempts.notStored(error) }
        let entry: OutboxEntry
        if let kept {
            if case .done(let receipt) = kept.state, wish.order == nil || wish.order == kept.order {
                return PaidOrder(order: kept.order, receipt: receipt)
            }
            entry = try next(kept, wish.order ?? kept.order)
        } else {
            try checkThatNew(name, others)
            entry = new(name, try await order(name, wish))
        }
        return PaidOrder(order: entry.order, receipt: try await attempts.send(entry))
    }

    /// Nothing is begun under a name that may stand for a wish of the same person: it could be paid twice.
    private func checkThatNew(_ name: Name, _ others: Set<String>) throws(ClientFailure) {
        guard !others.contains("") else {
            throw ClientFailure(
                .outcomeUnknown,
                "found a payment of the intent \(name.intent) that an older version kept without its customer: it is not sent. Look at "
                    + "the account, and ask under another intent if it was not paid", mayHaveLeft: true)
        }
        guard others.isEmpty || Owner.isNamed(name.owner) && others.allSatisfy(Owner.isNamed) else {
            throw ClientFailure(
                .unauthorized,
                "the intent \(name.intent) was begun under another token, and whose tokens they are was not said: sign in as "
                    + "whoever began it", mayHaveLeft: false)
        }
    }

    /// What to send for a wish that was begun before and is not done, or done with another order.
    private func next(_ kept: OutboxEntry, _ order: PaymentOrder) throws(ClientFailure) -> OutboxEntry {
        let (same, remembered) = (kept.order == order, keyWindow.allows(kept.sentAt, now: attempts.caller.clock.now()))
        switch kept.state {
        case .done:
            throw ClientFailure(.rejected, "\(kept.order.amount) was paid already under this intent", mayHaveLeft: false)
        case .refused: return same && remembered ? kept : new(Name(owner: kept.owner, intent: kept.intent), order)
        case .open where !kept.mayHaveLeft: return same ? kept : new(Name(owner: kept.owner, intent: kept.intent), order)
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

    private func order(_ name: Name, _ wish: Wish) async throws(ClientFailure) -> PaymentOrder {
        switch wish {
        case .order(let order): return order
        case .workedOut(let workOut):
            let order = try await workOut()
            guard try await owner() == name.owner else {
                throw ClientFailure(.unauthorized, "another customer has signed in", mayHaveLeft: false)
            }
            return order
        case .begun: throw ClientFailure(.nothingToDo, "no payment of the intent \(name.intent) was begun", mayHaveLeft: false)
        }
    }

    private func new(_ name: Name, _ order: PaymentOrder) -> OutboxEntry {
        OutboxEntry(owner: name.owner, intent: name.intent, order: order, key: makeKey(), body: attempts.calls.body(for: order))
    }
}
