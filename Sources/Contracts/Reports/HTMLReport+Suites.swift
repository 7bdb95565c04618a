import BankModel

extension HTMLReport {
    /// The names of the suites, in the order of the runs.
    var suites: [String] { distinct(runs.flatMap { $0.results.map(\.suite) }) }

    /// A suite, folded: its counts, and a matrix of its cases and the clients.
    func suite(_ suite: String) -> String {
        let all = runs.flatMap { $0.results.filter { $0.suite == suite } }
        let cases = distinct(all.map(\.caseID))
        let rows = cases.map { caseID in
            let first = all.first { $0.caseID == caseID }
            let level = first?.level == .should ? " <small>should</small>" : ""
            let cells = runs.indices.map { "<td\(clientLabel($0))>\(cell(caseID, $0))</td>" }.joined()
            let explain = "<code>counterfoil test --explain \(escaped(caseID))</code>"
            let written =
                first?.position.map { position in
                    "<span class=\"why\">Defined in \(escaped("\(position)")). To explain it step by step: \(explain)</span>"
                } ?? ""
            let why = "<span class=\"why\">\(escaped(first?.why ?? ""))\(first.map(links) ?? "")</span>\(written)"
            return """
                <tr id="case-\(escaped(caseID))"><th scope="row"><code>\(escaped(caseID))</code>\(level)\(why)</th>\(cells)</tr>
                """
        }
        let clients = runs.map { "<th scope=\"col\">\(escaped($0.client))</th>" }.joined()
        let counts = tallies(all) { "<span class=\"\($0.rawValue)\">\($0.sign) \($1) \($0.words)</span>" }
        let time = timeText(all.reduce(0) { $0 + $1.duration })
        return """
            <details class="suite"><summary><h2>\(escaped(suite))</h2> \(counts) \
            <span class="quiet">\(counted(cases.count, "case")), \(time)</span></summary>
            <table><thead><tr><th scope="col">case</th>\(clients)</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></details>
            """
    }

    /// The client's name for a narrow page, whose table has no columns; nothing if there is one client only.
    private func clientLabel(_ run: Int) -> String { runs.count > 1 ? " data-client=\"\(escaped(runs[run].client))\"" : "" }

    /// The results of one client in a case: a mark for each instance, bank by bank.
    private func cell(_ caseID: String, _ run: Int) -> String {
        let own = runs[run].results.enumerated().filter { $0.element.caseID == caseID }
        return distinct(own.map(\.element.bank)).map { bank in
            let marks = own.filter { $0.element.bank == bank }.map { number, result in
                """
                <a id="at-\(anchor(run, number))" href="#\(anchor(run, number))" class="\(result.look)" \
                title="\(escaped(result.label)), \(timeText(result.duration))" aria-label="\(escaped(result.label))">\(result.sign)</a>
                """
            }
            return "<span class=\"bank\"><small>\(escaped(bank))</small> \(marks.joined(separator: " "))</span>"
        }.joined(separator: " ")
    }
}
