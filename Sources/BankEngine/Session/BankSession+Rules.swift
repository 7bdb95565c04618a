import BankCore
package import BankModel
package import Faults
import Platform

/// Rules and outages: setting them, the exchanges that they hold, and their scheduled changes.
extension BankSession {
    /// Sets a rule.
    ///
    /// - Returns: its id.
    /// - Throws: ``RuleError`` if the rule could never apply here.
    package func set(_ rule: Rule) throws(RuleError) -> String {
        let id = try inner.withLock { inner throws(RuleError) in
            try RuleError.check(rule, inner.state.bank, inner.reach)
            return inner.rules.set(rule, at: time(&inner))
        }
        applyRules()
        return id
    }

    /// Lets an upstream answer, in place of the bank, the requests that the selector matches; of several the last counts. A
    /// reset ends it.
    ///
    /// - Throws: ``RuleError`` if the selector could never match a request here.
    package func answer(_ selector: RuleSelector, by upstream: any Upstream) throws(RuleError) {
        try inner.withLock { inner throws(RuleError) in
            try RuleError.check(selector, inner.state.bank, inner.reach)
            inner.selectedUpstreams.append(LockedState.SelectedUpstream(selector: selector, upstream: upstream))
        }
    }

    /// The rules that were set one by one.
    package var rules: [ArmedRule] { inner.withLock { $0.rules.rules } }

    /// The counts of a rule that is set, or was removed a while ago; nil for another id.
    package func counts(ofRule id: String) -> RuleBook.Counts? { inner.withLock { $0.rules.counts(of: id) } }

    /// Redacts rules for display: the conditions of a rule may hold secrets.
    package func shown(_ rules: JSON) -> JSON { inner.withLock { Redaction($0.state) }.rule(rules) }

    /// Removes a rule and drops the exchanges that it holds; false if no rule has that id.
    package func removeRule(_ id: String) -> Bool {
        let found = inner.withLock { $0.rules.remove(id) }
        applyRules()
        return found
    }

    /// Removes all rules that were set one by one, and drops the exchanges that they hold.
    package func removeRules() {
        inner.withLock { $0.rules.removeAll() }
        applyRules()
    }

    /// Releases everything that is held.
    ///
    /// - Returns: the number of exchanges and connections released.
    @discardableResult
    package func release() -> Int {
        let held = inner.withLock { $0.held.takeAll() }
        held.forEach { $0.end(.released) }
        return held.count
    }

    /// The number of exchanges and connections held now.
    package var heldCount: Int { inner.withLock { $0.held.count } }

    // MARK: outages

    /// The running or last outage, and the time left by its clock; nil if it runs until it is ended.
    package var outage: (outage: ArmedOutage, isOver: Bool, left: Duration?)? {
        inner.withLock { inner in
            let time = time(&inner)
            return inner.rules.outage.map { ($0, $0.isOver(at: time), $0.window.left(at: time)) }
        }
    }

    /// Starts a plan. Its rules come after those that were set one by one.
    ///
    /// - Parameters:
    ///   - limit: the maximum running time, by the plan's clock.
    ///   - seed: replaces the plan's own seed.
    ///   - replaces: whether it replaces a running outage.
    /// - Throws: ``OutageError`` if another one is running, or none of its rules can apply here.
    package func start(_ plan: Plan, limit: Duration? = nil, seed: UInt64? = nil, replaces: Bool = false) throws(OutageError) -> ArmedOutage
    {
        let outage = try inner.withLock { inner throws(OutageError) in
            let time = time(&inner)
            if let running = inner.rules.outage, !running.isOver(at: time), !replaces { throw .running(running.name) }
            let (bank, reach) = (inner.state.bank, inner.reach)
            let tokens =
                bank.auth == nil
                ? "bank \(bank.name) issues no tokens" : reach.isForwarded ? "a real bank's tokens cannot be expired from here" : nil
            let outage = ArmedOutage(plan, limit: limit, seed: seed, at: time, tokenExclusion: tokens) { rule in
                do throws(RuleError) {
                    try RuleError.check(rule, bank, reach)
                    return nil
                } catch {
                    return error.description
                }
            }
            if outage.isIdle { throw .nothingApplies(plan.name, outage.skipped) }
            inner.rules.start(outage)
            return outage
        }
        applyRules()
        return outage
    }

    /// Ends the outage and drops the exchanges that it holds; false if none was started.
    package func endOutage() -> Bool {
        let ended = inner.withLock { $0.rules.endOutage() != nil }
        applyRules()
        return ended
    }

    // MARK: scheduled changes

    /// Applies the current rules to the whole session: drops exchanges held by removed rules, expires tokens, and closes or opens
    /// the session's ports. Schedules itself for the time when the next rule begins or ends.
    package func applyRules() {
        let (held, ports) = inner.withLock { inner in
            let now = inner.processDueEvents(clock)
            let time = RuleTime(mono: clock.monotonic(), session: now)
            _ = inner.rules.removeExpired(at: time)
            let active = Set(inner.rules.active(at: time).map(\.id))
            let held = inner.held.takeAll(notBy: active)
            inner.noteClosedPorts(at: time)
            answersEarly.withLock { $0 = inner.rules.mayAnswerEarly }
            inner.alarm?()
            inner.alarm = nil
            let isRunning = inner.state.clock.mode == .running
            if let timer, !inner.isClosed, let next = inner.rules.untilChange(at: time, isSessionClockRunning: isRunning) {
                // Slightly late, so that the change is due by then; at most one day, so that the sum does not overflow.
                let wait = min(next, .seconds(86_400)) + .microseconds(100)
                inner.alarm = timer.schedule(after: wait) { [weak self] in self?.applyRules() }
            }
            return (held, inner.listeners.ports.map { ($0, inner.listeners.isRefusing) })
        }
        held.forEach { $0.end(.dropped) }
        for (port, isRefusing) in ports { port.set(isOpen: !isRefusing) }
        deliver()
    }

    /// Returns when the session's ports are open or closed as the rules require; after a few seconds if the system does not let one
    /// open.
    package func waitForPorts() async {
        for port in inner.withLock({ $0.listeners.ports }) { await port.waitForChange() }
    }

    private func time(_ inner: inout LockedState) -> RuleTime { RuleTime(mono: clock.monotonic(), session: inner.processDueEvents(clock)) }
}

extension BankSession.LockedState {
    /// The session's properties that decide which rules can apply to it.
    var reach: RuleReach {
        RuleReach(
            hasOwnPort: !listeners.ports.isEmpty, protocols: listeners.protocols, isSecure: listeners.isSecure,
            signsIntermediates: listeners.signsIntermediates, isForwarded: upstream != nil)
    }

    /// Updates whether a rule makes the ports refuse connections; records the beginning in the journal.
    fileprivate mutating func noteClosedPorts(at time: RuleTime) {
        let record = rules.closedPort(at: time, isNew: !listeners.isRefusing)
        if let record, !listeners.isRefusing {
            var entry = ExchangeRecord(withoutRequest: journal.takeSeq(), at: time.session, mono: time.mono)
            entry.note(record)
            entry.receipt = Receipt(end: .fin)
            entry.durationMicroseconds = 0
            tally.count(entry)
            journal.append(entry)
        }
        listeners.isRefusing = record != nil && !isClosed
    }
}

/// The reason why an outage cannot be started.
package enum OutageError: Error, Sendable, Hashable, CustomStringConvertible {
    case running(String)
    /// The plan, and its rules that can never apply here; none if it would end before anything of it begins.
    case nothingApplies(String, [String])

    package var description: String {
        switch self {
        case .running(let name):
            "the outage \(name) is running; stop it first, or replace it (`replace` of the call, `--replace` of the command)"
        case .nothingApplies(let name, []): "the outage \(name) would end before anything of it begins"
        case .nothingApplies(let name, let skipped): "no rule of \(name) can apply here: \(skipped.joined(separator: "; "))"
        }
    }
}
