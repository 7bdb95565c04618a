import BankModel

extension ReportDocument {
    /// Runs as JUnit XML, in the form that Jenkins and most others read: `failure` is the client's, `error` the harness's or no
    /// verdict, `skipped` what the client has not. An invariant has a failure for each result that broke it, and passes once for all that
    /// did not. A run that fails by none of its results, such as one without a required suite, has a test of its own that says why. Of several
    /// runs each suite is named with its client. The last suite has the notes of the run; without any suite they have one of their own.
    package static func junit(of runs: [ReportDocument]) -> String {
        let counts = ResultCounts(runs.flatMap(\.results))
        var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
        let time = seconds(runs.reduce(0) { $0 + $1.duration })
        let held = runs.reduce(0) { $0 + $1.held.count }
        let (troubles, unmet) = (runs.count { $0.trouble != nil }, runs.count { $0.unmetDemand != nil })
        let all = totals(counts, held: held, troubles: troubles, unmet: unmet)
        lines.append("<testsuites name=\"counterfoil\" \(all) time=\"\(time)\">")
        for run in runs { lines += run.junitSuites(prefix: runs.count > 1 ? run.client + "/" : "") }
        return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
    }

    private func junitSuites(prefix: String) -> [String] {
        var lines: [String] = []
        for suite in distinct(results.map(\.suite) + (held.isEmpty ? [] : [Invariant.suite])) {
            let own = results.filter { $0.suite == suite }
            let passed = suite == Invariant.suite ? held.sorted { $0.key < $1.key } : []
            let tally = ResultCounts(own)
            let counts = "\(ReportDocument.totals(tally, held: passed.count)) skipped=\"\(tally.skipped)\""
            let time = seconds(own.reduce(0) { $0 + $1.duration })
            lines.append("  <testsuite name=\"\(escaped(prefix + suite))\" \(counts) time=\"\(time)\">")
            lines += own.map(testcase)
            lines += passed.map { id, count in
                let name = escaped("\(id) held in \(counted(count, "result"))")
                return "    <testcase classname=\"\(escaped(id))\" name=\"\(name)\" time=\"0.000\"/>"
            }
            lines.append("  </testsuite>")
        }
        if !notes.isEmpty {
            if lines.isEmpty {
                let counts = "tests=\"0\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"0.000\""
                lines = ["  <testsuite name=\"\(escaped(prefix))notes\" \(counts)>", "  </testsuite>"]
            }
            lines.insert("    <system-out>\(escaped(notes.joined(separator: "\n")))</system-out>", at: lines.count - 1)
        }
        if let trouble {
            lines += ownSuite(prefix, "driver", "error type=\"harness-error\"", trouble, counts: "failures=\"0\" errors=\"1\"")
        }
        if let unmetDemand { lines += ownSuite(prefix, "run", "failure type=\"fail\"", unmetDemand, counts: "failures=\"1\" errors=\"0\"") }
        return lines
    }

    /// Why the run fails though none of its results does.
    private var unmetDemand: String? {
        let counts = ResultCounts(results)
        return trouble == nil && counts.failures + counts.errors == 0 ? exitReason : nil
    }

    /// The suite with one test for what is about the whole run.
    private func ownSuite(_ prefix: String, _ name: String, _ kind: String, _ message: String, counts: String) -> [String] {
        [
            "  <testsuite name=\"\(escaped(prefix))counterfoil\" tests=\"1\" \(counts) skipped=\"0\" time=\"0.000\">",
            "    <testcase classname=\"counterfoil\" name=\"\(name)\" time=\"0.000\">",
            "      <\(kind) message=\"\(escaped(message))\"/>\n    </testcase>\n  </testsuite>",
        ]
    }

    private static func totals(_ counts: ResultCounts, held: Int, troubles: Int = 0, unmet: Int = 0) -> String {
        let tests = counts.total + held + troubles + unmet
        return "tests=\"\(tests)\" failures=\"\(counts.failures + unmet)\" errors=\"\(counts.errors + troubles)\""
    }

    private func testcase(_ result: Result) -> String {
        let open =
            "    <testcase classname=\"\(escaped(result.caseID))\" name=\"\(escaped(result.name))\" time=\"\(seconds(result.duration))\""
        let message = escaped(result.headline ?? "")
        var lines =
            [result.why] + (result.platform != nil ? ["the platform does this too"] : []) + result.furtherReasons.map { "also: \($0)" }
        if let advice = result.advice { lines.append("do: \(advice)") }
        lines += result.shownTimeline + result.outages.map { "outage: \($0.name), seed \($0.seed)" } + ["again: \(result.again)"]
        let body = escaped(lines.joined(separator: "\n"))
        switch result.verdict {
        case .pass: return open + "/>"
        case .fail where result.isKnownFailure:
            return open + ">\n      <skipped message=\"\(escaped(result.acceptance))\"/>\n    </testcase>"
        case .fail: return open + ">\n      <failure type=\"fail\" message=\"\(message)\">\(body)</failure>\n    </testcase>"
        case .inconclusive where result.isExcused: return open + ">\n      <skipped message=\"\(message)\"/>\n    </testcase>"
        case .harnessError, .inconclusive:
            let kind = result.verdict.rawValue
            return open + ">\n      <error type=\"\(kind)\" message=\"\(message)\">\(body)</error>\n    </testcase>"
        case .unsupported, .notExercised: return open + ">\n      <skipped message=\"\(message)\"/>\n    </testcase>"
        }
    }
}

/// Milliseconds as seconds with three digits, as JUnit has them.
private func seconds(_ milliseconds: Int64) -> String { "\(milliseconds / 1000).\(padded(milliseconds % 1000, 3))" }
