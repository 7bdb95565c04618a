import BankModel

extension RunReport {
    /// The report as JUnit XML: `failure` is the client's, `error` the harness's or no verdict, `skipped` what it has not.
    package var junit: String {
        let suites = distinct(results.map(\.instance.suite))
        var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
        lines.append("<testsuites name=\"counterfoil\" \(counts(results)) time=\"\(duration.junitSeconds)\">")
        for suite in suites {
            let own = results.filter { $0.instance.suite == suite }
            let time = own.reduce(Duration.zero) { $0 + $1.duration }
            lines.append("  <testsuite name=\"\(xml(suite))\" \(counts(own)) time=\"\(time.junitSeconds)\">")
            lines += own.map(testcase)
            lines.append("  </testsuite>")
        }
        if let trouble {
            lines.append("  <testsuite name=\"counterfoil\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0.000\">")
            lines.append("    <testcase classname=\"counterfoil\" name=\"driver\" time=\"0.000\">")
            lines.append("      <error message=\"\(xml(trouble))\"/>\n    </testcase>\n  </testsuite>")
        }
        return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
    }

    private func counts(_ results: [InstanceResult]) -> String {
        func count(_ verdicts: Verdict...) -> Int { results.count { verdicts.contains($0.judgement.verdict) && !$0.isKnownFailure } }
        let known = results.count(where: \.isKnownFailure)
        return "tests=\"\(results.count)\" failures=\"\(count(.fail))\" errors=\"\(count(.harnessError, .inconclusive))\" "
            + "skipped=\"\(count(.unsupported, .notExercised) + known)\""
    }

    private func testcase(_ result: InstanceResult) -> String {
        let open =
            "    <testcase classname=\"\(xml(result.instance.caseID))\" name=\"\(xml(result.name))\" time=\"\(result.duration.junitSeconds)\""
        let reason = result.judgement.reasons.first
        let message = xml(reason.map { "expected \($0.expected); seen \($0.seen)" } ?? "")
        let body = xml(
            ([result.instance.why] + result.timeline + result.outageTexts.map { "outage: \($0)" } + ["again: \(again(result))"]).joined(
                separator: "\n"))
        switch result.judgement.verdict {
        case .pass: return open + "/>"
        case .fail where result.isKnownFailure:
            return open + ">\n      <skipped message=\"known failure: \(xml(result.known?.reason ?? ""))\"/>\n    </testcase>"
        case .fail: return open + ">\n      <failure message=\"\(message)\">\(body)</failure>\n    </testcase>"
        case .harnessError, .inconclusive:
            let kind = result.judgement.verdict.rawValue
            return open + ">\n      <error type=\"\(kind)\" message=\"\(message)\">\(body)</error>\n    </testcase>"
        case .unsupported, .notExercised: return open + ">\n      <skipped message=\"\(message)\"/>\n    </testcase>"
        }
    }
}

/// The text as it may stand in XML 1.0: the five characters escaped, control characters that XML forbids replaced.
private func xml(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": out += "&amp;"
        case "<": out += "&lt;"
        case ">": out += "&gt;"
        case "\"": out += "&quot;"
        case "'": out += "&apos;"
        case "\n", "\t": out.unicodeScalars.append(scalar)
        default: out.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF ? "\u{FFFD}" : scalar)
        }
    }
    return out
}
