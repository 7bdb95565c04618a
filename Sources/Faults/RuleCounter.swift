import BankModel

/// Which of the requests that a rule matches it strikes, by their number from 1.
package struct RuleCounter: Sendable, Hashable {
    /// Only the nth.
    package var nth: Int?
    /// Each so-manieth.
    package var every: Int?
    /// Only the first so many.
    package var first: Int?
    /// None of the first so many.
    package var skip: Int?
    /// At most so many in all.
    package var times: Int?
    /// Each with this probability, decided by seed, rule and number: the same seed, the same decisions.
    package var probability: Double?

    package init(times: Int? = nil) { self.times = times }

    init(_ fields: Fields, _ complaints: Complaints) {
        func count(_ key: String) -> Int? { fields[key].flatMap { $0.int(in: 1...Int.max, complaints) } }
        nth = count("nth")
        every = count("every")
        first = count("first")
        skip = count("skip")
        times = count("times")
        probability = fields["probability"].flatMap { $0.double(in: 0...1, complaints) }
    }

    /// Whether the nth match is struck.
    ///
    /// - Parameters:
    ///   - n: counts the requests that matched, from 1.
    ///   - fired: how often the rule has struck before.
    ///   - seed: the session's.
    ///   - index: the rule's, in the order in which rules were set.
    func strikes(n: Int, fired: Int, seed: UInt64, index: Int) -> Bool {
        if let nth, n != nth { return false }
        if let first, n > first { return false }
        if let skip, n <= skip { return false }
        if let every, !n.isMultiple(of: every) { return false }
        if let times, fired >= times { return false }
        if let probability {
            let roll = SeededGenerator.hash(seed, UInt64(index), UInt64(n))
            return Double(roll >> 11) / Double(1 << 53) < probability
        }
        return true
    }

    var members: [(String, JSON)] {
        let counts = [("nth", nth), ("every", every), ("first", first), ("skip", skip), ("times", times)]
        return counts.compactMap { name, count in count.map { (name, .int($0)) } }
            + (probability.flatMap { JSONNumber(String($0)) }.map { [("probability", .number($0))] } ?? [])
    }
}
