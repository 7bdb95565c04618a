import BankModel
import Contracts
@testable import ProviderCheck
import Testing

@Suite struct ProviderReportTests {
    @Test(
        arguments: [
            ([Verdict.pass, .notExercised], ExitCode.ok), ([.pass, .fail], .failed), ([.fail, .inconclusive], .noVerdict),
            ([.notExercised], .nothingExercised), ([], .nothingExercised),
        ])
    func `the exit code follows the precedence 3, 1, 4, 0`(verdicts: [Verdict], code: ExitCode) {
        #expect(report(verdicts).exitCode == code)
    }

    @Test func `a provider that could not be checked is no verdict`() {
        var report = report([.pass])
        report.trouble = "offline"

        #expect(report.exitCode == .noVerdict)
        #expect(report.text.contains("could not be checked: offline"))
    }

    @Test func `a drift is reported with its position and what both sides give`() {
        let text = report([.pass, .fail]).text

        #expect(text.contains("DRIFT  shapes.op1  GET /1"))
        #expect(text.contains("other-type          /rows/*/id  stub: a text; provider: a whole number"))
        #expect(text.hasSuffix("1 same as the stub, 1 drifted (1 difference) of 2 checks (bank till, https://bank.example, 9 requests)\n"))
    }

    @Test func `the JSON form holds every check, and JUnit every drift as a failure`() throws {
        let report = report([.pass, .fail])

        let drift = try #require(report.json["checks"]?.array?.last?["drift"]?.array?.first)
        #expect(drift["pointer"]?.string == "/rows/*/id")
        let junit = ReportDocument.junit(of: [report.document(command: "counterfoil verify", duration: 5)])
        #expect(junit.contains("tests=\"2\" failures=\"1\" errors=\"0\""))
        #expect(junit.contains("/rows/*/id: stub: a text, provider: a whole number"))
    }

    private func report(_ verdicts: [Verdict]) -> ProviderReport {
        ProviderReport(
            bank: "till", provider: "https://bank.example",
            checks: verdicts.enumerated().map { number, verdict in
                ProviderReport.Check(
                    suite: .shapes, name: "op\(number)", request: "GET /\(number)", why: "why", verdict: verdict,
                    drifts: verdict == .fail ? [Drift(.otherType, at: "/rows/*/id", stub: "a text", provider: "a whole number")] : [])
            }, requests: 9)
    }
}
