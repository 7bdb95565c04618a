package import BankModel

/// The public bugs beside the cases that find them and the mutants that prove those cases.
package struct BugCorpus: Sendable {
    package var bugs: [KnownBug]
    package var cases: [ContractCase]
    package var mutants: [MutantRecord]

    package init(_ bugs: [KnownBug], _ suites: [Suite], _ mutants: [MutantRecord]) {
        self.bugs = bugs
        cases = suites.flatMap(\.cases)
        self.mutants = mutants
    }

    /// The cases that name one of the bug's threads.
    package func cases(finding bug: KnownBug) -> [ContractCase] {
        cases.filter { contract in contract.bugs.contains { bug.threads.contains($0) } }
    }

    /// The mutants that the case must fail, itself or by an invariant that is broken in it: one about tokens, broken in a case about
    /// something else, shows nothing of the case's bugs.
    package func mutants(killedBy contract: ContractCase) -> [MutantRecord] {
        mutants.filter { mutant in
            mutant.killedBy.contains { name in
                guard MutantRecord.caseID(of: name) == contract.id else { return false }
                let isAboutTokens = Cause.Topic(of: String(name.prefix { $0 != " " })) == .tokens
                return !isAboutTokens || Cause.Topic(of: contract.id) == .tokens
            }
        }
    }

    /// Complains of each id and thread that occurs twice, and of each thread that a case names and no bug has.
    package func checkNames(_ complaints: Complaints) {
        var ids: [String: SourcePosition] = [:]
        var threads: [BugAddress: SourcePosition] = [:]
        for bug in bugs {
            if let first = ids.updateValue(bug.position, forKey: bug.id) {
                complaints.add("the bug `\(bug.id)` is declared twice; first at \(first)", at: bug.position)
            }
            for thread in bug.threads {
                guard let first = threads.updateValue(bug.position, forKey: thread) else { continue }
                complaints.add("the thread \(thread.text) is named twice; first at \(first)", at: bug.position)
            }
        }
        for contract in cases {
            for thread in contract.bugs where threads[thread] == nil {
                let hint = didYouMean(thread.text, among: bugs.flatMap(\.threads).map(\.text))
                complaints.add(
                    found: "the bug \(thread.text) in \(contract.id)", expected: "a thread of the file of bugs\(hint)",
                    at: contract.position)
            }
        }
    }

    /// Complains of each bug that neither a case finds nor a reason explains, and of each case of a bug that no mutant proves.
    package func checkCover(_ complaints: Complaints) {
        for bug in bugs {
            let finding = cases(finding: bug)
            switch (finding.isEmpty, bug.reason) {
            case (true, nil):
                let expected = "one with \(oneOf(bug.threads.map(\.text))) under `bugs`, or a `reason`"
                complaints.add(found: "no case for the bug \(bug.id)", expected: expected, at: bug.position)
            case (false, .some):
                complaints.add(
                    found: "a `reason` for the bug \(bug.id), which \(finding[0].id) finds", expected: "one of the two", at: bug.position)
            default: break
            }
            for contract in finding where mutants(killedBy: contract).isEmpty {
                let expected = "one that makes the mistake of \(bug.id)"
                complaints.add(found: "no mutant that \(contract.id) must fail", expected: expected, at: contract.position)
            }
        }
    }

    /// The page in Markdown, written by `source`: a row for each bug that a case finds, then the others with their reasons; links lead to
    /// the folder `contracts`.
    package func page(source: String, contracts: String) -> String {
        let found = bugs.filter { $0.reason == nil }
        let others = bugs.filter { $0.reason != nil }
        var parts = [
            "<!-- Written by `\(source)` from Contracts/bugs.yaml, the cases' `bugs` and the mutants: edit those, not this page. -->",
            "# Public bugs and the cases that find them",
            """
            Bugs that bank and payment clients, or the libraries under them, have had in public. Each case must fail the mutants in its \
            row: conforming clients with one mistake. `counterfoil test --filter CASE` runs a case against your client.
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

/// A bug that a bank client has had in public: what went wrong, where it was reported, and why no case finds it if none does.
package struct KnownBug: Sendable {
    /// Words joined by `-`, such as `double-tap`.
    package var id: String
    /// The bug, in one sentence.
    package var bug: String
    /// The threads that report it; a case finds it by naming one of them.
    package var threads: [BugAddress]
    /// The reason for which no case finds it; nil if one does.
    package var reason: String?
    package var position: SourcePosition
}

extension KnownBug {
    /// Reads the file of bugs: `contract: 1`, and under `bugs` each with `id`, `bug`, `where` and, if no case finds it, `reason`.
    package static func list(_ node: Node, _ complaints: Complaints) -> [KnownBug] {
        let fields = Fields(node, of: fileSchema, complaints)
        _ = fields[Suite.contract]
        let bugs = fields[Key.list]?.elements(complaints)?.compactMap { format.read($0, complaints) } ?? []
        fields.finish()
        return bugs
    }

    private static let format = Format<KnownBug>.object(
        Key.schema,
        read: { fields, _ in
            let (id, bug, threads, reason) = (fields[Key.id], fields[Key.bug], fields[Key.threads], fields[Key.reason])
            guard let id, let bug, let threads else { return nil }
            return KnownBug(id: id, bug: bug, threads: threads, reason: reason, position: fields.node.position)
        })

    package static let fileSchema = ObjectSchema(
        "a file of bugs", "Public bugs of bank clients, each with the threads that report it.", fields: [Suite.contract, Key.list])

    private enum Key {
        static let list = Field(required: "bugs", .node(.list(.object(schema), atLeast: 0)), "the bugs, each listed once")
        static let id = Field(required: "id", .text(), "words joined by `-`, such as `double-tap`")
        static let bug = Field(required: "bug", .text("the bug in a sentence"), "what the client did wrong")
        static let threads = Field(
            required: "where", .list(of: BugAddress.format, atLeast: 1),
            "the threads that report it; a case that names one of them under `bugs` finds the bug")
        static let reason = Field("reason", .text("the reason in a sentence"), "why no case finds it; absent if one does")
        static let schema = ObjectSchema(
            "a bug", "One bug. It is found by a case, or has a `reason`.", fields: [id, bug, threads, reason] as [any AnyField])
    }
}
