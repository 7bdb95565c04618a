package import BankModel

/// How long a client waits between attempts: `{gap: {role: pay, min: 1s, max: 30s}}`, `{gap: {grows: true, varies: true}}`.
///
/// Measured from the end of one response to the next request's head, over the exchanges of one intent, or of one path where there
/// is none: a request for something else is no second attempt. Nor is one whose head came before the response to the one before it was done,
/// or one that comes after a successful response: a client may read twice. Without a second attempt, and if nothing else is wrong, the case is
/// not exercised: retries are not required. The same holds if too few payment orders have the attempts whose random waits are compared,
/// such as those of a client with a retry budget of a tenth of its requests. Between polls it is measured from head to head: an interval is the
/// time between two requests (RFC 8628 §3.5), and a client may count it from the moment at which it sends one.
package struct GapPredicate: Predicate {
    package static let name = "gap"

    package static let forms = [
        form(
            "How long the client waits between attempts, from the end of one response to the next request's head. Without a "
                + "second attempt, the case is not exercised.", [body], example: "gap: {role: pay, min: 1s, max: 30s}")
    ]

    private static let body = Field(required: name, .node(.object(schema)), "the permitted waits")
    private static let schema = ObjectSchema(
        "`gap`", "The waits between attempts of one payment order, or between requests of one path that belong to no payment order.",
        fields: ExchangeFilter.fields + [shortest, longest, growth, variety, polling],
        rules: [.atLeastOne([shortest.key, longest.key, growth.key, variety.key])])
    private static let shortest = Field("min", .duration, "the shortest permitted wait")
    private static let longest = Field("max", .duration, "the longest permitted wait")
    private static let growth = Field(
        "grows", .bool, default: false, "whether later waits must be longer than the first, on average over the payment orders")
    private static let variety = Field(
        "varies", .bool, default: false,
        "whether the first waits of the payment orders must differ by at least a tenth of their average; of four or more waits, the "
            + "longest is not counted"
    )

    private static let polling = Field(
        "polls", .bool, default: false,
        "whether waits are measured between all requests of one path, even after a successful response, because the client polls; they "
            + "then last from one request's head to the next")

    let filter: ExchangeFilter
    let least: Duration
    let most: Duration?
    /// Later waits are longer than the first, on the average over the intents: a random part of each is allowed.
    let grows: Bool
    /// The first waits of the intents are not all the same.
    let varies: Bool
    /// Whether a request after a response that served counts as well.
    let polls: Bool
    /// The number of payment orders in the case.
    let orders: Int

    /// The least number of payment orders whose waits are averaged, unless the case has fewer. Waits of full jitter that double once fail to
    /// grow in one of four payment orders, on average over two in one of seven runs, and over eight in one of seventy.
    static let leastAveraged = 8
    /// The least number of payment orders whose first waits are compared, unless the case has fewer. Of two random waits, one pair in ten is
    /// alike.
    static let leastVaried = 5
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
        polls = inner[Self.polling] ?? false
        orders = Set(outline.intents).count
        inner.finish()
        guard least != nil || most != nil || grows || varies else {
            complaints.add("`gap` needs `min`, `max`, `grows: true` or `varies: true`", at: node.position)
            return nil
        }
        if varies, orders < 2 {
            complaints.add("`varies` needs at least two intents: one wait alone cannot vary", at: node.position)
        }
        self.least = least ?? .zero
    }

    package var measuresPauses: Bool { true }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let gaps = filter.gaps(in: scene, ofPolls: polls)
        guard !gaps.isEmpty else { return [UnmetExpectation(.absent, .tooFewAttempts(filter.text, "no second attempt"))] }
        let waits = gaps.map { $0.map(\.nanoseconds) }
        let areOfOrders = !polls && gaps.joined().contains { scene.intent(of: $0.later) != nil }
        let number = areOfOrders ? orders : 1
        return outside(gaps) + (grows ? growth(waits, of: number) : []) + (varies ? variety(waits, of: number) : [])
    }

    private func outside(_ gaps: [[AttemptGap]]) -> [UnmetExpectation] {
        let wrong = gaps.joined().first { gap in
            let wait = Duration.nanoseconds(gap.nanoseconds)
            return wait < least || wait > most ?? wait
        }
        guard let wrong else { return [] }
        let bounds = "at least \(least.shortText)" + (most.map { " and at most \($0.shortText)" } ?? "")
        return [UnmetExpectation(.pause(.nanoseconds(wrong.nanoseconds), before: wrong.later, after: wrong.earlier, bounds: bounds))]
    }

    private func growth(_ gaps: [[Int64]], of orders: Int) -> [UnmetExpectation] {
        let long = gaps.filter { $0.count > 1 }
        guard let first = average(long.compactMap(\.first)), let last = average(long.compactMap(\.last)) else {
            return [UnmetExpectation(.absent, .tooFewAttempts(filter.text, "no third attempt"))]
        }
        let least = min(GapPredicate.leastAveraged, orders)
        guard long.count >= least else {
            let what: Phrase = "third attempts for \(long.count) of the \(least) payment orders that the case needs"
            return [UnmetExpectation(.absent, .tooFewAttempts(filter.text, what))]
        }
        return last > first ? [] : [UnmetExpectation(.pausesDoNotGrow(filter.text, first: .nanoseconds(first), last: .nanoseconds(last)))]
    }

    private func variety(_ gaps: [[Int64]], of orders: Int) -> [UnmetExpectation] {
        let firsts = gaps.compactMap(\.first).sorted()
        let counted = firsts.count < GapPredicate.leastTrimmed ? firsts : firsts.dropLast()
        let least = max(2, min(GapPredicate.leastVaried, orders))
        guard firsts.count >= least, let average = average(counted), let shortest = counted.first, let longest = counted.last else {
            let what: Phrase = "second attempts for \(firsts.count) of the \(least) payment orders that the case needs"
            return [UnmetExpectation(.absent, .tooFewAttempts(filter.text, what))]
        }
        if Double(longest - shortest) >= Double(average) * GapPredicate.leastSpread { return [] }
        let number = counted.count < firsts.count ? "\(counted.count) of \(firsts.count)" : "all \(firsts.count)"
        return [UnmetExpectation(.pausesDoNotVary(filter.text, number, from: .nanoseconds(shortest), to: .nanoseconds(longest)))]
    }

    private func average(_ values: some Collection<Int64>) -> Int64? { values.isEmpty ? nil : values.reduce(0, +) / Int64(values.count) }
}

struct AttemptGap {
    let earlier: JournalEntry
    let later: JournalEntry
    /// From the end of the response to the earlier request, or between polls from its head, to the head of the later one.
    let nanoseconds: Int64
}

extension ExchangeFilter {
    /// The waits between attempts as ``GapPredicate`` measures them, those of one intent in a list; without an intent, those of one path. The
    /// lists are in the order of time.
    ///
    /// - Parameter ofPolls: also counts requests after a successful response, puts those of one path in a list, and measures from head to head.
    func gaps(in scene: Scene, ofPolls: Bool = false) -> [[AttemptGap]] {
        let groups = Dictionary(grouping: exchanges(of: scene)) { exchange -> [String] in
            // Attempts under one key are of one order, whichever that is.
            if !ofPolls, let key = exchange.key, scene.candidates(of: exchange).count > 1 { return ["key", key] }
            let intent = ofPolls ? nil : scene.intent(of: exchange)
            return intent.map { ["intent", $0] } ?? ["path", exchange.path]
        }
        return groups.values.sorted { ($0.first?.monoNanoseconds ?? 0) < ($1.first?.monoNanoseconds ?? 0) }.map { attempts in
            zip(attempts, attempts.dropFirst()).compactMap { earlier, later -> AttemptGap? in
                guard ofPolls || !earlier.hasServed, let lasted = earlier.durationMicroseconds else { return nil }
                let between = later.monoNanoseconds - earlier.monoNanoseconds
                let gap = between - lasted * 1000
                return gap < 0 ? nil : AttemptGap(earlier: earlier, later: later, nanoseconds: ofPolls ? between : gap)
            }
        }.filter { !$0.isEmpty }
    }
}

extension JournalEntry {
    /// Whether it got a successful response that no fault changed: a request after it is not a retry.
    fileprivate var hasServed: Bool { fault?.applied != true && (status.map { (200..<400).contains($0) } ?? false) }
}
