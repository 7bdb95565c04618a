package import BankModel

/// Everything that `counterfoil explore` found out.
package struct ExploreReport: Sendable {
    package var client: String
    package var command: String
    /// The options that are needed to repeat the runs, as words of a shell.
    package var options: String
    package var seed: UInt64
    package var banks: [String] = []
    package var exercised = Exercised()
    package var found: [Found] = []
    /// Failures that did not repeat, each once.
    package var unrepeated: [Unrepeated] = []
    /// Why the exploration could not be made, or not to its end.
    package var trouble: String?
    package var duration: Duration = .zero

    private static let shownReasons = 10

    package init(client: String, command: String, options: String = "", seed: UInt64) {
        self.client = client
        self.command = command
        self.options = options
        self.seed = seed
    }

    /// What the runs exercised.
    package struct Exercised: Sendable, Hashable {
        package var runs = 0
        /// Runs without a result for the client, by reason: the preconditions were not met, or the client lacks what the scenario needs.
        package var withoutVerdict: [NoVerdict: Int] = [:]
        package var steps = 0
        /// How often a fault was applied.
        package var faults = 0
        /// Each operation of the bank with a fault that was applied to it, and the point.
        package var pairs: Set<String> = []

        /// The number of runs without a result for the client.
        package var undecided: Int { withoutVerdict.values.reduce(0, +) }

        /// Counts a run.
        package mutating func add(_ result: InstanceResult) {
            runs += 1
            if let reason = NoVerdict(result) { withoutVerdict[reason, default: 0] += 1 }
            steps += result.evidence.steps.count
            for exchange in result.evidence.journal {
                for fault in exchange.faults where fault.applied {
                    faults += 1
                    pairs.insert("\(exchange.operation ?? "-") \(fault.kind) \(fault.point)")
                }
            }
        }
    }

    /// Why runs have no verdict on the client.
    package struct NoVerdict: Sendable, Hashable {
        /// Inconclusive, unsupported or a harness error.
        package var verdict: Verdict
        /// What happened, without what differs from run to run.
        package var reason: String

        package init(_ verdict: Verdict, _ reason: String) {
            self.verdict = verdict
            self.reason = reason
        }

        /// nil if the run has a verdict on the client.
        init?(_ result: InstanceResult) {
            guard [.inconclusive, .unsupported, .harnessError].contains(result.judgement.verdict) else { return nil }
            let seen = result.judgement.reasons.first?.finding.seen.shape ?? "no reason is known"
            self.init(result.judgement.verdict, seen.inOneLine)
        }

        /// `unsupported: the client reported step … (pay) as unsupported`
        var text: String { "\(verdict == .harnessError ? "harness error" : verdict.rawValue): \(reason)" }
    }

    /// A failure that repeats, with the smallest scenario that shows it.
    package struct Found: Sendable {
        package var failure: ExploredFailure
        /// As it was found.
        package var original: Scenario
        /// As it was shrunk.
        package var scenario: Scenario
        /// The number of the run that found it.
        package var run: Int
        /// How many scenarios shrinking tried.
        package var tried: Int
        /// The steps and preconditions in plain words.
        package var words: [String]
        /// The contract file's content.
        package var file: JSON
        /// Where the contract was written; nil before.
        package var path: String?

        package init(failure: ExploredFailure, original: Scenario, scenario: Scenario, run: Int, tried: Int, words: [String], file: JSON) {
            self.failure = failure
            self.original = original
            self.scenario = scenario
            self.run = run
            self.tried = tried
            self.words = words
            self.file = file
        }
    }

    /// A failure that occurred once and did not repeat.
    package struct Unrepeated: Sendable {
        package var failure: ExploredFailure
        package var run: Int
        /// How many of the three further runs failed in the same way.
        package var again: Int

        package init(failure: ExploredFailure, run: Int, again: Int) {
            self.failure = failure
            self.run = run
            self.again = again
        }
    }

    /// The failures as a run of cases, for the reports that `counterfoil test` writes.
    package var asRun: RunReport {
        RunReport(
            client: client, command: command, options: options, seed: seed, results: found.map(\.failure.result), trouble: trouble,
            duration: duration)
    }

    /// The exit code: 1 if a failure was found; else 3 if the exploration did not come to its end, 4 if nothing was exercised.
    package var exitCode: ExitCode {
        if !found.isEmpty { return .failed }
        if trouble != nil { return .noVerdict }
        return exercised.runs == exercised.undecided ? .nothingExercised : .ok
    }

    /// The report for people: each failure with its steps, then those that did not repeat, then what was exercised.
    package var text: String {
        var parts = found.map(text)
        if !unrepeated.isEmpty {
            parts.append(
                unrepeated.map { one in
                    let count = "\(one.again) of 3 further runs"
                    return "not reproducible  run \(one.run), \(one.failure.oracle), \(count): \(one.failure.text)".inOneLine
                }.joined(separator: "\n"))
        }
        if let trouble { parts.append("no verdict: \(trouble)") }
        if exercised.undecided > 0 { parts.append(reasons) }
        return (parts + [summary]).joined(separator: "\n\n") + "\n"
    }

    /// The reasons of runs without a verdict, the most frequent first, each with its number of runs.
    private var withoutVerdict: [(why: NoVerdict, runs: Int)] {
        exercised.withoutVerdict.map { (why: $0.key, runs: $0.value) }
            .sorted { $0.runs != $1.runs ? $0.runs > $1.runs : $0.why.text < $1.why.text }
    }

    private var reasons: String {
        let lines = withoutVerdict.map { "  \(counted($0.runs, "run"))  \(clipped($0.why.text, to: 200))" }
        let shown = Array(lines.prefix(ExploreReport.shownReasons))
        let more = lines.count > shown.count ? ["  and \(counted(lines.count - shown.count, "reason")) more"] : []
        return (["without a verdict"] + shown + more).joined(separator: "\n")
    }

    /// `420 runs in 12.1 s (34.7 a second): 4113 steps, 812 faults, 96 pairs of operation, fault and point; no failure (acme 2.1, seed 7)`
    package var summary: String {
        let seconds = Double(duration.nanoseconds) / 1e9
        let rate = seconds > 0 ? Double(exercised.runs) / seconds : 0
        let undecided = exercised.undecided > 0 ? ", \(exercised.undecided) of them without a verdict" : ""
        let failures = found.isEmpty ? "no failure" : counted(found.count, "failure")
        return "\(counted(exercised.runs, "run")) in \(tenths(seconds)) s (\(tenths(rate)) a second)\(undecided): "
            + "\(counted(exercised.steps, "step")), \(counted(exercised.faults, "fault")), "
            + "\(counted(exercised.pairs.count, "pair")) of operation, fault and point; \(failures) "
            + "(\(client.inOneLine), \(banks.joined(separator: ", ")), seed \(seed))"
    }

    private func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private func text(of one: Found) -> String {
        var lines = ["FAIL  \(one.failure.result.name)", "  \(one.failure.text)"]
        lines.append("  oracle    \(one.failure.oracle)")
        lines.append("  why       \(one.failure.result.instance.why.inOneLine)")
        lines.append(
            "  found     in run \(one.run): \(size(one.original)); shrunk to \(size(one.scenario)) in \(counted(one.tried, "attempt"))")
        lines += ["  case"] + one.words.map { "    \($0.inOneLine)" }
        let timeline = one.failure.result.timeline
        if !timeline.isEmpty { lines += ["  timeline"] + timeline.map { "    \($0.inOneLine)" } }
        if let path = one.path { lines.append("  contract  \(path)") }
        return (lines + ["  again     \(asRun.again(one.failure.result))"]).joined(separator: "\n")
    }

    private func size(_ scenario: Scenario) -> String {
        counted(scenario.length, "step") + (scenario.rules > 0 ? ", \(counted(scenario.rules, "rule")) among them" : "")
    }

    /// The report for programs.
    package var json: JSON {
        let seconds = Double(duration.nanoseconds) / 1e9
        var object = JSONObject([
            ("client", .string(client)), ("command", .string(command)), ("seed", .int(seed)),
            ("banks", .array(banks.map(JSON.string))), ("runs", .int(exercised.runs)), ("undecided", .int(exercised.undecided)),
            ("steps", .int(exercised.steps)), ("faults", .int(exercised.faults)), ("pairs", .int(exercised.pairs.count)),
            ("seconds", .number(JSONNumber(Int(seconds.rounded())))), ("failures", .array(found.map(json))),
            (
                "not_reproducible",
                .array(
                    unrepeated.map {
                        [
                            "oracle": .string($0.failure.oracle), "text": .string($0.failure.text), "run": .int($0.run),
                            "again": .int($0.again),
                        ]
                    })
            ),
        ])
        object["without_verdict"] = .array(
            withoutVerdict.map { ["verdict": .string($0.why.verdict.rawValue), "reason": .string($0.why.reason), "runs": .int($0.runs)] })
        if let trouble { object["trouble"] = .string(trouble) }
        return .object(object)
    }

    private func json(of one: Found) -> JSON {
        [
            "case": .string(one.failure.result.instance.filterName), "oracle": .string(one.failure.oracle),
            "text": .string(one.failure.text), "steps": .array(one.scenario.steps),
            "given": .object(one.scenario.given), "seed": .int(seed), "run": .int(one.run),
            "contract": one.path.map(JSON.string) ?? .null, "found_with": .int(one.original.length), "attempts": .int(one.tried),
            "again": .string(asRun.again(one.failure.result)),
        ]
    }
}
