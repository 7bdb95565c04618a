import BankModel

extension RunReport {
    /// The report for people: each result that is no pass, told so that a stranger can act, then one summary line.
    package func terminalText(_ demands: Demands, unmatched: [KnownFailing.Line] = []) -> String {
        var parts = results.filter { [.fail, .inconclusive, .harnessError].contains($0.judgement.verdict) && $0.known == nil }.map(text)
        let known = results.filter { $0.known != nil }
        if !known.isEmpty {
            parts.append(
                known.map { result in
                    let line = result.known.map { "\($0.reason), until \($0.until)" } ?? ""
                    return "known    \(result.name): \(result.judgement.verdict.rawValue) (\(line))"
                }.joined(separator: "\n"))
        }
        if !untried.isEmpty { parts.append(untried.joined(separator: "\n")) }
        let notes =
            unmatched.map { "known-failing line \($0.number) `\($0.pattern)` matches nothing" }
            + missing(demands.require).map { "the required suite `\($0)` was not exercised" }
            + (demands.maxUnsupported.map { count(.unsupported) > $0 ? ["\(count(.unsupported)) unsupported, at most \($0) allowed"] : [] }
                ?? [])
        if !notes.isEmpty { parts.append(notes.joined(separator: "\n")) }
        if let trouble { parts.append("no verdict: \(trouble)") }
        parts.append(summary)
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// What was not run to its end, one line for each reason: `12 unsupported: the client does not speak the bank feed`.
    private var untried: [String] {
        let quiet = results.filter { [.unsupported, .notExercised].contains($0.judgement.verdict) && $0.known == nil }
        let texts = quiet.map {
            "\($0.judgement.verdict == .unsupported ? "unsupported" : "not exercised"): \($0.judgement.reasons.first?.seen ?? "")"
        }
        return distinct(texts).map { text in
            let names = zip(quiet, texts).filter { $0.1 == text }.map(\.0.name)
            let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
            return "\(names.count) \(text) (\(shown))"
        }
    }

    /// `38 passed, 1 failed of 40 (acme 2.1, seed 7, 4.2 s)`
    package var summary: String { document.summary }

    /// One failure: the case and its reason, what was expected and seen, what happened, and how to run it again.
    private func text(_ result: InstanceResult) -> String {
        let mark = result.judgement.verdict == .fail ? "FAIL" : result.judgement.verdict.rawValue.uppercased()
        let level = result.instance.level == .should ? " (should)" : ""
        var lines = ["\(mark)\(level)  \(result.name)", "  why       \(result.instance.why)"]
        for reason in result.judgement.reasons {
            lines += ["  expected  \(reason.expected)", "  seen      \(reason.seen)"]
        }
        let timeline = result.timeline
        if !timeline.isEmpty { lines += ["  timeline"] + timeline.map { "    \($0)" } }
        if !result.evidence.stderr.isEmpty {
            lines += ["  the driver's stderr, its end"] + result.stderrTail.map { "    \($0)" }
        }
        lines += result.outageTexts.map { "  outage    \($0)" }
        return (lines + ["  again     \(again(result))"]).joined(separator: "\n")
    }
}

extension InstanceResult {
    /// What happened, line by line.
    package var timeline: [String] { Timeline(instance, evidence).lines }

    /// Each plan that ran, and the seed that made it do what it did: `brownout, seed 7`.
    package var outageTexts: [String] { evidence.outages.map { "\($0.name), seed \($0.seed)" } }

    /// The last lines that the driver wrote to stderr.
    package var stderrTail: [String] {
        evidence.stderr.split(separator: "\n").suffix(20).map { clipped(String($0), to: 400) }
    }
}
