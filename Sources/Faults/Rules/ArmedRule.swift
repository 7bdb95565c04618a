package import BankModel

/// A rule that is set, and what has become of it.
package struct ArmedRule: Sendable {
    /// `rule-1`; of a plan `maintenance-1`.
    package let id: String
    package let rule: Rule
    /// In its plan, or in the order in which rules were set.
    let index: Int
    package let window: RuleWindow
    package private(set) var matched = 0
    package internal(set) var applied = 0

    var counts: RuleBook.Counts { RuleBook.Counts(matched: matched, applied: applied) }

    /// Counts a match, and applies the rule if it is its turn.
    mutating func consider(
        _ point: FaultPoint, _ exchange: ExchangeFacts, seed: UInt64, time: RuleTime,
        _ offer: (ArmedRule, FaultContext) -> FaultRecord?
    ) -> FaultRecord? {
        guard rule.point == point, window.contains(time), rule.on.matches(exchange) else { return nil }
        if exchange.hasFollowed, rule.setting.fault.sparesFollowers { return nil }
        matched += 1
        let elapsed = window.elapsed(at: time)
        guard rule.count.applies(n: matched, applied: applied, seed: seed, index: index, elapsed: elapsed) else { return nil }
        let random = SeededGenerator(seed: SeededGenerator.hash(seed, UInt64(index), UInt64(matched), 1))
        let context = FaultContext(
            wireProtocol: exchange.wireProtocol, isSecure: exchange.isSecure, ruleID: id, random: random, elapsed: elapsed)
        guard let record = offer(self, context) else { return nil }
        applied += 1
        return record
    }

    /// Its record in the journal; a reason means that it was not applied.
    func record(_ reason: String?) -> FaultRecord {
        FaultRecord(rule: id, kind: rule.kind, point: rule.point.rawValue, applied: reason == nil, reason: reason)
    }
}

/// An instant by both of a session's clocks.
package struct RuleTime: Sendable {
    /// The machine's monotonic clock, in nanoseconds.
    package var mono: Int64
    /// The session's clock.
    package var session: Instant

    package init(mono: Int64, session: Instant) {
        self.mono = mono
        self.session = session
    }

    /// The instant by one of the clocks; the machine's counts nanoseconds from its own beginning.
    func now(_ clock: Plan.Clock) -> Instant { clock == .real ? Instant(nanoseconds: mono) : session }
}

/// When a rule can apply.
package struct RuleWindow: Sendable, Hashable {
    /// The clock of its two instants.
    package let clock: Plan.Clock
    private let from: Instant
    /// The first instant at which it is closed again; nil if it stays open.
    private let until: Instant?

    /// A span that starts now.
    init(_ clock: Plan.Clock, _ span: Plan.Span, from time: RuleTime) {
        let now = time.now(clock)
        self.clock = clock
        from = now + span.from
        until = span.until.map { now + $0 }
    }

    package func contains(_ time: RuleTime) -> Bool { from <= time.now(clock) && !isOver(at: time) }

    /// Whether it has begun and can never apply again, unless a clock is set back.
    package func isOver(at time: RuleTime) -> Bool { until.map { $0 <= time.now(clock) } ?? false }

    /// How long it has been open.
    func elapsed(at time: RuleTime) -> Duration { max(.zero, time.now(clock) - from) }

    /// When it opens and closes, from the opening of another window by the same clock.
    func offsets(from other: RuleWindow) -> (from: Duration, until: Duration?) { (from - other.from, until.map { $0 - other.from }) }

    /// How long it stays open, by its own clock; nil if forever.
    package func left(at time: RuleTime) -> Duration? { until.map { max(.zero, $0 - time.now(clock)) } }

    /// How long it takes until it opens or closes, by its own clock; nil if it never does again.
    func untilChange(at time: RuleTime) -> Duration? {
        [from, until].compactMap { $0.map { $0 - time.now(clock) } }.filter { $0 > .zero }.min()
    }
}
