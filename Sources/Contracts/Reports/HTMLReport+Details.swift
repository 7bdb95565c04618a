import BankModel

extension HTMLReport {
    /// The course of each instance of a run: shown while it is the page's target.
    func details(of run: Int) -> String {
        runs[run].results.enumerated().map { number, result in
            let id = anchor(run, number)
            return """
                <section class="details" id="\(id)" role="dialog" aria-labelledby="\(id)-name">
                <p class="top"><a class="close" href="#at-\(id)">Close</a> <span class="mark \(result.look)">\(result.sign)</span> \
                \(escaped(result.words))\(result.repetition > 1 ? ", run \(result.repetition)" : ""), \(timeText(result.duration)), \
                \(escaped(runs[run].client))</p>
                <h2 id="\(id)-name" tabindex="-1">\(escaped(result.name))</h2>
                \(parts(of: result).joined(separator: "\n"))
                </section>
                """
        }.joined(separator: "\n")
    }

    private func parts(of result: ReportDocument.Result) -> [String] {
        var parts: [String] = []
        if let headline = result.headline { parts.append("<p class=\"headline\">\(escaped(headline))</p>") }
        parts.append(account(of: result))
        if let known = result.known {
            parts.append("<p>Known: \(escaped(known.reason)), until \(escaped(known.until.description)).</p>")
        }
        if result.platform != nil { parts.append("<p>The platform does this too.</p>") }
        parts += result.outages.map { "<p>Outage \(escaped($0.name)), seed \($0.seed).</p>" }
        if !result.timeline.isEmpty { parts.append("<h3>Timeline</h3>\n\(lines(result.shownTimeline))") }
        parts += exchanges(of: result)
        if !result.stderr.isEmpty { parts.append("<h3>Last lines of the driver's stderr</h3>\n\(lines(result.stderr))") }
        if !result.unsearched.isEmpty {
            let more = result.unsearchedLeftOut > 0 ? ["… \(result.unsearchedLeftOut) more …"] : []
            parts.append("<h3>Files not searched for secrets</h3>\n\(lines(result.unsearched + more))")
        }
        parts.append("<h3>Run again</h3>\n\(command(result.again))")
        return parts
    }

    // MARK: heads and bodies

    private func exchanges(of result: ReportDocument.Result) -> [String] {
        let left = result.exchangesLeftOut
        if result.exchanges.isEmpty, left == 0 { return [] }
        typealias Bounds = ReportDocument.Bounds
        let note = """
            <p class="quiet">\(counted(left, "request")) left out: the report contains the first \(Bounds.firstExchanges) and the last \
            \(Bounds.lastExchanges) requests of a result, for at most \(Bounds.shownInstances) results of a case that failed for the same \
            reason.</p>
            """
        return ["<h3>Requests and responses</h3>"] + result.exchanges.map(exchange) + (left > 0 ? [note] : [])
    }

    private func exchange(_ exchange: ReportDocument.Exchange) -> String {
        """
        <details class="exchange"><summary><code>\(escaped(exchange.line))</code></summary>
        <h4>Request</h4>
        \(message(exchange.requestHead, exchange.requestBody, none: "No request was read."))
        <h4>Response</h4>
        \(message(exchange.responseHead, exchange.responseBody, none: "No status was sent."))
        </details>
        """
    }

    private func message(_ head: [String], _ body: String?, none: String) -> String {
        if head.isEmpty { return "<p class=\"quiet\">\(none)</p>" }
        return ([lines(head)] + [body].compactMap(\.self).map { lines([$0]) }).joined(separator: "\n")
    }
}
