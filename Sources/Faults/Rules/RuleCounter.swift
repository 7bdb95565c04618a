import BankModel

/// The requests, of those that a rule matches, to which it applies, by their number from 1.
package struct RuleCounter: Sendable, Hashable {
    /// Only the nth.
    package var nth: Int?
    /// Every `every`th match.
    package var every: Int?
    /// Only the first `first` matches.
    package var first: Int?
    /// No match up to and including the `skip`th.
    package var skip: Int?
    /// At most `times` matches in total.
    package var times: Int?
    /// Each with this probability, decided by seed, rule and number: the same seed, the same decisions.
    package var probability: Probability?

    package init(times: Int? = nil) { self.times = times }

    /// The number of the first match that it can choose.
    package var leastNumber: Int { nth ?? max((skip ?? 0) + 1, every ?? 1) }

    /// Always the same, or growing from one to the other over a time that begins with the rule.
    package struct Probability: Sendable, Hashable {
        package var from: Double
        package var to: Double
        package var over: Duration

        private static let from = Field(required: "from", .double(in: 0...1), "the value at the beginning")
        private static let to = Field(required: "to", .double(in: 0...1), "the value at the end, and from then on")
        private static let over = Field(required: "over", .duration, "the time that the change takes after the rule is set")
        private static let schema = ObjectSchema("`probability`", "A probability that grows or shrinks.", fields: [from, to, over])

        static let format = Format(.anyOf([.number(0...1), .object(schema)]), read: { Probability($0, $1) }, write: { $0.json })

        /// Reads `0.2`, or `{from: 0, to: 0.5, over: 5m}`.
        private init?(_ node: Node, _ complaints: Complaints) {
            guard case .mapping = node.content else {
                guard let value = node.double(in: 0...1, complaints) else { return nil }
                from = value
                to = value
                over = .zero
                return
            }
            let fields = Fields(node, of: Self.schema, complaints)
            let from = fields[Self.from]
            let to = fields[Self.to]
            let over = fields[Self.over]
            fields.finish()
            guard let from, let to, let over else { return nil }
            self.from = from
            self.to = to
            self.over = over
        }

        func value(after elapsed: Duration) -> Double {
            guard over > .zero, elapsed < over else { return to }
            return from + (to - from) * Double(elapsed.nanoseconds) / Double(over.nanoseconds)
        }

        private var json: JSON {
            over == .zero ? .double(to) : .object(JSONObject([Self.from.member(from), Self.to.member(to), Self.over.member(over)]))
        }
    }

    /// True if it applies to every match.
    var isAlways: Bool { self == RuleCounter() }

    /// The contradiction in the counter; nil if there is none.
    var contradiction: String? {
        if let nth, let first, nth > first { return "found nth: \(nth) with first: \(first), expected nth at most \(first)" }
        if let nth, let skip, nth <= skip { return "found nth: \(nth) with skip: \(skip), expected nth above \(skip)" }
        if let nth, let every, !nth.isMultiple(of: every) {
            return "found nth: \(nth) with every: \(every), expected nth to be a multiple of \(every)"
        }
        if let first, let skip, first <= skip { return "found first: \(first) with skip: \(skip), expected first above \(skip)" }
        if let first, let every, first < every { return "found first: \(first) with every: \(every), expected first at least \(every)" }
        return nil
    }

    private static func count(_ key: String, _ help: String) -> Field<Int> { Field(key, .int(in: 1...Int.max), help) }

    private static let nth = count("nth", "only the nth match, counted from 1")
    private static let every = count("every", "every nth match")
    private static let first = count("first", "only the first n matches")
    private static let skip = count("skip", "all matches but the first n")
    private static let times = count("times", "at most n times in total")
    private static let probability = Field(
        "probability", Probability.format, "each match with this probability, decided by the seed, the rule and the match's number")

    /// The keys of a rule that count.
    static let fields: [any AnyField] = [nth, every, first, skip, times, probability]

    /// Reads its keys among those of a rule.
    init(_ fields: Fields, _ complaints: Complaints) {
        nth = fields[Self.nth]
        every = fields[Self.every]
        first = fields[Self.first]
        skip = fields[Self.skip]
        times = fields[Self.times]
        probability = fields[Self.probability]
    }

    /// Whether the rule applies to the nth match.
    ///
    /// - Parameters:
    ///   - n: counts the requests that matched, from 1.
    ///   - applied: how often the rule was applied before.
    ///   - seed: the session's.
    ///   - index: the rule's, in its plan or in the order in which rules were set.
    ///   - elapsed: since the rule was set.
    func applies(n: Int, applied: Int, seed: UInt64, index: Int, elapsed: Duration = .zero) -> Bool {
        if let nth, n != nth { return false }
        if let first, n > first { return false }
        if let skip, n <= skip { return false }
        if let every, !n.isMultiple(of: every) { return false }
        if let times, applied >= times { return false }
        if let probability {
            let roll = SeededGenerator.hash(seed, UInt64(index), UInt64(n))
            return Double(roll >> 11) / Double(1 << 53) < probability.value(after: elapsed)
        }
        return true
    }

    var members: [(String, JSON)] {
        let counts = [(Self.nth, nth), (Self.every, every), (Self.first, first), (Self.skip, skip), (Self.times, times)]
        return counts.compactMap { field, count in count.map(field.member) } + (probability.map { [Self.probability.member($0)] } ?? [])
    }
}
