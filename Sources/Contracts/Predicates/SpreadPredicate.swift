package import BankModel

/// How far apart the waits of many intents are: `{spread: {role: pay, intents: 20, percent: 50}}`.
///
/// The first waits of the intents are compared: of clients that failed together, those with similar waits retry together. A
/// crowd is those of them that are within a tenth of their average. With fewer intents that have a second attempt, the case is
/// not exercised: retries are not required.
package struct SpreadPredicate: Predicate {
    package static let name = "spread"

    package static let forms = [
        form(
            "How far apart the first waits of many payment orders are. With too few second attempts, the case is not exercised.", [body],
            example: "spread: {role: pay, intents: 20, percent: 50}")
    ]

    private static let body = Field(required: name, .node(.object(schema)), "the permitted distribution")
    private static let schema = ObjectSchema(
        "`spread`", "How the first waits of the payment orders are distributed.", fields: ExchangeFilter.fields + [fewest, share])
    private static let fewest = Field(
        required: "intents", .int(in: 10...1000), "the minimum number of payment orders with a second attempt")
    private static let share = Field(
        required: "percent", .int(in: 1...100), "the maximum share of the waits, in percent, that may lie within a tenth of their average")

    let filter: ExchangeFilter
    let least: Int
    let percent: Int

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        let inner = Fields(node, of: Self.schema, complaints)
        filter = ExchangeFilter(inner, outline, complaints)
        let least = inner[Self.fewest]
        let percent = inner[Self.share]
        inner.finish()
        guard let least, let percent else { return nil }
        let intents = Set(outline.intents).count
        if intents < least {
            complaints.add(found: "\(counted(intents, "intent"))", expected: "at least the \(least) that `spread` needs", at: node.position)
        }
        self.least = least
        self.percent = percent
    }

    package var measuresPauses: Bool { true }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let waits = filter.gaps(in: scene).compactMap(\.first?.nanoseconds).sorted()
        guard waits.count >= least else {
            let what: Phrase = "second attempts for \(waits.count) of the \(least) payment orders that the case needs"
            return [UnmetExpectation(.absent, .tooFewAttempts(filter.text, what))]
        }
        let width = waits.reduce(0, +) / Int64(waits.count) / 10
        let crowd = SpreadPredicate.crowd(waits, width)
        guard crowd.count * 100 > waits.count * percent, let first = crowd.first, let last = crowd.last else { return [] }
        return [
            UnmetExpectation(
                .pausesCrowd(
                    filter.text, crowd.count, of: waits.count, from: .nanoseconds(first), to: .nanoseconds(last), percent: percent))
        ]
    }

    /// The largest number of the sorted waits that are within `width`.
    static func crowd(_ waits: [Int64], _ width: Int64) -> ArraySlice<Int64> {
        var most = waits[..<0]
        var start = 0
        for end in waits.indices {
            while waits[end] - waits[start] > width { start += 1 }
            if end - start + 1 > most.count { most = waits[start...end] }
        }
        return most
    }
}
