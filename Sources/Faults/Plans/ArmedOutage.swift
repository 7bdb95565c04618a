package import BankModel

/// A plan that has been started in a session.
package struct ArmedOutage: Sendable {
    package let name: String
    package let seed: UInt64?
    package internal(set) var rules: [ArmedRule]
    /// Rules left out because they can never apply on this bank, each with the reason.
    package let skipped: [String]
    /// When the whole of it is open.
    package let window: RuleWindow
    /// When it was started, by the session's clock.
    package let began: Instant
    /// When all tokens are to expire.
    private var events: [RuleWindow]

    /// Starts a plan now.
    ///
    /// - Parameters:
    ///   - limit: how long it runs at most, by the plan's clock.
    ///   - seed: in place of the plan's own.
    ///   - tokenExclusion: why no token can expire here; nil if they can.
    ///   - exclusion: why a rule can never apply here; nil if it can.
    package init(
        _ plan: Plan, limit: Duration?, seed: UInt64?, at time: RuleTime, tokenExclusion: String?, exclusion: (Rule) -> String?
    ) {
        name = plan.name
        self.seed = seed ?? plan.seed
        var rules: [ArmedRule] = []
        var skipped: [String] = []
        var events: [RuleWindow] = []
        var index = 0
        for (entry, span) in zip(plan.entries, plan.spans(limit: limit)) {
            guard let span else {
                index += entry.rules.count
                continue
            }
            let window = RuleWindow(plan.clock, span, from: time)
            if entry.expiresTokens {
                if let tokenExclusion { skipped.append("tokens: expire: \(tokenExclusion)") } else { events.append(window) }
            }
            for rule in entry.rules {
                index += 1
                let id = "\(plan.name)-\(index)"
                if let reason = exclusion(rule) {
                    skipped.append("\(id) (\(rule.kind)): \(reason)")
                } else {
                    rules.append(ArmedRule(id: id, rule: rule, index: index, window: window))
                }
            }
        }
        began = time.session
        self.rules = rules
        self.skipped = skipped
        self.events = events
        window = RuleWindow(plan.clock, plan.span(limit: limit), from: time)
    }

    /// The phases of the outage: when rules of it begin and end, from its own beginning; nil for a phase that goes on until it is stopped.
    package var phases: [(from: Duration, until: Duration?)] {
        let windows = rules.map(\.window) + events
        var phases: [(from: Duration, until: Duration?)] = []
        for phase in windows.map({ $0.offsets(from: window) })
        where !phases.contains(where: { $0.from == phase.from && $0.until == phase.until }) {
            phases.append(phase)
        }
        return phases.sorted { ($0.from, $0.until ?? .seconds(Int64.max)) < ($1.from, $1.until ?? .seconds(Int64.max)) }
    }

    /// True if the plan does nothing here.
    package var isIdle: Bool { rules.isEmpty && events.isEmpty }

    /// Whether its last entry has ended.
    package func isOver(at time: RuleTime) -> Bool { window.isOver(at: time) }

    /// Takes the events whose time has come; true if all tokens are to expire now.
    mutating func takeDueEvents(at time: RuleTime) -> Bool {
        let before = events.count
        events.removeAll { $0.contains(time) || $0.isOver(at: time) }
        return events.count < before
    }
}

extension RuleBook {
    /// Starts a plan, in place of one that has run before.
    package mutating func start(_ outage: ArmedOutage) { self.outage = outage }

    /// Ends the plan; nil if none was started.
    package mutating func endOutage() -> ArmedOutage? {
        defer { outage = nil }
        return outage
    }

    /// Takes the plan's events whose time has come; true if all tokens are to expire now.
    package mutating func takeDueEvents(at time: RuleTime) -> Bool { outage?.takeDueEvents(at: time) ?? false }

    /// How long it takes until something begins or ends by itself; nil if nothing does.
    ///
    /// - Parameter isSessionClockRunning: a frozen clock brings nothing about.
    package func untilChange(at time: RuleTime, isSessionClockRunning: Bool) -> Duration? {
        (rules + (outage?.rules ?? [])).compactMap { armed in
            if armed.window.clock == .session, !isSessionClockRunning { return nil }
            return armed.window.untilChange(at: time)
        }.min()
    }
}
