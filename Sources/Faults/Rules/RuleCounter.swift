import BankModel

/// Which of the requests that a rule matches it strikes, by their number from 1.
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

    /// Always the same, or growing from one to the other over a time that begins with the rule.
    package struct Probability: Sendable, Hashable {
        package var from: Double
        package var to: Double
        package var over: Duration

        /// Reads `0.2`, or `{from: 0, to: 0.5, over: 5m}`.
        init?(_ node: Node, _ complaints: Complaints) {
            guard case .mapping = node.content else {
                guard let value = node.double(in: 0...1, complaints) else { return nil }
                from = value
                to = value
                over = .zero
                return
            }
            let fields = Fields(node, of: "`probability`", complaints)
            let from = fields.required("from")?.double(in: 0...1, complaints)
            let to = fields.required("to")?.double(in: 0...1, complaints)
            let over = fields.required("over")?.duration(complaints)
            fields.finish()
            guard let from, let to, let over else { return nil }
            self.from = from
            self.to = to
            self.over = over
        }

        /// The value after a duration.
        func value(after elapsed: Duration) -> Double {
            guard over > .zero, elapsed < over else { return to }
            return from + (to - from) * Double(elapsed.nanoseconds) / Double(over.nanoseconds)
        }

        var json: JSON {
            func number(_ value: Double) -> JSON { JSONNumber(String(value)).map(JSON.number) ?? .null }
            return over == .zero ? number(to) : ["from": number(from), "to": number(to), "over": .string(over.shortText)]
        }
    }

    /// True if it strikes whatever matches.
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

    init(_ fields: Fields, _ complaints: Complaints) {
        func count(_ key: String) -> Int? { fields[key].flatMap { $0.int(in: 1...Int.max, complaints) } }
        nth = count("nth")
        every = count("every")
        first = count("first")
        skip = count("skip")
        times = count("times")
        probability = fields["probability"].flatMap { Probability($0, complaints) }
    }

    /// Whether the nth match is struck.
    ///
    /// - Parameters:
    ///   - n: counts the requests that matched, from 1.
    ///   - fired: how often the rule has struck before.
    ///   - seed: the session's.
    ///   - index: the rule's, in its plan or in the order in which rules were set.
    ///   - elapsed: since the rule was set.
    func strikes(n: Int, fired: Int, seed: UInt64, index: Int, elapsed: Duration = .zero) -> Bool {
        if let nth, n != nth { return false }
        if let first, n > first { return false }
        if let skip, n <= skip { return false }
        if let every, !n.isMultiple(of: every) { return false }
        if let times, fired >= times { return false }
        if let probability {
            let roll = SeededGenerator.hash(seed, UInt64(index), UInt64(n))
            return Double(roll >> 11) / Double(1 << 53) < probability.value(after: elapsed)
        }
        return true
    }

    var members: [(String, JSON)] {
        let counts = [("nth", nth), ("every", every), ("first", first), ("skip", skip), ("times", times)]
        return counts.compactMap { name, count in count.map { (name, .int($0)) } }
            + (probability.map { [("probability", $0.json)] } ?? [])
    }
}
