import BankModel

extension JournalReport {
    /// One line for each verdict that is not in `before`. A pass and an inconclusive rule are preliminary: a later request may change them.
    package func news(since before: JournalReport?) -> [String] {
        rules.flatMap { rule -> [String] in
            let old = before?.rules.first { $0.id == rule.id }
            switch rule.verdict {
            case .fail:
                return rule.violations.filter { !(old?.violations.contains($0) ?? false) }.map {
                    "FAIL  \(rule.id): \($0.text)".inOneLine
                }
            case .pass: return old?.verdict == .pass ? [] : ["pass so far  \(rule.id): \(rule.trigger)".inOneLine]
            case .inconclusive where dropped == 0 && old?.verdict != .inconclusive:
                return rule.openFindings.prefix(1).map { "inconclusive so far  \(rule.id): \($0.finding.seen); \($0.reason)".inOneLine }
            default: return []
            }
        }
    }

    /// The progress, in one line: `12 exchanges, 1 in flight; 3 passed so far, 1 failed`.
    package var tally: String {
        let underWay = underWay > 0 ? ", \(underWay) in flight" : ""
        let open = dropped == 0 && count(.inconclusive) > 0 ? ", \(count(.inconclusive)) inconclusive" : ""
        return "\(counted(exchanges, "exchange"))\(underWay); \(count(.pass)) passed so far, \(count(.fail)) failed\(open)"
    }

    /// Whether requests have come since that look at the journal, or are still under way.
    package func isLater(than before: JournalReport?) -> Bool {
        exchanges != before?.exchanges || dropped != before?.dropped || underWay > 0
    }

    /// The summary for users: failures, inconclusive rules, what was not exercised, one line. A report that is one of many leaves out what
    /// no journal shows. On a terminal of so many columns the lists of rules are wrapped; commands for pasting never are.
    package func text(require: [String] = [], isOneOfMany: Bool = false, columns: Int? = nil) -> String {
        var failed = rules.filter { $0.verdict == .fail }.map(text)
        // One sentence is enough for a journal that dropped entries.
        if dropped == 0 { failed += rules.filter { $0.verdict == .inconclusive }.map(text) }
        let doubtful = rules.filter { $0.verdict == .pass && !$0.openFindings.isEmpty }.map { rule in
            "passed, but inconclusive in \(rule.openFindings.count) of \(rule.met) occurrences: \(rule.id)"
        }
        let silent = rules.filter { $0.verdict == .notExercised }
        let lists = (silent.isEmpty ? [] : ["not exercised: " + silent.map(\.id).joined(separator: ", ")]) + (isOneOfMany ? [] : unchecked)
        var parts = missing(require).map(missingText)
        if let (name, count) = through.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            parts.append(
                "note: \(counted(count, "request")) of \(exchanges) came through a proxy (header \(name)), which may retry, buffer or respond by "
                    + "itself: `counterfoil probe --through` shows what it changes")
        }
        if let outage { parts.append("outage \(outage.name): \(outage.lines.joined(separator: ", "))") }
        if dropped > 0 { parts.append("\(droppedText): without them, no rule can pass") }
        let counts = Verdict.allCases.filter { $0 == .pass || count($0) > 0 }.map { "\(count($0)) \($0.words)" }
        parts.append(
            "\(counts.joined(separator: ", ")) of \(counted(rules.count, "rule")) (session \(session), \(counted(exchanges, "exchange")))")
        let shown = doubtful.map(\.inOneLine) + lists.map { JournalReport.list($0, to: columns) } + parts.map(\.inOneLine)
        return (failed + shown).joined(separator: "\n\n") + "\n"
    }

    /// A list of rules in one line, or wrapped between words.
    static func list(_ text: String, to columns: Int?) -> String {
        columns.map { wrapped(text, to: $0, indent: "  ").joined(separator: "\n") } ?? text.inOneLine
    }

    /// The invariants that no journal shows broken and what they need, in one line; none if invariants are not asked for.
    var unchecked: [String] {
        guard rules.contains(where: { $0.suite == Invariant.suite }) else { return [] }
        let names = ClientRule.beyondJournals.map { "\($0.id) (\($0.needs.words))" }
        return ["not checked, because they need a driver: " + names.joined(separator: ", ")]
    }

    private func missingText(_ suite: String) -> String {
        let isOpen = rules.contains { $0.isOf(suite) && $0.verdict == .inconclusive }
        return "the required suite `\(suite)` \(isOpen ? "has no verdict: its rules are inconclusive" : "was not exercised")"
    }

    /// One rule that failed or is inconclusive, for users.
    package func text(_ rule: Outcome) -> String {
        let headlines = (rule.violations.isEmpty ? rule.openFindings.map(\.finding) : rule.violations).map(\.text)
        var lines = ["\(rule.verdict == .fail ? "FAIL" : "INCONCLUSIVE")\(rule.level == .should ? " (should)" : "")  \(rule.id)@\(bank)"]
        lines += headlines.prefix(1).map { "  \($0)" }
        if rule.verdict != .fail, let doubt = rule.openFindings.first {
            lines += ["  because   \(doubt.reason)", "  do        \(doubt.advice)"]
        }
        lines += headlines.dropFirst().prefix(2).map { "  also      \($0)" }
        if headlines.count > 3 { lines.append("  also      \(headlines.count - 3) more") }
        lines += ["  why       \(rule.why)", "  timeline"] + rule.shownTimeline.map { "    \($0)" }
        return lines.map(\.inOneLine).joined(separator: "\n")
    }

    /// The same report with the findings open that a recording cannot prove; `doubt` returns why, and the change that proves it.
    package func doubting(_ doubt: (_ needed: [RecordedFact], _ exchanges: [Int]) -> (reason: String, advice: String)?) -> JournalReport {
        var report = self
        report.rules = rules.map { $0.doubting(doubt, dropped: dropped) }
        return report
    }
}

extension JournalReport.Outcome {
    fileprivate func doubting(_ doubt: ([RecordedFact], [Int]) -> (reason: String, advice: String)?, dropped: Int) -> Self {
        var outcome = self
        outcome.violations = []
        let others = openFindings.map { open in
            doubt(restsOn, open.finding.requests.map(\.number)).map { OpenFinding(open.finding, reason: $0.reason, advice: $0.advice) }
                ?? open
        }
        var doubted: [OpenFinding] = []
        for violation in violations {
            if let (reason, advice) = doubt(restsOn, violation.requests.map(\.number)) {
                doubted.append(OpenFinding(violation, reason: reason, advice: advice))
            } else {
                outcome.violations.append(violation)
            }
        }
        // Those in doubt are first: the timeline is theirs.
        outcome.openFindings = doubted + others
        if verdict == .fail, outcome.violations.isEmpty {
            outcome.verdict = dropped == 0 && outcome.openFindings.count < met ? .pass : .inconclusive
        }
        return outcome
    }
}
