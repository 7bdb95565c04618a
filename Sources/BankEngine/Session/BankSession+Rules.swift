import BankCore
package import BankModel
package import Faults
import Synchronization

/// Rules and outages: what is set, what it holds, and what happens by itself when its time comes.
extension BankSession {
    /// Sets a rule.
    ///
    /// - Returns: its id.
    /// - Throws: ``RuleError`` for a rule that could never strike here.
    package func set(_ rule: Rule) throws(RuleError) -> String {
        let id = try inner.withLock { inner throws(RuleError) in
            try RuleError.check(rule, inner.state.bank, inner.reach)
            return inner.rules.set(rule, at: time(&inner))
        }
        attend()
        return id
    }

    /// The rules that are set one by one.
    package var rules: [ArmedRule] { inner.withLock { $0.rules.rules } }

    /// A rule, or what holds some, as it is shown: without secrets by which it tells exchanges.
    package func shown(_ rules: JSON) -> JSON { inner.withLock { Redaction($0.state) }.rule(rules) }

    /// Removes a rule and ends what it holds; false if there is none of that id.
    package func removeRule(_ id: String) -> Bool {
        let found = inner.withLock { $0.rules.remove(id) }
        attend()
        return found
    }

    /// Removes all rules that were set one by one, and ends what they hold.
    package func removeRules() {
        inner.withLock { $0.rules.removeAll() }
        attend()
    }

    /// Delivers what is held until released.
    ///
    /// - Returns: how many exchanges that were.
    @discardableResult
    package func release() -> Int {
        let held = inner.withLock { $0.held.takeAll() }
        held.forEach { $0.end(.released) }
        return held.count
    }

    /// How many exchanges and connections are held now.
    package var heldCount: Int { inner.withLock { $0.held.count } }

    // MARK: outages

    /// The plan that runs, or has run last; what is left of it by its clock, nil if it goes on until somebody ends it.
    package var outage: (outage: ArmedOutage, isOver: Bool, left: Duration?)? {
        inner.withLock { inner in
            let time = time(&inner)
            return inner.rules.outage.map { ($0, $0.isOver(at: time), $0.window.left(at: time)) }
        }
    }

    /// Starts a plan. Its rules come behind those that are set one by one.
    ///
    /// - Parameters:
    ///   - limit: how long it runs at most, by the plan's clock.
    ///   - seed: in place of the plan's own.
    ///   - replaces: ends the one that runs.
    /// - Throws: ``OutageError`` if one runs, or no rule of it can strike here.
    package func start(_ plan: Plan, limit: Duration? = nil, seed: UInt64? = nil, replaces: Bool = false) throws(OutageError) -> ArmedOutage
    {
        let outage = try inner.withLock { inner throws(OutageError) in
            let time = time(&inner)
            if let running = inner.rules.outage, !running.isOver(at: time), !replaces { throw .running(running.name) }
            let (bank, reach) = (inner.state.bank, inner.reach)
            let tokens =
                bank.auth == nil
                ? "bank \(bank.name) issues no tokens" : reach.isForwarded ? "a real bank's tokens cannot be expired from here" : nil
            let outage = ArmedOutage(plan, limit: limit, seed: seed, at: time, tokenRefusal: tokens) { rule in
                do throws(RuleError) {
                    try RuleError.check(rule, bank, reach)
                    return nil
                } catch {
                    return error.description
                }
            }
            if outage.isIdle { throw .nothingStrikes(plan.name, outage.skipped) }
            inner.rules.start(outage)
            return outage
        }
        attend()
        return outage
    }

    /// Ends the plan and what it holds; false if none was started.
    package func endOutage() -> Bool {
        let ended = inner.withLock { $0.rules.endOutage() != nil }
        attend()
        return ended
    }

    // MARK: what happens by itself

    /// Brings everything in line with the rules as they are now: drops what rules held that are gone, expires tokens,
    /// closes or opens the session's ports; and comes back when the next rule begins or ends.
    package func attend() {
        let (held, ports) = inner.withLock { inner in
            let now = inner.settle(clock)
            let time = RuleTime(mono: clock.monotonic(), session: now)
            _ = inner.rules.removeExpired(at: time)
            let active = Set(inner.rules.active(at: time).map(\.id))
            let held = inner.held.takeAll(notBy: active)
            inner.refuse(at: time)
            inner.alarm?()
            inner.alarm = nil
            let isRunning = inner.state.clock.mode == .running
            if let timer, !inner.isClosed, let next = inner.rules.untilChange(at: time, isSessionClockRunning: isRunning) {
                // A little later than due, so that it is due by then; at most a day, so that the sum fits.
                let wait = min(next, .seconds(86_400)) + .microseconds(100)
                inner.alarm = timer.schedule(after: wait) { [weak self] in self?.attend() }
            }
            return (held, inner.ports.map { ($0, inner.isRefusing) })
        }
        held.forEach { $0.end(.dropped) }
        for (port, isRefusing) in ports { port.set(isOpen: !isRefusing) }
    }

    /// Returns when the session's ports are as the rules want them.
    package func portsSettled() async {
        for port in inner.withLock({ $0.ports }) { await port.settled() }
    }

    private func time(_ inner: inout Inner) -> RuleTime { RuleTime(mono: clock.monotonic(), session: inner.settle(clock)) }
}

extension BankSession.Inner {
    /// What rules can reach in this session.
    var reach: RuleReach { RuleReach(hasOwnPort: !ports.isEmpty, carried: carried, isSecure: isSecure, isForwarded: upstream != nil) }

    /// Notes when a rule makes the ports refuse, and when that is over.
    fileprivate mutating func refuse(at time: RuleTime) {
        let record = rules.refusal(at: time, isNew: !isRefusing)
        if let record, !isRefusing {
            var entry = ExchangeRecord(
                seq: journal.takeSeq(), at: time.session, mono: time.mono, connection: 0, requestOnConnection: 0, wireProtocol: .h1,
                method: nil, target: "")
            entry.note(record)
            entry.receipt = Receipt(end: .fin)
            entry.durationMicroseconds = 0
            journal.append(entry)
        }
        isRefusing = record != nil && !isClosed
    }
}

/// Why an outage cannot be started.
package enum OutageError: Error, Sendable, Hashable, CustomStringConvertible {
    case running(String)
    case nothingStrikes(String, [String])

    package var description: String {
        switch self {
        case .running(let name): "the outage \(name) is running; stop it first, or replace it"
        case .nothingStrikes(let name, let skipped): "nothing of \(name) can strike here: \(skipped.joined(separator: "; "))"
        }
    }
}
