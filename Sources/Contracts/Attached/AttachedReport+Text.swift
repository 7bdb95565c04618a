extension AttachedReport {
    /// One line for each verdict that is not in `before`: what a watcher is told as it happens.
    ///
    /// A pass is one so far: what comes later may still break the rule.
    package func news(since before: AttachedReport?) -> [String] {
        rules.flatMap { rule -> [String] in
            let old = before?.rules.first { $0.id == rule.id }
            if rule.verdict == .fail {
                return rule.violations.filter { !(old?.violations.contains($0) ?? false) }.map {
                    "FAIL  \(rule.id): expected \($0.expected); seen \($0.seen)"
                }
            }
            return rule.verdict == .pass && old?.verdict != .pass ? ["pass so far  \(rule.id): \(rule.trigger)"] : []
        }
    }

    /// How far it has come, in one line: `12 exchanges, 1 under way; 3 passed so far, 1 failed`.
    package var tally: String {
        let underWay = underWay > 0 ? ", \(underWay) under way" : ""
        return "\(exchanges) exchanges\(underWay); \(count(.pass)) passed so far, \(count(.fail)) failed"
    }

    /// Whether requests have come since that look at the journal, or are still under way.
    package func isLater(than before: AttachedReport?) -> Bool {
        exchanges != before?.exchanges || dropped != before?.dropped || underWay > 0
    }

    /// The end of it, for people: each failure so that a stranger can act, then what was not exercised, then one line.
    ///
    /// - Parameter require: suites of which something must have been exercised.
    package func text(require: [String] = []) -> String {
        var parts = rules.filter { $0.verdict == .fail }.map(text)
        let silent = rules.filter { $0.verdict == .notExercised }
        if !silent.isEmpty { parts.append("not exercised: " + silent.map(\.id).joined(separator: ", ")) }
        parts += missing(require).map { "the required suite `\($0)` was not exercised" }
        if dropped > 0 { parts.append("\(dropped) exchanges had to be dropped from the journal: what they showed is unknown") }
        let names: [(Verdict, String)] = [
            (.pass, "passed"), (.fail, "failed"), (.inconclusive, "inconclusive"), (.notExercised, "not exercised"),
        ]
        let counts = names.filter { $0.0 == .pass || count($0.0) > 0 }.map { "\(count($0.0)) \($0.1)" }
        parts.append("\(counts.joined(separator: ", ")) of \(rules.count) rules (session \(session), \(exchanges) exchanges)")
        return parts.joined(separator: "\n\n") + "\n"
    }

    private func text(_ rule: Outcome) -> String {
        var lines = ["FAIL\(rule.level == .should ? " (should)" : "")  \(rule.id)@\(bank)", "  why       \(rule.why)"]
        for violation in rule.violations.prefix(3) { lines += ["  expected  \(violation.expected)", "  seen      \(violation.seen)"] }
        if rule.violations.count > 3 { lines.append("  and       \(rule.violations.count - 3) times more") }
        return (lines + ["  timeline"] + rule.timeline.map { "    \($0)" }).joined(separator: "\n")
    }
}
