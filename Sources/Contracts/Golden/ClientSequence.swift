package import BankModel

/// The requests of a client, exchange by exchange, with names in place of tokens, keys, customers, ids and times: two runs of one app give
/// the same sequence, and another version another one only if it behaves differently.
package struct ClientSequence: Sendable, Hashable {
    /// One request and its outcome.
    package struct Step: Sendable, Hashable {
        /// What was asked: `pay POST /v1/payments`.
        package var title: String
        /// What two versions are aligned by: the title without names that count.
        package var kind: String
        /// The facts of the request and its outcome, one a line, in a fixed order: `key key#1`.
        package var facts: [String]
    }

    package var steps: [Step]

    /// - Parameter journal: in the order of time.
    package init(_ journal: [JournalEntry]) {
        var names = SequenceNames()
        steps = journal.map { Step($0, &names) }
    }

    /// The first line of a file.
    private static let heading = "# counterfoil golden 1"

    // MARK: text

    /// The file's text: a paragraph for each exchange.
    package var text: String {
        let paragraphs = steps.map { step in
            ([step.title] + step.facts.map { "    \($0)" }).joined(separator: "\n")
        }
        return ([ClientSequence.heading] + paragraphs).joined(separator: "\n\n") + "\n"
    }

    /// Reads a file's text; throws if it is not one.
    package init(text: String, file: String) throws(ComplaintsError) {
        func wrong(_ message: String, line: Int) -> ComplaintsError {
            ComplaintsError([Complaint(message, at: SourcePosition(file: file, line: line, column: 1))])
        }
        // A CRLF is one character.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        guard let first = lines.first, first == ClientSequence.heading else {
            let found = String(lines.first ?? "").prefix(80)
            throw wrong("found `\(found)`, expected `\(ClientSequence.heading)`: a file that `golden save` wrote", line: 1)
        }
        steps = []
        for (number, line) in lines.enumerated().dropFirst() where !line.allSatisfy(\.isWhitespace) {
            if line.hasPrefix("    ") {
                guard !steps.isEmpty else { throw wrong("found a fact, expected a request before it", line: number + 1) }
                steps[steps.count - 1].facts.append(String(line.dropFirst(4)))
            } else {
                steps.append(Step(title: String(line), kind: SequenceNames.uncounted(String(line)), facts: []))
            }
        }
    }
}

extension ClientSequence.Step {
    init(_ entry: JournalEntry, _ names: inout SequenceNames) {
        let role = entry.roles.first ?? entry.operation.flatMap { $0.contains(" ") ? nil : $0 }
        // The key first: it may be in the path.
        let key = entry.key.map { names.name("key", $0) }
        let path = entry.path.split(separator: "/", omittingEmptySubsequences: false).map { names.named(String($0), at: entry.at) }
        let call = "\(entry.method ?? "incomplete request") \(path.joined(separator: "/"))"
        title = (role.map { "\($0) " } ?? "") + call
        kind = SequenceNames.uncounted(title)
        facts = []
        if let customer = entry.customer { facts.append("customer \(names.name("customer", customer))") }
        if let token = entry.token { facts.append("token \(names.token(token))") }
        if let key { facts.append("key \(key)") }
        if let attempt = entry.attempt, attempt > 1 { facts.append("attempt \(attempt)") }
        facts += names.fields(entry.query ?? "", at: entry.at).map { "query \($0)" }
        facts += names.body(entry).map { "body \($0)" }
        let response = entry.response.map { " (\($0))" } ?? ""
        facts.append("status \(entry.status.map { "\($0)" } ?? "none")\(response)")
        if ![.kept, .incomplete].contains(entry.receipt.end) { facts.append("end \(entry.receipt.end.rawValue)") }
    }
}
