package import BankModel

/// The steps and exchanges of one run in chronological order.
package struct Timeline {
    let lines: [String]

    init(_ instance: Instance, _ evidence: Evidence) {
        let zero = (evidence.steps.values.map(\.started) + evidence.journal.map(\.monoNanoseconds)).min() ?? 0
        var events: [(at: Int64, rank: Int, text: String)] = []
        for step in instance.allSteps {
            guard let report = evidence.steps[step.n] else { continue }
            switch report.outcome {
            case .done, .skipped: events.append((report.started, 0, "step \(step.n)  \(step.text)  (\(report.outcome))"))
            default:
                events.append((report.started, 0, "step \(step.n)  \(step.text)"))
                events.append((report.ended, 2, "step \(step.n)  → \(report.outcome)"))
                if let note = report.note { events.append((report.ended, 3, "step \(step.n)  note: \(clipped(note, to: 200))")) }
            }
        }
        let browsed = Set(evidence.visits.flatMap(\.exchanges))
        events += evidence.journal.map {
            ($0.monoNanoseconds, 1, "    " + Timeline.text($0, isOfBrowser: browsed.contains($0.seq)))
        }
        lines = events.sorted { ($0.at, $0.rank) < ($1.at, $1.rank) }.map { Timeline.milliseconds($0.at - zero) + "  " + $0.text }
    }

    /// `#3 GET /v1/accounts token#1 → 401 token-rejected, kept after 212+98 bytes, 1.2 ms`
    ///
    /// - Parameter isOfBrowser: whether the harness's browser sent it, in a step `browser`.
    package static func text(_ exchange: JournalEntry, isOfBrowser: Bool = false) -> String {
        var request = ["#\(exchange.seq)", exchange.method ?? "(no request)", exchange.path + (exchange.query.map { "?\($0)" } ?? "")]
        if let token = exchange.token {
            let named = token == "unknown" ? "a token that the bank did not issue" : token
            request.append(exchange.emptyBearer.map { $0 == "Bearer" ? "empty bearer" : $0 } ?? named)
        }
        if let key = exchange.key { request.append("key \(clipped(key, to: 40))") }
        if isOfBrowser { request.append("(the harness's browser)") }
        var response = [exchange.status.map(String.init) ?? "no response"]
        if let name = exchange.response { response.append(name) }
        if let wait = exchange.responseHeader("retry-after") { response.append("Retry-After: \(clipped(wait, to: 40))") }
        let applied = exchange.faults.filter(\.applied)
        for fault in applied.count > 1 ? applied : [exchange.fault].compactMap(\.self) {
            response.append(
                "fault \(fault.kind) at \(fault.point)"
                    + (fault.applied ? "" : " not applied (\(fault.reason ?? "its point was never reached"))"))
        }
        if exchange.committed { response.append(exchange.replayed ? "replayed" : "committed") }
        let receipt = exchange.receipt
        response.append(
            exchange.isIncomplete
                ? "incomplete: \(counted(exchange.bodyBytes, "byte")) of its body arrived"
                : "\(receipt.end.title), \(receipt.headBytes) B head + \(receipt.bodyBytes) B body")
        return request.joined(separator: " ") + " → " + response.joined(separator: ", ")
    }

    static func milliseconds(_ nanoseconds: Int64) -> String {
        let tenths = nanoseconds / 100_000
        let text = "\(tenths / 10).\(abs(tenths % 10)) ms"
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }
}
