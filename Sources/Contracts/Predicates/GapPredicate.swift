package import BankModel

/// How long a client waits between attempts: `{gap: {role: pay, min: 1s, max: 30s}}`, `{gap: {grows: true, varies: true}}`.
///
/// Measured from one reply's end to the next request's head, over the exchanges of one intent, or of the role where there
/// is none. A request whose head came before the reply to the one before it was done is no second attempt, nor is one that
/// comes after an answer that served: a client may read twice. No second attempt at all means not exercised if nothing else
/// is wrong: retrying is not demanded.
package struct GapPredicate: Predicate {
    package static let name = "gap"

    package static let forms = [
        form(
            "How long the client waits between attempts, from one reply's end to the next request's head. No second attempt means not "
                + "exercised.", [body], example: "gap: {role: pay, min: 1s, max: 30s}")
    ]

    private static let body = Field(required: name, .node(.object(schema)), "how long")
    private static let schema = ObjectSchema(
        "`gap`", "The waits between attempts of one intent, or of a role where there is none.",
        fields: ExchangeFilter.fields + [shortest, longest, growth, variety],
        rules: [.atLeastOne([shortest.key, longest.key, growth.key, variety.key])])
    private static let shortest = Field("min", .duration, "no wait is shorter")
    private static let longest = Field("max", .duration, "no wait is longer")
    private static let growth = Field(
        "grows", .bool, default: false, "later waits are longer than the first, on the average over the intents")
    private static let variety = Field(
        "varies", .bool, default: false,
        "the first waits of the intents differ by at least a tenth of their average; of four or more the longest is not counted")

    let filter: ExchangeFilter
    let least: Duration
    let most: Duration?
    /// Later waits are longer than the first, on the average over the intents: a random part of each is allowed.
    let grows: Bool
    /// The first waits of the intents are not all the same.
    let varies: Bool

    /// The part of their average by which first waits must differ to count as different: no clock ticks so unevenly.
    static let leastSpread = 0.1
    /// From this number of first waits on, the longest is not counted: a busy machine makes one wait longer, never shorter.
    static let leastTrimmed = 4

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        let inner = Fields(node, of: Self.schema, complaints)
        filter = ExchangeFilter(inner, outline, complaints)
        let least = inner[Self.shortest]
        most = inner[Self.longest]
        grows = inner[Self.growth] ?? false
        varies = inner[Self.variety] ?? false
        inner.finish()
        guard least != nil || most != nil || grows || varies else {
            complaints.add("`gap` needs `min`, `max`, `grows: true` or `varies: true`", at: node.place)
            return nil
        }
        if varies, Set(outline.intents).count < 2 {
            complaints.add("`varies` needs at least two intents: one wait alone cannot vary", at: node.place)
        }
        self.least = least ?? .zero
    }

    package var measuresPauses: Bool { true }

    package func judge(_ scene: Scene) -> [Unmet] {
        let gaps = filter.gaps(in: scene)
        guard !gaps.isEmpty else {
            return [Unmet(.absent, expected: "between attempts\(filter.text) \(text)", seen: "no second attempt")]
        }
        return outside(gaps) + (grows ? growth(gaps) : []) + (varies ? variety(gaps) : [])
    }

    private var text: String {
        let bounds =
            least > .zero || most != nil ? ["at least \(least.shortText)" + (most.map { " and at most \($0.shortText)" } ?? "")] : []
        return (bounds + (grows ? ["waits that grow"] : []) + (varies ? ["waits that vary"] : [])).joined(separator: ", ")
    }

    private func outside(_ gaps: [[Int64]]) -> [Unmet] {
        let wrong = gaps.joined().map { Duration.nanoseconds($0) }.first { $0 < least || $0 > most ?? $0 }
        return wrong.map { [Unmet(expected: "between attempts\(filter.text) \(text)", seen: $0.shortText)] } ?? []
    }

    private func growth(_ gaps: [[Int64]]) -> [Unmet] {
        let expected = "waits\(filter.text) that grow from attempt to attempt"
        let long = gaps.filter { $0.count > 1 }
        guard let first = average(long.compactMap(\.first)), let last = average(long.compactMap(\.last)) else {
            return [Unmet(.absent, expected: expected, seen: "no third attempt")]
        }
        let seen = "on average the first is \(Duration.nanoseconds(first).shortText), the last \(Duration.nanoseconds(last).shortText)"
        return last > first ? [] : [Unmet(expected: expected, seen: seen)]
    }

    private func variety(_ gaps: [[Int64]]) -> [Unmet] {
        let expected = "first waits\(filter.text) that differ from intent to intent"
        let firsts = gaps.compactMap(\.first).sorted()
        let counted = firsts.count < GapPredicate.leastTrimmed ? firsts : firsts.dropLast()
        guard firsts.count > 1, let average = average(counted), let shortest = counted.first, let longest = counted.last else {
            return [Unmet(.absent, expected: expected, seen: "only one intent was retried")]
        }
        if Double(longest - shortest) >= Double(average) * GapPredicate.leastSpread { return [] }
        let ends = [shortest, longest].map { Duration.nanoseconds($0).shortText }
        let number = counted.count < firsts.count ? "\(counted.count) of \(firsts.count)" : "all \(firsts.count)"
        return [Unmet(expected: expected, seen: "\(number) are between \(ends[0]) and \(ends[1])")]
    }

    private func average(_ values: some Collection<Int64>) -> Int64? { values.isEmpty ? nil : values.reduce(0, +) / Int64(values.count) }
}
