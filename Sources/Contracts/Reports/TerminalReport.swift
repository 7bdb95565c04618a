import BankModel

extension ReportDocument {
    /// The report for people: an example of each kind of failure, with what to do about it, then the failed cases in a short list, then one
    /// summary line. `expired` are the known-failing lines whose last day has passed, `failedAgain` runs all failed ones again.
    package func terminalText(
        _ demands: Demands, unmatched: [KnownFailing.Line] = [], expired: [KnownFailing.Line] = [], failedAgain: String? = nil
    ) -> String {
        var parts = failures.flatMap { text(of: $0) }
        let known = results.filter { $0.known != nil && ![.unsupported, .notExercised].contains($0.verdict) }
        let (passed, others) = (known.filter { $0.verdict == .pass }, known.filter { $0.verdict != .pass })
        if !passed.isEmpty {
            parts.append(passed.map { "known failure passed: \(knownLine($0)): remove or narrow its line" }.joined(separator: "\n"))
        }
        if !others.isEmpty { parts.append(shortened(others.map { "known    \(knownLine($0))" })) }
        if !platformLines.isEmpty { parts.append(shortened(platformLines)) }
        let withoutVerdict = untried
        if !withoutVerdict.isEmpty { parts.append(shortened(withoutVerdict)) }
        let notes =
            unmatched.map { "known-failing line \($0.number) `\($0.pattern)` matches nothing" } + expired.map(\.expiry)
            + missing(demands.require).map { "the required suite `\($0)` was not exercised" }
            + (demands.maxUnsupported.map { count(.unsupported) > $0 ? ["\(count(.unsupported)) unsupported, at most \($0) allowed"] : [] }
                ?? [])
            + unsearchedNote
        if !notes.isEmpty { parts.append(notes.joined(separator: "\n")) }
        if let list = causes { parts.append(list + (failedAgain.map { "\nrun them again: \($0)" } ?? "")) }
        if let trouble { parts.append("no verdict: \(trouble.indented)") }
        let ending = ending(demands, unmatched: unmatched).map { "\n" + $0 } ?? ""
        parts.append(summary + ending)
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// A result's name and verdict, with the reason and the last day of its known-failing line.
    fileprivate func knownLine(_ result: Result) -> String {
        let line = result.known.map { "\($0.reason), until \($0.until)" } ?? ""
        return "\(result.name): \(result.verdict.rawValue) (\(line))".inOneLine
    }

    /// The number of cases with the same reason that are shown in full.
    private static let examples = 3
    /// How many of the instances that are like an example are named.
    private static let named = 3

    /// A reason: a title if several cases have it, an example in full of the first cases, the others in a line each.
    fileprivate func text(of reason: FailureReason) -> [String] {
        let title = reason.cases.count > 1 ? [reason.title] : []
        let full = reason.cases.prefix(ReportDocument.examples).compactMap { group -> String? in
            guard let first = group.results.first else { return nil }
            let others = group.results.dropFirst()
            return text(of: results[first]) + (others.isEmpty ? "" : "\n  likewise  \(named(others, indent: "    "))")
        }
        let rest = reason.cases.dropFirst(ReportDocument.examples).map { group in named(group.results[...], indent: "    ") }
        return title + full + (rest.isEmpty ? [] : ["likewise\n" + rest.map { "  \($0)" }.joined(separator: "\n")])
    }

    /// `12 instances`, and the names of the first few, a line each.
    private func named(_ indices: ArraySlice<Int>, indent: String) -> String {
        let shown = indices.prefix(ReportDocument.named).map { results[$0].name } + (indices.count > ReportDocument.named ? ["…"] : [])
        return ([counted(indices.count, "instance")] + shown.map { indent + $0 }).joined(separator: "\n")
    }

    /// One result in full: what was expected and what happened, why it is required, the course of the run, and how to run it again.
    private func text(of result: Result) -> String {
        let mark = result.verdict == .fail ? "FAIL" : result.verdict.rawValue.uppercased()
        var lines = ["\(mark)\(result.level == .should ? " (should)" : "")  \(result.name)"]
        if let headline = result.headline { lines.append("  \(headline)") }
        lines += result.furtherReasons.map { "  also      \($0)" }
        lines.append("  why       \(result.why.inOneLine)")
        if let advice = result.advice { lines.append("  do        \(advice.indented)") }
        let timeline = result.shownTimeline
        if !timeline.isEmpty { lines += ["  timeline"] + timeline.map { "    \($0.inOneLine)" } }
        if !result.stderr.isEmpty { lines += ["  the end of the driver's stderr"] + result.stderr.map { "    \($0.inOneLine)" } }
        lines += result.outages.map { "  outage    \($0.name), seed \($0.seed)" }
        return (lines + ["  again     \(result.again)"]).joined(separator: "\n")
    }

    /// The instances without a verdict, one line per reason: `12 unsupported: the client does not support the bank feed`.
    fileprivate var untried: [String] {
        let quiet = results.filter { [.unsupported, .notExercised].contains($0.verdict) }
        let keys = quiet.map { "\($0.verdict.rawValue) \($0.cause?.title ?? $0.headline ?? "")" }
        return distinct(keys).compactMap { key in
            let same = zip(quiet, keys).filter { $0.1 == key }.map(\.0)
            guard let first = same.first else { return nil }
            let isUnsupported = first.verdict == .unsupported
            let text =
                isUnsupported ? "unsupported: \((first.reasons.first?.seen ?? "").inOneLine)" : "not exercised: \(first.headline ?? "")"
            let shown = same.prefix(3).map(\.name).joined(separator: ", ") + (same.count > 3 ? ", …" : "")
            return "\(same.count) \(text) (\(shown))" + (first.advice.map { "\n  do: \($0.indented)" } ?? "")
        }
    }

    /// The files that were not searched for secrets, in one line; none if all were.
    fileprivate var unsearchedNote: [String] {
        let files = distinct(results.flatMap(\.unsearched))
        guard !files.isEmpty else { return [] }
        let shown = files.prefix(3).joined(separator: "; ") + (files.count > 3 ? "; …" : "")
        return ["not searched for secrets in \(counted(results.count { !$0.unsearched.isEmpty }, "result")): \(shown)".inOneLine]
    }

    /// The causes, a line each with the cases and instances that they explain; nil if no more than one instance went wrong.
    fileprivate var causes: String? {
        let reasons = failures
        let instances = reasons.reduce(0) { $0 + $1.instances }
        guard instances > 1 else { return nil }
        let sizes = reasons.map { $0.verdict == .fail ? $0.size : "\($0.size), \($0.verdict.words)" }
        let width = sizes.map(\.count).max() ?? 0
        let lines = zip(reasons, sizes).map { reason, size in "  \(size.padded(to: width))  \(reason.cause.title)".inOneLine }
        return "\(counted(reasons.count, "cause")) explain\(reasons.count == 1 ? "s" : "") \(counted(instances, "result")):\n"
            + lines.joined(separator: "\n")
    }
}

/// The lines, or the first of them and how many more there are.
private func shortened(_ lines: [String], to limit: Int = 20) -> String {
    let more = lines.count > limit ? ["… \(lines.count - limit) more …"] : []
    return (lines.prefix(limit) + more).joined(separator: "\n")
}

extension String {
    /// The text padded with blanks to that width.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension InstanceResult {
    /// The timeline, line by line.
    package var timeline: [String] { Timeline(instance, evidence).lines }

    /// The last lines that the driver wrote to stderr, and the one with the reason of its crash.
    package var stderrTail: [String] { StderrEnd(evidence.stderr).lines.map { clipped($0, to: ReportDocument.Bounds.stderrLine) } }
}

/// The text in lines of at most `width` columns, broken at blanks; the first begins with `first`, the others with `indent`.
package func wrapped(_ text: String, to width: Int = 78, first: String = "", indent: String = "") -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(whereSeparator: \.isWhitespace) {
        if !isEmpty, line.columns + 1 + word.columns > width {
            lines.append(line)
            line = indent
            isEmpty = true
        }
        line += (isEmpty ? "" : " ") + word
        isEmpty = false
    }
    return lines + [line]
}

extension Verdict {
    /// A character that distinguishes it without colours.
    var sign: String {
        switch self {
        case .pass: "✓"
        case .fail: "✗"
        case .inconclusive: "?"
        case .unsupported: "–"
        case .notExercised: "○"
        case .harnessError: "!"
        }
    }

    /// The verdict in words, such as `not exercised`.
    var words: String {
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
    /// The class of its marks on the HTML page.
    var look: String { isKnownFailure ? "known" : verdict.rawValue }
    var sign: String { isKnownFailure ? "✗" : verdict.sign }
    var words: String { !isKnownFailure ? verdict.words : known != nil ? "failed (known)" : "failed (so did the baseline)" }
    /// `pay.a@toy: failed (run 2)`
    var label: String { "\(name): \(words)" + (repetition > 1 ? " (run \(repetition))" : "") }
}

/// The end of what a program wrote to stderr. A crash in Swift prints its reason first, then a hundred lines: the reason is kept too.
package struct StderrEnd {
    /// At most as many lines as reports have of it.
    package let lines: [String]

    package init(_ text: String) {
        let all = text.split(separator: "\n").map(String.init)
        let limit = ReportDocument.Bounds.stderrLines
        let end = all.suffix(limit)
        guard let reason = all.lastIndex(where: StderrEnd.isReason), reason < end.startIndex else {
            lines = Array(end)
            return
        }
        let rest = all.suffix(limit - 2)
        lines = [all[reason], "… \(rest.startIndex - reason - 1) lines …"] + rest
    }

    /// The lines, each within the bounds of reports.
    package var text: String { lines.map { clipped($0, to: ReportDocument.Bounds.stderrLine) }.joined(separator: "\n") }

    /// Whether a line has the reason why a program ended: in Swift, Rust, Go, Java, C++, Python, PHP and Ruby, whose reason follows the place,
    /// as in "bank.rb:7:in `pay': no money (BankError)".
    private static func isReason(_ line: String) -> Bool {
        ["Fatal error", "panicked at", "panic: ", "Exception in thread", "terminate called", "Traceback (most recent"]
            .contains { line.contains($0) } || (line.contains(".rb:") && line.contains("': "))
    }
}
