package import BankModel

/// The body dribbles: at a rate, or in a number of pieces over a time.
package struct SlowFault: ExchangeFault {
    package static let kind = "slow"
    package static let about = "sends the body slowly: in pieces, or at a rate such as `bytes_per_second: 100`"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .spreadsBody]
    package static let example = #"{"chunks": 10, "over": "1s"}"#
    package static let fields: [any AnyField] = [rate, chunks, over]
    package static let rules: [KeyRule] = [.exactlyOne([[rate.key], [chunks.key, over.key]])]
    package let point = FaultPoint.body

    private static let rate = Field("bytes_per_second", .int(in: 1...(1 << 30)), "the rate, in bytes per second")
    private static let chunks = Field("chunks", .int(in: 1...100_000), "the number of pieces")
    private static let over = Field("over", .duration, "the total time for all pieces")

    /// How fast.
    enum Pace: Sendable {
        case rate(bytesPerSecond: Int)
        case pieces(Int, over: Duration)
    }

    let pace: Pace

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let rate = fields[Self.rate]
        let chunks = fields[Self.chunks]
        let over = fields[Self.over]
        switch Set(fields.keys).intersection([Self.rate.key, Self.chunks.key, Self.over.key]) {
        case [Self.rate.key]:
            guard let rate else { return nil }
            pace = .rate(bytesPerSecond: rate)
        case [Self.chunks.key, Self.over.key]:
            guard let chunks, let over else { return nil }
            pace = .pieces(chunks, over: over)
        default:
            complaints.add(
                found: "`slow` with \(fields.keys.isEmpty ? "nothing" : fields.keys.joined(separator: ", "))",
                expected: "`bytes_per_second`, or `chunks` and `over`", at: fields.node.position)
            return nil
        }
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        let count = try outgoing.bodyCount()
        let (piece, every): (Int, Duration) =
            switch pace {
            // A piece each 20 ms, or each byte by itself where the rate is lower than that.
            case .rate(let rate) where rate >= 50: (rate / 50, .milliseconds(20))
            case .rate(let rate): (1, .nanoseconds(1_000_000_000 / rate))
            case .pieces(let pieces, let over):
                (max(1, (count + pieces - 1) / pieces), .nanoseconds(over.nanoseconds / Int64(max(1, min(pieces, count)))))
            }
        outgoing.replaceBody([.trickle(0..<count, piece: piece, every: every, rule: context.ruleID)])
    }

    package var settings: JSON {
        switch pace {
        case .rate(let rate): .object(JSONObject([Self.rate.member(rate)]))
        case .pieces(let pieces, let over): .object(JSONObject([Self.chunks.member(pieces), Self.over.member(over)]))
        }
    }
}
