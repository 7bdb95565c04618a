import BankModel

/// Runs as one HTML page that needs nothing else: what went wrong in groups, and a matrix of cases and clients, each cell opening
/// what happened.
///
/// All of it can be read without script: a cell is a link to its details, which are shown while they are the page's target. So all
/// can be reached by keyboard, and a link to a cell can be sent to somebody else. The script adds the filter, Escape and copying.
package struct HTMLReport {
    let runs: [ReportDocument]

    package init(_ runs: [ReportDocument]) { self.runs = runs }

    package var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="\(HTMLReport.policy)">
        <title>Counterfoil: \(escaped(runs.map(\.client).joined(separator: ", ")))</title>
        <style>
        \(HTMLReport.style)
        </style>
        </head>
        <body>
        \(header)
        <main>
        \(runs.indices.map(summary).joined(separator: "\n"))
        \(legend)
        \(suites.map(suite).joined(separator: "\n"))
        </main>
        \(runs.indices.map { details(of: $0) }.joined(separator: "\n"))
        <script type="module">
        \(HTMLReport.script)
        </script>
        </body>
        </html>

        """
    }

    /// Nothing is loaded, and no script runs but that of the page (CSP Level 3 §2.3.1).
    private static let policy = [
        "default-src 'none'", "style-src 'unsafe-inline'", "script-src '\(scriptHash)'", "base-uri 'none'", "form-action 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// The title, and what the script shows once it is there to be used.
    private var header: String {
        """
        <header>
        <h1>Contract report</h1>
        <div class="tools" hidden>
        <input type="search" id="filter" placeholder="Filter" title="Filter by case, bank or word" aria-label="Filter by case, bank or word" autocomplete="off" spellcheck="false">
        <label title="Show only failed and inconclusive results and harness errors"><input type="checkbox" id="failed"> Failures only</label>
        <button type="button" id="fold">Expand all</button>
        <span id="shown" role="status"></span>
        </div>
        </header>
        """
    }

    // MARK: the runs

    private func summary(_ number: Int) -> String {
        let run = runs[number]
        let trouble = run.trouble.map { "<p class=\"trouble\">No verdict: \(escaped($0))</p>\n" } ?? ""
        let ending = run.exitReason.map { "<p class=\"trouble\">\(escaped($0))</p>\n" } ?? ""
        let counts = [run.instanceResults, run.invariantResults].map { tallies($0) { "\(mark($0)) \($1) \($0.words)" } }
        return """
            <section class="run"><h2>\(escaped(run.client))</h2>
            <p>\(counts.filter { !$0.isEmpty }.joined(separator: " invariants: "))</p>
            \(trouble)\(ending)\(facts(of: run))\(notes(of: run))
            \(slowest(of: number))
            \(failures(of: number))
            </section>
            """
    }

    /// A count of each verdict that occurs, in the given words.
    func tallies(_ results: [ReportDocument.Result], _ words: (Verdict, Int) -> String) -> String {
        let counts = ResultCounts(results)
        return Verdict.allCases.compactMap { verdict in
            let count = counts.count(verdict)
            return count > 0 ? "<span class=\"tally\">\(words(verdict, count))</span>" : nil
        }.joined(separator: " ")
    }

    /// When, where and how the run was made, as far as the report has it.
    private func facts(of run: ReportDocument) -> String {
        let started = run.origin.started.map { instant in
            let text = instant.rfc3339()
            return "<time datetime=\"\(text)\">\(text.replacing("T", with: " ").replacing("Z", with: " UTC"))</time>"
        }
        let skipped = run.skipped > 0 ? ", \(run.skipped) skipped" : ""
        let rows: [(String, String?)] = [
            ("started", started), ("host", run.origin.host.map(escaped)), ("counterfoil", run.origin.version.map(escaped)),
            ("results", "\(run.instanceResults.count) in \(timeText(run.duration))\(skipped)"), ("seed", "\(run.seed)"),
            ("driver", "<code>\(escaped(run.command))</code>"),
        ]
        let items = rows.compactMap { name, value in value.map { "<div><dt>\(name)</dt><dd>\($0)</dd></div>" } }
        return "<dl class=\"facts\">\(items.joined(separator: " "))</dl>"
    }

    /// What was assumed and left out; nothing for most runs.
    private func notes(of run: ReportDocument) -> String {
        run.notes.isEmpty ? "" : "\n<details><summary>Assumptions and omissions</summary>\n\(lines(run.notes))\n</details>"
    }

    /// The results that took longest; nothing if none took any time.
    private func slowest(of number: Int) -> String {
        let longest = runs[number].results.enumerated().filter { $0.element.duration > 0 }
            .sorted { ($1.element.duration, $0.offset) < ($0.element.duration, $1.offset) }.prefix(10)
        guard let first = longest.first else { return "" }
        let rows = longest.map { index, result in
            """
            <li><span class="took">\(timeText(result.duration))</span> <a href="#\(anchor(number, index))">\(escaped(result.name))</a></li>
            """
        }
        return """
            <details class="slowest"><summary>Slowest: \(timeText(first.element.duration)), \(escaped(first.element.name))</summary>
            <ol>
            \(rows.joined(separator: "\n"))
            </ol></details>
            """
    }

    private var legend: String {
        "<p class=\"legend\">"
            + Verdict.allCases.map { "<span class=\"tally\">\(mark($0)) \($0.words)</span>" }.joined(separator: " ")
            + "<br>Each mark opens the details of its result.</p>"
    }

    // MARK: parts of several sections

    /// The id of a result's details.
    func anchor(_ run: Int, _ number: Int) -> String { "run\(run + 1)-\(number + 1)" }

    private func mark(_ verdict: Verdict) -> String {
        "<span class=\"mark \(verdict.rawValue)\" aria-hidden=\"true\">\(verdict.sign)</span>"
    }

    /// Lines that can be scrolled by keyboard where they are too long.
    func lines(_ lines: [String]) -> String { "<pre tabindex=\"0\">\(escaped(lines.joined(separator: "\n")))</pre>" }

    /// A command, which the script lets readers copy.
    func command(_ line: String) -> String { "<div class=\"command\">\(lines([line]))</div>" }
}

/// A number of milliseconds for people: `12 ms`, `4.2 s`, `2 min 5 s`.
func timeText(_ milliseconds: Int64) -> String {
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    if milliseconds < 60_000 { return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s" }
    return "\(milliseconds / 60_000) min \(milliseconds / 1000 % 60) s"
}

/// The text as it may stand in XML 1.0 and in HTML, in quotes too: the five characters of markup by number or name, control
/// characters as in a terminal (`\u202e`), so that none changes the order of what is read, and what else XML forbids as U+FFFD.
func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.withoutControls.unicodeScalars {
        switch scalar {
        case "&": out += "&amp;"
        case "<": out += "&lt;"
        case ">": out += "&gt;"
        case "\"": out += "&quot;"
        case "'": out += "&#39;"
        case "\u{FFFE}", "\u{FFFF}": out += "\u{FFFD}"
        default: out.unicodeScalars.append(scalar)
        }
    }
    return out
}
