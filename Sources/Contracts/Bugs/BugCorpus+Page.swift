import BankModel

extension BugCorpus {
    /// The page in Markdown: a row for each bug that a case finds, then those that none does, each with the reason.
    ///
    /// - Parameters:
    ///   - source: the command that writes the page, for people who want to edit it.
    ///   - contracts: the address of the contracts' folder, as links on the page lead there.
    package func page(source: String, contracts: String) -> String {
        let found = bugs.filter { $0.reason == nil }
        let others = bugs.filter { $0.reason != nil }
        var parts = [
            "<!-- Written by `\(source)` from Contracts/bugs.yaml, the cases' `bugs` and the mutants: edit those, not this page. -->",
            "# Public bugs and the cases that find them",
            """
            Bugs that bank and payment clients, or the libraries under them, have had in public. Each case must fail the mutants in its \
            row: clients that are right but for one mistake. `counterfoil test --filter CASE` runs a case against your client.
            """,
            table(["bug", "where", "cases", "mutants"], found.map { row($0, contracts: contracts) }),
        ]
        if !others.isEmpty {
            let rows = others.map { [$0.bug, links($0.threads), $0.reason ?? ""] }
            parts += ["## Without a case", table(["bug", "where", "reason"], rows)]
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private func row(_ bug: KnownBug, contracts: String) -> [String] {
        let finding = cases(finding: bug)
        let cases = finding.map { contract in
            let file = contract.position.file?.split(separator: "/").last.map(String.init) ?? ""
            return "[`\(contract.id)`](\(contracts)/\(file))"
        }
        let killed = distinct(finding.flatMap { mutants(killedBy: $0).map(\.name) })
        return [bug.bug, links(bug.threads), cases.joined(separator: ", "), killed.map { "`\($0)`" }.joined(separator: ", ")]
    }

    private func links(_ threads: [BugAddress]) -> String {
        threads.map { "[\($0.text)](\($0.link))" }.joined(separator: ", ")
    }

    private func table(_ head: [String], _ rows: [[String]]) -> String {
        let line = "|" + head.map { _ in "---|" }.joined()
        let lines = rows.map { cells in "| " + cells.map { $0.inOneLine.replacing("|", with: "\\|") }.joined(separator: " | ") + " |" }
        return (["| \(head.joined(separator: " | ")) |", line] + lines).joined(separator: "\n")
    }
}
