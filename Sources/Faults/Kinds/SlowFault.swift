package import BankModel

/// The body dribbles: at a rate, or in a number of pieces over a time.
package struct SlowFault: ExchangeFault {
    package static let kind = "slow"
    package static let about = "dribbles; or `bytes_per_second: 100`"
    package static let example = #"{"chunks": 10, "over": "3s"}"#
    package let point = FaultPoint.body

    /// How fast.
    enum Pace: Sendable {
        case rate(bytesPerSecond: Int)
        case pieces(Int, over: Duration)
    }

    let pace: Pace

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let rate = fields["bytes_per_second"].map { $0.int(in: 1...(1 << 30), complaints) }
        let chunks = fields["chunks"].map { $0.int(in: 1...100_000, complaints) }
        let over = fields["over"].map { $0.duration(complaints) }
        switch (rate, chunks, over) {
        case (let rate?, nil, nil):
            guard let rate else { return nil }
            pace = .rate(bytesPerSecond: rate)
        case (nil, let chunks?, let over?):
            guard let chunks, let over else { return nil }
            pace = .pieces(chunks, over: over)
        default:
            complaints.add(
                found: "`slow` with \(fields.keys.isEmpty ? "nothing" : fields.keys.joined(separator: ", "))",
                expected: "`bytes_per_second`, or `chunks` and `over`", at: fields.node.place)
            return nil
        }
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) throws(NotApplied) {
        let count = try sending.bodyCount()
        let (piece, every): (Int, Duration) =
            switch pace {
            // A piece each 20 ms, or each byte by itself where the rate is lower than that.
            case .rate(let rate) where rate >= 50: (rate / 50, .milliseconds(20))
            case .rate(let rate): (1, .nanoseconds(1_000_000_000 / rate))
            case .pieces(let pieces, let over):
                (max(1, (count + pieces - 1) / pieces), .nanoseconds(over.nanoseconds / Int64(max(1, min(pieces, count)))))
            }
        sending.replaceBody([.trickle(0..<count, piece: piece, every: every, rule: context.ruleID)])
    }

    package var settings: JSON {
        switch pace {
        case .rate(let rate): ["bytes_per_second": .int(rate)]
        case .pieces(let pieces, let over): ["chunks": .int(pieces), "over": .string(over.shortText)]
        }
    }
}
