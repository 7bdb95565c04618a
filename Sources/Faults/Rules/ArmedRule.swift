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

    /// The machine's clock later by the duration; its last nanosecond if that is later (after 292 years).
    func mono(after duration: Duration) -> Int64 {
        let (sum, overflow) = mono.addingReportingOverflow(duration.nanoseconds)
        return overflow ? (duration < .zero ? .min : .max) : sum
    }
}

/// When a rule can apply.
package enum RuleWindow: Sendable, Hashable {
    /// By the machine's monotonic clock, in nanoseconds; nil: forever.
    case real(from: Int64, until: Int64?)
    /// By the session's clock.
    case session(from: Instant, until: Instant?)

    package func contains(_ time: RuleTime) -> Bool {
        switch self {
        case .real(let from, let until): from <= time.mono && until.map { time.mono < $0 } ?? true
        case .session(let from, let until): from <= time.session && until.map { time.session < $0 } ?? true
        }
    }

    /// Whether it has begun and can never apply again, unless a clock is set back.
    package func isOver(at time: RuleTime) -> Bool {
        switch self {
        case .real(_, let until): until.map { $0 <= time.mono } ?? false
        case .session(_, let until): until.map { $0 <= time.session } ?? false
        }
    }

    /// How long it has been open.
    func elapsed(at time: RuleTime) -> Duration {
        switch self {
        case .real(let from, _): .nanoseconds(max(0, time.mono - from))
        case .session(let from, _): max(.zero, time.session - from)
        }
    }

    /// When it opens and closes, from the opening of another window by the same clock.
    func offsets(from other: RuleWindow) -> (from: Duration, until: Duration?) {
        switch (self, other) {
        case (.real(let from, let until), .real(let start, _)): (.nanoseconds(from - start), until.map { .nanoseconds($0 - start) })
        case (.session(let from, let until), .session(let start, _)): (from - start, until.map { $0 - start })
        default: (.zero, nil)
        }
    }

    /// How long it stays open, by its own clock; nil if forever.
    package func left(at time: RuleTime) -> Duration? {
        switch self {
        case .real(_, let until): until.map { .nanoseconds(max(0, $0 - time.mono)) }
        case .session(_, let until): until.map { max(.zero, $0 - time.session) }
        }
    }

    /// By which clock: `real` or `session`.
    package var clockName: String {
        switch self {
        case .real: "real"
        case .session: "session"
        }
    }

    /// How long it takes until it opens or closes, by its own clock; nil if it never does again.
    func untilChange(at time: RuleTime) -> Duration? {
        switch self {
        case .real(let from, let until):
            [from, until].compactMap(\.self).filter { $0 > time.mono }.min().map { .nanoseconds($0 - time.mono) }
        case .session(let from, let until):
            [from, until].compactMap(\.self).filter { $0 > time.session }.min().map { $0 - time.session }
        }
    }
}
