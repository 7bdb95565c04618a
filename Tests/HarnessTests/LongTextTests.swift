import BankModel
import Contracts
import Harness
import Testing

/// Drivers whose texts are very long.
@Suite(.timeLimit(.minutes(10))) struct LongTextTests {
    /// The most bytes of a report, however long a driver's texts are.
    private static let longestReport = 60_000

    /// The run in each form that people or programs read.
    private func reports(_ run: RunReport) -> [String] {
        let document = run.document
        return [
            run.document.terminalText(Demands()), run.document.githubAnnotations(Demands()), ReportDocument.junit(of: [document]),
            document.json.text,
        ]
    }

    @Test(
        arguments: [
            "long-client", "long-nonce", "claims-at-length", "long-detail", "long-error", "long-outcome", "long-number", "long-view",
        ])
    func `no report holds all of a driver's long text`(mode: String) async throws {
        let run = try await DriverTroubleTests.run(mode, triesOut: mode == "long-view")
        let empty = HTMLReport([]).text

        for report in reports(run) { #expect(report.utf8.count < Self.longestReport, "\(report.prefix(3000))") }
        #expect(HTMLReport([run.document]).text.utf8.count < empty.utf8.count + Self.longestReport)
        #expect(run.trouble?.utf8.count ?? 0 < Self.longestReport)
    }

    @Test func `a text that is cut shows its whole length`() async throws {
        let run = try await DriverTroubleTests.run("long-client")

        #expect(run.client == String(repeating: " ", count: 2000) + "… (300,000 characters in all)")
    }

    @Test func `secrets are looked for in all of a long text`() async throws {
        let run = try await DriverTroubleTests.run(
            "long-detail", steps: DriverTroubleTests.reading.replacing("{step: 2, outcome: ok}", with: "{log: {lacks: $tokens}}"))

        let result = try #require(run.results.first)
        guard case .error(_, let detail) = result.evidence.steps[2]?.outcome else {
            Issue.record("found \(String(describing: result.evidence.steps[2])), expected an error")
            return
        }
        #expect(detail?.hasSuffix("… (300,000 characters in all)") == true)
        #expect(result.evidence.foundSecrets.map(\.path) == ["the response to step 2"])
    }
}
