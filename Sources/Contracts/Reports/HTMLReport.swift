import BankModel
/// Runs as one HTML page that needs nothing else: a matrix of cases and clients, each cell opening what happened.
///
/// It works without script: a cell is a link to its details, which are shown while they are the page's target. So all of it can
/// be reached by keyboard, and a link to a cell can be sent to somebody else.
package struct HTMLReport {
    private let runs: [ReportDocument]

    package init(_ runs: [ReportDocument]) { self.runs = runs }

    package var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Counterfoil: \(escaped(runs.map(\.client).joined(separator: ", ")))</title>
        <style>
        \(HTMLReport.style)
        </style>
        </head>
        <body>
        <main>
        <h1>Contract report</h1>
        \(runs.indices.map(summary).joined(separator: "\n"))
        \(legend)
        \(suites.map(matrix).joined(separator: "\n"))
        </main>
        \(runs.indices.map { details(of: $0) }.joined(separator: "\n"))
        </body>
        </html>

        """
    }

    // MARK: the runs

    private func summary(_ number: Int) -> String {
        let run = runs[number]
        let counts = Verdict.allCases.filter { run.count($0) > 0 }
            .map { "<span class=\"tally\">\(mark($0)) \(run.count($0)) \($0.words)</span>" }
        let trouble = run.trouble.map { "<p class=\"trouble\">No verdict: \(escaped($0))</p>" } ?? ""
        return """
            <section class="run"><h2>\(escaped(run.client))</h2>
            <p>\(counts.joined(separator: " "))</p>
            <p class="meta">\(run.results.count) runs in \(run.duration / 1000).\(run.duration % 1000 / 100) s, seed \(run.seed), \
            driver <code>\(escaped(run.command))</code></p>\(trouble)\(failures(of: number))</section>
            """
    }

    /// All that went wrong, by reason and case with one example each, so that one failure among two thousand marks need not be
    /// looked for, and one mistake that fails a hundred instances is told once.
    private func failures(of number: Int) -> String {
        let reasons = runs[number].failures
        if reasons.isEmpty { return "" }
        let items = reasons.map { reason in
            let title = reason.cases.count > 1 ? "<p class=\"reason\">\(escaped(clipped(reason.title, to: 400)))</p>\n" : ""
            let cases = reason.cases.map { "<li>\(group($0, number))</li>" }.joined(separator: "\n")
            return "\(title)<ul class=\"failures\">\n\(cases)\n</ul>"
        }
        return "<h3>To look at</h3>\n\(items.joined(separator: "\n"))"
    }

    /// One instance of a case with its headline, and links to those that are like it.
    private func group(_ group: FailureGroup, _ number: Int) -> String {
        func link(_ index: Int) -> String { "<a href=\"#\(anchor(number, index))\">\(escaped(runs[number].results[index].name))</a>" }
        guard let first = group.results.first else { return "" }
        let result = runs[number].results[first]
        let text = "\(link(first)) \(escaped(clipped("\(result.words): \(result.headline ?? "")", to: 600)))"
        let others = group.results.dropFirst()
        if others.isEmpty { return text }
        let links = others.map(link).joined(separator: ", ")
        return "\(text)\n<details><summary>\(others.count) more of this case</summary>\(links)</details>"
    }

    private var legend: String {
        "<p class=\"legend\">"
            + Verdict.allCases.map { "<span class=\"tally\">\(mark($0)) \($0.words)</span>" }.joined(separator: " ")
            + "<br>Each mark opens what happened.</p>"
    }

    // MARK: the matrix

    private var suites: [String] { distinct(runs.flatMap { $0.results.map(\.suite) }) }

    private func matrix(_ suite: String) -> String {
        let all = runs.flatMap { $0.results.filter { $0.suite == suite } }
        let rows = distinct(all.map(\.caseID)).map { caseID in
            let first = all.first { $0.caseID == caseID }
            let level = first?.level == .should ? " <small>should</small>" : ""
            let cells = runs.indices.map { "<td>\(cell(caseID, $0))</td>" }.joined()
            return """
                <tr><th scope="row"><code>\(escaped(caseID))</code>\(level)<span class="why">\(escaped(first?.why ?? ""))</span></th>\(cells)</tr>
                """
        }
        let clients = runs.map { "<th scope=\"col\">\(escaped($0.client))</th>" }.joined()
        return """
            <table><caption>\(escaped(suite))</caption>
            <thead><tr><th scope="col">case</th>\(clients)</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table>
            """
    }

    /// All that one client made of a case: a mark for each instance, bank by bank.
    private func cell(_ caseID: String, _ run: Int) -> String {
        let own = runs[run].results.enumerated().filter { $0.element.caseID == caseID }
        return distinct(own.map(\.element.bank)).map { bank in
            let marks = own.filter { $0.element.bank == bank }.map { number, result in
                """
                <a id="at-\(anchor(run, number))" href="#\(anchor(run, number))" class="\(result.look)" title="\(escaped(result.label))" \
                aria-label="\(escaped(result.label))">\(result.sign)</a>
                """
            }
            return "<span class=\"bank\"><small>\(escaped(bank))</small> \(marks.joined(separator: " "))</span>"
        }.joined(separator: " ")
    }

    private func mark(_ verdict: Verdict) -> String {
        "<span class=\"mark \(verdict.rawValue)\" aria-hidden=\"true\">\(verdict.sign)</span>"
    }

    // MARK: what happened

    private func anchor(_ run: Int, _ number: Int) -> String { "run\(run + 1)-\(number + 1)" }

    private func details(of run: Int) -> String {
        runs[run].results.enumerated().map { number, result in
            let id = anchor(run, number)
            var parts = ["<p class=\"why\">\(escaped(result.why))</p>"]
            if let headline = result.headline { parts.insert("<p class=\"headline\">\(escaped(headline))</p>", at: 0) }
            parts += result.furtherReasons.map { "<p>also: \(escaped($0))</p>" }
            if let advice = result.advice { parts.append("<p><b>To do:</b> \(escaped(advice))</p>") }
            if let known = result.known {
                parts.append("<p>Known: \(escaped(known.reason)), until \(escaped(known.until.description)).</p>")
            }
            parts += result.outages.map { "<p>Outage \(escaped($0.name)), seed \($0.seed).</p>" }
            if !result.timeline.isEmpty { parts.append("<h3>Timeline</h3>\(lines(result.shownTimeline))") }
            if !result.stderr.isEmpty { parts.append("<h3>The end of the driver's stderr</h3>\(lines(result.stderr))") }
            parts.append("<h3>Again</h3>\(lines([result.again]))")
            return """
                <section class="details" id="\(id)" aria-labelledby="\(id)-name">
                <p><a class="close" href="#at-\(id)">close</a> <span class="mark \(result.look)">\(result.sign)</span> \
                \(escaped(result.words))\(result.repetition > 1 ? ", run \(result.repetition)" : ""), \(result.duration) ms, \
                \(escaped(runs[run].client))</p>
                <h2 id="\(id)-name">\(escaped(result.name))</h2>
                \(parts.joined(separator: "\n"))
                </section>
                """
        }.joined(separator: "\n")
    }

    /// Lines that can be scrolled by keyboard where they are too long.
    private func lines(_ lines: [String]) -> String { "<pre tabindex=\"0\">\(escaped(lines.joined(separator: "\n")))</pre>" }
}

extension Verdict {
    /// Told apart without colours.
    fileprivate var sign: String {
        switch self {
        case .pass: "✓"
        case .fail: "✗"
        case .inconclusive: "?"
        case .unsupported: "–"
        case .notExercised: "○"
        case .harnessError: "!"
        }
    }

    fileprivate var words: String {
        switch self {
        case .pass: "passed"
        case .fail: "failed"
        case .inconclusive: "inconclusive"
        case .unsupported: "unsupported"
        case .notExercised: "not exercised"
        case .harnessError: "harness error"
        }
    }
}

extension ReportDocument.Result {
    fileprivate var look: String { isKnownFailure ? "known" : verdict.rawValue }
    fileprivate var sign: String { isKnownFailure ? "✗" : verdict.sign }
    fileprivate var words: String { isKnownFailure ? "failed, as announced" : verdict.words }
    fileprivate var label: String { "\(name): \(words)" + (repetition > 1 ? " (run \(repetition))" : "") }
}
