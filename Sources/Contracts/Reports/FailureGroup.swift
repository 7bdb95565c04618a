import BankModel

/// Results of one case that have one reason.
struct FailureGroup: Sendable, Equatable {
    var caseID: String
    /// Their indices among the results of the run, in order.
    var results: [Int]
}

/// A reason, and the cases in which something went wrong because of it.
struct FailureReason: Sendable, Equatable {
    /// The headline without what differs from run to run.
    var text: String
    /// In the order in which they first come.
    var cases: [FailureGroup]

    /// `27 cases, 164 instances: expected the same key in every attempt of intent A, got … attempts with …`
    var title: String {
        let instances = cases.reduce(0) { $0 + $1.results.count }
        return "\(counted(cases.count, "case")), \(counted(instances, "instance")): \(text)"
    }
}

extension ReportDocument {
    /// All that somebody has to look at, by reason and then by case, in the order of the run.
    var failures: [FailureReason] {
        var order: [String] = []
        var reasons: [String: FailureReason] = [:]
        for (index, result) in results.enumerated() where result.needsLooking {
            let text = normalised(result.headline ?? "")
            let key = "\(result.verdict.rawValue) \(text)"
            if reasons[key] == nil { order.append(key) }
            var reason = reasons[key] ?? FailureReason(text: text, cases: [])
            if let place = reason.cases.firstIndex(where: { $0.caseID == result.caseID }) {
                reason.cases[place].results.append(index)
            } else {
                reason.cases.append(FailureGroup(caseID: result.caseID, results: [index]))
            }
            reasons[key] = reason
        }
        return order.compactMap { reasons[$0] }
    }
}

extension ReportDocument.Result {
    /// Whether somebody has to see what happened.
    var needsLooking: Bool { !isKnownFailure && platform == nil && [.fail, .inconclusive, .harnessError].contains(verdict) }
}

/// The text without what differs between runs that went wrong in the same way: numbers, amounts, ids, paths, quoted texts and
/// JSON each become `…`, and a list of those one.
func normalised(_ text: String) -> String {
    var out = ""
    var rest = Substring(text)
    while let first = rest.first {
        if first == "{" || first == "[" {
            rest = rest.dropFirst(balanced(rest))
            out += "…"
        } else if first == "\"" {
            rest = rest.dropFirst().drop { $0 != "\"" }.dropFirst()
            out += "…"
        } else if isWord(first) {
            let word = rest.prefix(while: isWord)
            rest = rest.dropFirst(word.count)
            out += word.contains(where: \.isNumber) || word.hasPrefix("/") ? "…" : String(word)
        } else {
            out.append(first)
            rest.removeFirst()
        }
    }
    return collapsed(out)
}

private func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || "-_./#+:@".contains(character) }

/// The length of the JSON text at the beginning, by its brackets outside of texts; all if they do not match.
private func balanced(_ text: Substring) -> Int {
    var depth = 0
    var isText = false
    var isEscaped = false
    for (offset, character) in text.enumerated() {
        if character == "\"", !isEscaped { isText.toggle() }
        isEscaped = character == "\\" && !isEscaped
        if isText { continue }
        if "{[".contains(character) { depth += 1 }
        if "}]".contains(character) { depth -= 1 }
        if depth == 0 { return offset + 1 }
    }
    return text.count
}

/// A list of `…` as one; a currency after an amount goes with it.
private func collapsed(_ text: String) -> String {
    text.replacing(#/… [A-Z]{3}\b/#, with: "…").replacing(#/…(?:,? …)+/#, with: "…")
}
