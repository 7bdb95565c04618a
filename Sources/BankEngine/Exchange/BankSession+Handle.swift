package import BankCore
package import BankModel
import Faults
import Synchronization

/// What the wire asks of a session.
extension BankSession {
    /// Answers requests one after the other by state and rules, and records them; nothing is sent yet.
    ///
    /// - Returns: a delivery for each, in their order.
    package func handle(_ wires: ArraySlice<WireRequest>) -> [Delivery] {
        handling { inner, dropped in wires.map { Exchange.answer($0, in: &inner, clock, dropping: &dropped) } }
    }

    /// Answers a request, as ``handle(_:)`` does several.
    package func handle(_ wire: WireRequest) -> Delivery {
        handling { inner, dropped in Exchange.answer(wire, in: &inner, clock, dropping: &dropped) }
    }

    /// Lets requests be handled; then frees what the journal has dropped for them, and calls back who watches it.
    private func handling<Result: Sendable>(_ body: (inout Inner, inout [ExchangeRecord]) -> Result) -> Result {
        let (result, watchers, _) = inner.withLock { inner in
            var dropped: [ExchangeRecord] = []
            let result = body(&inner, &dropped)
            return (result, inner.watchers.isEmpty ? [] : inner.watchers.values.map(\.self), dropped)
        }
        watchers.forEach { $0() }
        return result
    }

    /// Executes an exchange that has waited for it: the steps that its reply needs take the place of those left. After a reset
    /// it is dropped.
    ///
    /// - Parameter forwarded: what a real bank has answered in the core's place.
    package func proceed(_ delivery: Delivery, with forwarded: Reply? = nil) -> Delivery {
        guard let pending = delivery.pending else { return delivery }
        let (next, watchers) = inner.withLock { inner -> (Delivery, [@Sendable () -> Void]) in
            var next = delivery
            next.pending = nil
            next.ticket = nil
            next.sending.comeToExecute()
            guard inner.resets == delivery.resets else {
                next.sending.steps = [.close]
                return (next, [])
            }
            let now = inner.settle(clock)
            if forwarded != nil, let ticket = delivery.ticket { inner.state.abandon(ticket) }
            // The journal may have dropped it meanwhile; it is executed all the same.
            var record = inner.journal.record(delivery.seq) ?? ExchangeRecord(dropped: delivery.seq, at: now)
            pending.exchange.proceed(
                &next, &record, in: &inner, RuleTime(mono: clock.monotonic(), session: now), with: forwarded)
            inner.journal.amend(delivery.seq) { $0 = record }
            return (next, inner.watchers.values.map(\.self))
        }
        watchers.forEach { $0() }
        return next
    }

    /// Writes down how an exchange ended on the wire; what it held is free again.
    package func complete(_ delivery: Delivery, _ receipt: Receipt, status: Int?) {
        let (watchers, wantsCheckpoint) = inner.withLock { inner in
            if let ticket = delivery.ticket, inner.resets == delivery.resets { inner.state.abandon(ticket) }
            if delivery.held != nil { _ = inner.held.take(delivery.seq, delivery.held) }
            inner.finish(delivery.seq, receipt, status: status, mono: clock.monotonic())
            return (inner.watchers.values.map(\.self), inner.log?.wantsCheckpoint ?? false)
        }
        watchers.forEach { $0() }
        if wantsCheckpoint { checkpointIfDue() }
    }

    /// Corrects the record of a reply that was recorded as sent, and whose client was gone.
    package func clientGone(_ seq: Int) {
        inner.withLock { $0.finish(seq, Receipt(end: .clientGone), status: nil, mono: clock.monotonic()) }
    }

    // MARK: connections

    /// Numbers a connection that has reached this session for the first time.
    package func register(_ connection: any SessionConnection) -> Int { inner.withLock { $0.number(connection) } }

    package func unregister(_ connection: Int) { inner.withLock { $0.connections[connection] = nil } }
}

extension BankSession.Inner {
    /// The plan with which an exchange begins.
    mutating func newPlan(_ seq: Int, _ request: BankRequest, at now: Instant) -> Delivery {
        // A real bank has ids of its own.
        let name = upstream == nil ? requestIDName : nil
        return Delivery(
            seq: seq, resets: resets, sending: .executed, date: dateText(now), requestIDName: name,
            requestID: name.flatMap(request.header) ?? requestID(seq))
    }

    /// The session's now, with everything done that was due by then.
    mutating func settle(_ clock: MachineClock) -> Instant {
        let now = state.goOn(machine: clock.now())
        if rules.outage != nil, rules.takeDueEvents(at: RuleTime(mono: clock.monotonic(), session: now)) {
            try? state.expireTokens(id: nil, at: now)
        }
        state.settle(at: now)
        return now
    }

    /// Holds an exchange that waits, so that it can be released and ended from outside.
    mutating func hold(_ delivery: inout Delivery) {
        let rules = delivery.sending.waitingRules
        guard !rules.isEmpty else { return }
        if let held = delivery.held {
            self.held.add(held.with(rules), seq: delivery.seq)
        } else {
            let held = HeldExchanges.Held(rules: rules)
            self.held.add(held, seq: delivery.seq)
            delivery.held = held
        }
    }

    /// Writes down how an exchange ended.
    mutating func finish(_ seq: Int, _ receipt: Receipt, status: Int?, mono: Int64) {
        journal.amend(seq) { record in
            record.receipt = receipt
            record.status = status
            record.durationMicroseconds = (mono - record.mono) / 1000
        }
    }
}

extension Sending {
    /// The rules by which something in it waits.
    fileprivate var waitingRules: Set<String> {
        Set(
            steps.compactMap { step in
                switch step {
                case .pause(_, let rule), .hold(let rule), .trickle(_, _, _, let rule): rule
                default: nil
                }
            })
    }
}
