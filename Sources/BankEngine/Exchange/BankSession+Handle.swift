package import BankCore
package import BankModel
import Faults
import Synchronization

/// The calls of the wire: answer, proceed, complete.
extension BankSession {
    /// Answers requests one by one by state and rules, and records them; sends nothing yet.
    ///
    /// - Returns: a delivery for each request, in order.
    package func handle(_ wires: ArraySlice<WireRequest>) -> [Delivery] {
        handling { inner, dropped in wires.map { Exchange.answer($0, in: &inner, clock, dropping: &dropped) } }
    }

    /// Answers a request, as ``handle(_:)`` does several.
    package func handle(_ wire: WireRequest) -> Delivery {
        handling { inner, dropped in Exchange.answer(wire, in: &inner, clock, dropping: &dropped) }
    }

    /// Whether a rule may answer a request before its body has ended.
    package var mayAnswerEarly: Bool { answersEarly.load(ordering: .acquiring) }

    /// Answers a request whose body has not come yet.
    ///
    /// - Parameter wire: the request with an empty body.
    /// - Returns: nil if no rule says so: the whole request must be read.
    package func handleEarly(_ wire: WireRequest) -> Delivery? {
        handling { inner, dropped in Exchange.answerEarly(wire, in: &inner, clock, dropping: &dropped) }
    }

    /// Records a request whose body did not come whole. Nothing is admitted or executed, and no rule is applied.
    ///
    /// - Parameters:
    ///   - wire: the request with as much of its body as came.
    ///   - status: the status with which the wire refused it; nil if its client was gone.
    package func noteIncomplete(_ wire: WireRequest, status: Int?) {
        changeJournal { inner in
            var record = ExchangeRecord(wire, seq: inner.journal.takeSeq(), at: inner.settle(clock))
            Exchange(headOf: wire, in: inner).describe(in: &record, inner)
            inner.record(&record, wire.request)
            record.status = status
            record.receipt = Receipt(end: .incomplete)
            record.durationMicroseconds = (clock.monotonic() - wire.mono) / 1000
            inner.tally.count(record)
            inner.journal.append(record)
        }
    }

    /// Handles requests under the lock; then frees the records that the journal dropped for them, and calls its watchers.
    private func handling<Result: Sendable>(_ body: (inout Inner, inout [ExchangeRecord]) -> Result) -> Result {
        changeJournal { inner in
            var dropped: [ExchangeRecord] = []
            return (body(&inner, &dropped), dropped)
        }.0
    }

    /// Executes a pending exchange: the steps that its reply needs replace the remaining ones. If the state that admitted it was
    /// replaced meanwhile, by a reset or a restore, the connection is closed instead.
    ///
    /// - Parameter forwarded: the reply of a real bank; nil if the core answers.
    package func proceed(_ delivery: Delivery, with forwarded: Reply? = nil) -> Delivery {
        guard let pending = delivery.pending else { return delivery }
        return changeJournal { inner in
            var next = delivery
            next.pending = nil
            next.ticket = nil
            next.sending.comeToExecute()
            guard inner.state.generation == delivery.generation else {
                next.sending.steps = [.close]
                return next
            }
            let now = inner.settle(clock)
            if forwarded != nil, let ticket = delivery.ticket { inner.state.abandon(ticket) }
            // The exchange is executed even if the journal has dropped its record meanwhile.
            var record = inner.journal.record(delivery.seq) ?? ExchangeRecord(withoutRequest: delivery.seq, at: now)
            pending.exchange.proceed(
                &next, &record, in: &inner, RuleTime(mono: clock.monotonic(), session: now), with: forwarded)
            inner.journal.amend(delivery.seq) { $0 = record }
            return next
        }
    }

    /// Records how an exchange ended on the wire, and frees its ticket and its hold.
    package func complete(_ delivery: Delivery, _ receipt: Receipt, status: Int?) {
        let wantsCheckpoint = changeJournal { inner in
            if let ticket = delivery.ticket, inner.state.generation == delivery.generation { inner.state.abandon(ticket) }
            if delivery.held != nil { _ = inner.held.take(delivery.seq, delivery.held) }
            let isRecorded = inner.finish(delivery.seq, receipt, status: status, mono: clock.monotonic())
            // The journal has dropped its record, with the operation and the beginning.
            if !isRecorded { inner.tally.count(nil, status: status, microseconds: nil) }
            return inner.log?.wantsCheckpoint ?? false
        }
        if wantsCheckpoint { checkpointIfDue() }
    }

    /// Corrects the record of a reply that was recorded as sent although its client was gone.
    package func clientGone(_ seq: Int) {
        inner.withLock { _ = $0.finish(seq, Receipt(end: .clientGone), status: nil, mono: clock.monotonic()) }
    }
}

extension BankSession.Inner {
    /// The initial plan of an exchange.
    mutating func newPlan(_ seq: Int, _ request: BankRequest, at now: Instant) -> Delivery {
        // A real bank sends its own request ids.
        let name = upstream == nil ? requestIDName : nil
        return Delivery(
            seq: seq, generation: state.generation, sending: .executed, date: dateText(now), requestIDName: name,
            requestID: name.flatMap(request.header) ?? requestID(seq))
    }

    /// Performs everything that is due by now.
    ///
    /// - Returns: the session's now.
    mutating func settle(_ clock: MachineClock) -> Instant {
        let now = state.goOn(machine: clock.now())
        if rules.outage != nil, rules.takeDueEvents(at: RuleTime(mono: clock.monotonic(), session: now)) {
            try? state.expireTokens(id: nil, at: now)
        }
        state.settle(at: now)
        return now
    }

    /// Registers a waiting exchange, so that it can be released or dropped from outside.
    mutating func hold(_ delivery: inout Delivery) {
        let rules = delivery.sending.waitingRules
        guard !rules.isEmpty else { return }
        let isEndless = delivery.sending.hasEndlessWait
        if let held = delivery.held {
            self.held.add(held.with(rules, isEndless: isEndless), seq: delivery.seq)
        } else {
            let held = HeldExchanges.Held(rules: rules, isEndless: isEndless)
            self.held.add(held, seq: delivery.seq)
            delivery.held = held
        }
    }

    /// Records how an exchange ended, and counts it unless its end was recorded before.
    ///
    /// - Returns: whether the journal still has its record.
    mutating func finish(_ seq: Int, _ receipt: Receipt, status: Int?, mono: Int64) -> Bool {
        var isRecorded = false
        // Taken out while the journal is changed.
        var tally = ExchangeTally()
        swap(&tally, &self.tally)
        journal.amend(seq) { record in
            let hasEnded = record.durationMicroseconds != nil
            record.receipt = receipt
            record.status = status
            record.durationMicroseconds = (mono - record.mono) / 1000
            if !hasEnded { tally.count(record) }
            isRecorded = true
        }
        swap(&tally, &self.tally)
        return isRecorded
    }
}

extension Sending {
    /// Whether it waits for a release.
    fileprivate var hasEndlessWait: Bool {
        steps.contains { step in
            switch step {
            case .hold, .pause(.released, _): true
            default: false
            }
        }
    }

    /// The rules that make one of its steps wait.
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

extension WireStep {
    /// Whether it takes time.
    var isWait: Bool {
        switch self {
        case .pause, .hold, .trickle: true
        default: false
        }
    }
}
