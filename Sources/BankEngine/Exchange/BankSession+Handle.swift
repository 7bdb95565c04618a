import BankCore
package import BankModel
import Faults
import Platform

/// The calls of the wire: answer, proceed, complete.
extension BankSession {
    /// Answers a request by state and rules, and records it; sends nothing yet.
    package func handle(_ wire: WireRequest) -> ResponsePlan {
        handling(wire) { inner in Exchange.answer(wire, in: &inner, of: self) }
    }

    /// Whether a rule may answer a request before its body has ended.
    package var mayAnswerEarly: Bool { answersEarly.withLock { $0 } }

    /// Answers a request whose body has not come yet.
    ///
    /// - Parameter wire: the request with an empty body.
    /// - Returns: nil if no rule applies: the whole request must be read.
    package func handleEarly(_ wire: WireRequest) -> ResponsePlan? {
        handling(wire) { inner in Exchange.answerEarly(wire, in: &inner, of: self) }
    }

    /// Records a request whose body did not come whole. Nothing is admitted or executed, and no rule is applied.
    ///
    /// - Parameters:
    ///   - wire: the request with as much of its body as came.
    ///   - status: the status with which the wire rejected it; nil if its client was gone.
    package func noteIncomplete(_ wire: WireRequest, status: Int?) {
        handling(wire) { inner in
            let now = inner.processDueEvents(clock)
            let tracked = inner.connections.countRequest(of: wire.connection)
            var record = ExchangeRecord(wire, tracked, seq: inner.journal.takeSeq(), at: now)
            AdmittedRequest(wire: wire, tracked: tracked, found: inner.state.recognize(wire.request)).describe(in: &record, inner)
            inner.record(&record, wire.request)
            record.status = status
            record.receipt = Receipt(end: .incomplete)
            record.durationMicroseconds = (clock.monotonic() - wire.mono) / 1000
            inner.tally.count(record)
            inner.journal.append(record)
        }
    }

    /// Handles a request under the lock, then calls the journal's watchers.
    private func handling<Result: Sendable>(_ wire: WireRequest, _ body: (inout LockedState) -> Result) -> Result {
        let (result, isNew, hasWaitingStreams) = changeJournal { inner in
            let isNew = !inner.connections.knows(wire.connection)
            return (body(&inner), isNew, inner.streams.hasWaiting)
        }
        if isNew { forgetWhenClosed(wire.connection) }
        if hasWaitingStreams { wakeStreams() }
        return result
    }

    /// Executes a pending exchange: the steps that its response needs replace the remaining ones. If the state that admitted it was
    /// replaced meanwhile, by a reset or a restore, the connection is closed instead.
    ///
    /// - Parameter forwarded: the response of a real bank; nil if the core answers.
    package func proceed(_ plan: ResponsePlan, with forwarded: UpstreamResponse? = nil) -> ResponsePlan {
        guard case .pending(let pending) = plan.execution else { return plan }
        defer { wakeStreams() }
        return changeJournal { inner in
            var next = plan
            next.execution = .over
            next.durable = nil
            next.outgoing.skipToExecute()
            guard inner.state.generation == plan.generation else {
                next.outgoing.steps = [.close]
                return next
            }
            if forwarded != nil, let ticket = pending.asked.ticket { inner.state.abandon(ticket) }
            return Exchange.proceed(pending, next, in: &inner, of: self, with: forwarded)
        }
    }

    /// Records how an exchange ended on the wire, and frees its ticket and its hold.
    package func complete(_ plan: ResponsePlan, _ receipt: Receipt, status: Int?) {
        let (wantsCheckpoint, wantsDelivery) = changeJournal { inner in
            if let ticket = plan.execution.ticket, inner.state.generation == plan.generation { inner.state.abandon(ticket) }
            if plan.held != nil { _ = inner.held.take(plan.seq, plan.held) }
            let mono = clock.monotonic()
            let isRecorded = inner.finish(plan.seq, receipt, status: status, mono: mono)
            // The journal has dropped its record, with the operation and the beginning.
            if !isRecorded { inner.tally.count(nil, status: status, microseconds: nil) }
            return (inner.log?.wantsCheckpoint ?? false, inner.canDeliver(mono: mono))
        }
        if wantsCheckpoint { checkpointIfDue() }
        if wantsDelivery { deliver() }
    }

    /// Corrects the records of a connection's responses once it is gone, all in one step: no reader of the journal sees a part of it.
    ///
    /// - Parameters:
    ///   - responses: the number of each exchange, and how many bytes of its response the client's machine has not acknowledged.
    ///   - isReset: whether the client has reset the connection after them.
    package func amend(_ responses: [(seq: Int, unacknowledged: Int)], isReset: Bool) {
        changeJournal { inner in
            for (seq, unacknowledged) in responses {
                inner.journal.amend(seq) { record in
                    // Bytes after a response are not needed to know it, and a connection that the server ended stays one.
                    if record.receipt.end == .kept, unacknowledged > record.receipt.rawBytes { record.receipt.end = .clientGone }
                    record.receipt.unsent = unacknowledged
                    record.receipt.isReset = isReset
                }
            }
        }
    }
}

extension BankSession.LockedState {
    /// The initial plan of an exchange.
    func newPlan(_ seq: Int, _ request: BankRequest, at now: Instant) -> ResponsePlan {
        // A real bank sends its own request ids.
        let name = upstream == nil ? state.bank.dialect.requestID : nil
        return ResponsePlan(
            seq: seq, generation: state.generation, outgoing: .executed, date: dateText(now), requestIDName: name,
            requestID: name.flatMap(request.header) ?? requestID(seq))
    }

    /// The response to every request of a session whose ledger does not add up. A reset, a restored snapshot or a restart opens it again.
    mutating func closedResponse(to request: BankRequest, at now: Instant) -> BankResponse {
        let detail = "the session is closed: its postings do not add up to 0. This is a bug in Counterfoil; reset the session and report it"
        return state.dialectResponse(.maintenance, to: request, detail: detail, at: now)
    }

    /// Processes all events that are due by now.
    ///
    /// - Returns: the session's now.
    mutating func processDueEvents(_ clock: MachineClock) -> Instant {
        let now = state.advanceClock(machine: clock.now())
        if rules.outage != nil, rules.takeDueEvents(at: RuleTime(mono: clock.monotonic(), session: now)) {
            try? state.expireTokens(id: nil, at: now)
        }
        var booked = state.ledger.movements.count
        while let (name, instant) = state.performFirstDue(by: now, limit) {
            tally.countBooked(state.ledger.movements, after: booked)
            booked = state.ledger.movements.count
            _ = commit(name, at: instant)
        }
        state.settle(at: now)
        if state.announceEnded() { _ = commit("webhook", at: now) }
        return now
    }

    /// Registers a waiting exchange, so that it can be released or dropped from outside.
    mutating func hold(_ plan: inout ResponsePlan) {
        let waits = plan.outgoing.steps.compactMap(\.wait)
        guard !waits.isEmpty else { return }
        let (rules, isEndless) = (Set(waits.map(\.rule)), waits.contains(where: \.isEndless))
        let held = plan.held?.with(rules, isEndless: isEndless) ?? HeldExchanges.Held(rules: rules, isEndless: isEndless)
        plan.held = held
        register(held, seq: plan.seq)
    }

    /// Registers a hold. In a session that has ended since the request or connection was routed to it, the hold ends at once.
    mutating func register(_ held: HeldExchanges.Held, seq: Int) {
        if isClosed { held.end(.dropped) } else { self.held.add(held, seq: seq) }
    }

    /// Records how an exchange ended, and counts it unless its end was recorded before.
    ///
    /// - Returns: whether the journal still has its record.
    mutating func finish(_ seq: Int, _ receipt: Receipt, status: Int?, mono: Int64) -> Bool {
        let hadEnded = journal.amend(seq) { record -> Bool in
            defer { record.durationMicroseconds = (mono - record.mono) / 1000 }
            record.receipt = receipt
            record.status = status
            return record.durationMicroseconds != nil
        }
        if hadEnded == false, let record = journal.record(seq) { tally.count(record) }
        return hadEnded != nil
    }
}

extension WireStep {
    /// The rule that makes it wait, and whether for a release; nil for a step that takes no time.
    var wait: (rule: String, isEndless: Bool)? {
        switch self {
        case .hold(let rule), .pause(.released, let rule): (rule: rule, isEndless: true)
        case .pause(_, let rule), .trickle(_, _, _, let rule): (rule: rule, isEndless: false)
        default: nil
        }
    }
}
