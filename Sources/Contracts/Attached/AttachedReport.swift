package import BankModel

/// What a session's journal, and nothing else, says of the client that was pointed at it.
package struct AttachedReport: Sendable {
    package var session: String
    package var bank: String
    /// Entries that the bounded journal had to let go: a violation is one still, but nothing is a pass.
    package var dropped: Int
    /// How many exchanges were judged, and how many of them have not ended.
    package var exchanges: Int
    package var underWay: Int
    package var rules: [Outcome]

    /// One rule's verdict.
    package struct Outcome: Sendable, Hashable {
        package var id: String
        package var level: ContractCase.Level
        package var why: String
        package var trigger: String
        /// How often the trigger was met.
        package var met: Int
        package var verdict: Verdict
        package var violations: [AttachedViolation]
        /// The exchanges of the first violations, line by line.
        package var timeline: [String]

        package var suite: String { String(id.prefix { $0 != "." }) }
    }

    /// Judges a journal: a pure function of its entries.
    ///
    /// - Parameter suites: the suites whose rules are wanted; empty: all.
    package init(session: String, bank: String, journal: [JournalEntry], dropped: Int = 0, suites: [String] = []) {
        (self.session, self.bank, self.dropped) = (session, bank, dropped)
        let scene = AttachedScene(journal)
        exchanges = scene.requests.count
        underWay = scene.requests.count { $0.durationMicroseconds == nil }
        rules = AttachedRule.all.filter { suites.isEmpty || suites.contains($0.suite) }.map { rule in
            let finding = rule.check(scene)
            let verdict: Verdict =
                if !finding.violations.isEmpty { .fail } else if dropped > 0 { .inconclusive } else {
                    finding.met > 0 ? .pass : .notExercised
                }
            let shown = Set(finding.violations.prefix(3).flatMap(\.exchanges))
            let entries = scene.requests.filter { shown.contains($0.seq) }
            let zero = entries.first?.monoNanoseconds ?? 0
            return Outcome(
                id: rule.id, level: rule.level, why: rule.why, trigger: rule.trigger, met: finding.met, verdict: verdict,
                violations: finding.violations,
                timeline: entries.prefix(30).map { Timeline.milliseconds($0.monoNanoseconds - zero) + "  " + Timeline.text($0) })
        }
    }

    package func count(_ verdict: Verdict) -> Int { rules.count { $0.verdict == verdict } }

    /// The wanted suites of which no rule was exercised.
    package func missing(_ required: [String]) -> [String] {
        required.filter { suite in !rules.contains { $0.suite == suite && [.pass, .fail].contains($0.verdict) } }
    }

    /// The exit code, in the precedence of a contract run: 3, 1, 4, 0.
    ///
    /// A violation is told though entries were dropped, but the run as a whole has no verdict then.
    package func exitCode(require: [String] = []) -> ExitCode {
        if dropped > 0 { return .noVerdict }
        if rules.contains(where: { $0.verdict == .fail && $0.level == .must }) || !missing(require).isEmpty { return .failed }
        return count(.pass) + count(.fail) == 0 ? .nothingExercised : .ok
    }

    /// The report as the other reports are rendered from.
    ///
    /// - Parameters:
    ///   - command: the command line that judges the session again.
    ///   - duration: for how long the session was watched, in milliseconds.
    package func document(command: String, duration: Int64) -> ReportDocument {
        ReportDocument(
            client: "session \(session)", command: command, seed: 0, duration: duration, trouble: nil,
            results: rules.map { rule in
                var reasons = rule.violations.map { ReportDocument.Reason(expected: $0.expected, seen: $0.seen) }
                switch rule.verdict {
                case .notExercised: reasons.append(ReportDocument.Reason(expected: rule.trigger, seen: "it never happened"))
                case .inconclusive:
                    reasons.append(
                        ReportDocument.Reason(expected: "a journal that holds all exchanges", seen: "\(dropped) of them had to be let go"))
                default: break
                }
                return ReportDocument.Result(
                    name: "\(rule.id)@\(bank)", caseID: rule.id, suite: rule.suite, bank: bank, parameters: [], level: rule.level,
                    why: rule.why, repetition: 1, verdict: rule.verdict, reasons: reasons, duration: 0, timeline: rule.timeline,
                    stderr: [], outages: [], again: command, known: nil)
            })
    }
}
