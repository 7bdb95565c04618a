extension AttachedReport {
    /// One line for each verdict that is not in `before`: what a watcher is told as it happens.
    package func news(since before: AttachedReport?) -> [String] {
        rules.compactMap { rule in
            let old = before?.rules.first { $0.id == rule.id }
            let fresh = rule.violations.count - (old?.violations.count ?? 0)
            if rule.verdict == .fail, fresh > 0, let violation = rule.violations.last {
                return "FAIL  \(rule.id): expected \(violation.expected); seen \(violation.seen)"
            }
            return rule.verdict == .pass && old?.verdict != .pass ? "pass  \(rule.id): \(rule.trigger)" : nil
        }
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
