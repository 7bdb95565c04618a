import BankModel

extension HTMLReport {
    /// The failures, by reason and case with an example each, as in the terminal: nobody has to look for one failure among two
    /// thousand marks, and one mistake that fails a hundred instances is shown once.
    func failures(of number: Int) -> String {
        let reasons = runs[number].failures
        if reasons.isEmpty { return "" }
        let first = reasons.first?.cases.first
        let items = reasons.map { reason in
            let title = reason.cases.count > 1 ? "<p class=\"reason\">\(escaped(clipped(reason.title, to: 400)))</p>\n" : ""
            let cases = reason.cases.map { group($0, number, isOpen: $0 == first) }
            return "<div class=\"group\">\n\(title)\(cases.joined(separator: "\n"))\n</div>"
        }
        return "<h3>Failures</h3>\n\(items.joined(separator: "\n"))"
    }

    /// A case with one instance in full, and links to those that are like it.
    private func group(_ group: FailureGroup, _ number: Int, isOpen: Bool) -> String {
        let run = runs[number]
        guard let first = group.results.first else { return "" }
        let result = run.results[first]
        func link(_ index: Int) -> String { "<a href=\"#\(anchor(number, index))\">\(escaped(run.results[index].name))</a>" }
        let others = group.results.dropFirst()
        let links = others.map { "<li>\(link($0))</li>" }.joined()
        let title = "<summary>\(counted(others.count, "more instance")) of this case</summary>"
        let more = others.isEmpty ? "" : "\n<details class=\"likewise\">\(title)<ul>\(links)</ul></details>"
        let timeline = result.timeline.isEmpty ? "" : "\n\(lines(result.shownTimeline))"
        let count = counted(group.results.count, "instance")
        return """
            <details class="case"\(isOpen ? " open" : "")><summary><span class="mark \(result.look)">\(result.sign)</span> \
            <code>\(escaped(group.caseID))</code> <span class="quiet">\(result.words), \(count)</span>
            <span class="headline">\(escaped(clipped(result.headline ?? "", to: 600)))</span></summary>
            <p>\(link(first))</p>
            \(account(of: result))\(timeline)
            \(command(result.again))\(more)
            </details>
            """
    }

    /// The reasons after the decisive one, what the case is for, and what to do.
    func account(of result: ReportDocument.Result) -> String {
        var parts = result.furtherReasons.map { "<p>Also: \(escaped($0))</p>" }
        let row = "<a href=\"#case-\(escaped(result.caseID))\">About the case</a>"
        parts.append("<p class=\"why\">\(escaped(result.why))\(links(of: result)) \(row)</p>")
        if let advice = result.advice { parts.append("<p><b>To do:</b> \(escaped(advice))</p>") }
        return parts.joined(separator: "\n")
    }

    /// The document that a case rests on and the threads of the bugs that it is to find, after the rule; nothing if it names none.
    func links(of result: ReportDocument.Result) -> String {
        func link(_ text: String, _ address: String) -> String {
            "<a class=\"away\" rel=\"noreferrer\" href=\"\(escaped(address))\">\(escaped(text))</a>"
        }
        let sources = (result.source ?? "").split(separator: "; ").map(String.init).map { text in
            SourceAddress.link(text).map { link(text, $0) } ?? escaped(text)
        }
        let bugs = result.bugs.map { link($0.text, $0.link) }
        return (sources.isEmpty ? "" : " Source: \(sources.joined(separator: "; ")).")
            + (bugs.isEmpty ? "" : " Bugs: \(bugs.joined(separator: ", "))")
    }
}
