import BankModel
import Contracts
import TestBanks
import Testing

/// The printed reports, each compared with a file: a changed sentence shows in a diff.
@Suite struct GoldenTests {
    private let golden = Golden()

    /// One result of each verdict, two alike failures, and a known failure that still fails.
    private func run() throws -> RunReport {
        let known = KnownFailing.Line(
            pattern: "toy.*", reason: "announced", until: CivilDate(daysSinceEpoch: 30_000), number: 1)
        let reading = try #require(Make.reading("{control: 2}"))
        var failing = reading
        failing.caseID = "toy.lost-reply"
        failing.why = "A payment whose response is lost is paid once."
        var odd = reading
        odd.caseID = "toy.odd"
        odd.level = .should
        let evidence = Make.allWell {
            $0.stderr = "boom\n"
            $0.journal[1].requestHeaders = [.init("Authorization", "Bearer token#1")]
            $0.journal[1].responseHeaders = [.init("Content-Type", "application/json")]
            $0.journal[1].responseBody = Array(#"{"accounts": ["<b>"]}"#.utf8)
            $0.journal[1].fault = FaultRecord(rule: "rule-1", kind: "close", point: "request", applied: true)
            $0.steps[3] = StepReport(.error("offline", detail: "nobody answers"), started: 300, ended: 350)
        }
        let twice = UnmetExpectation(
            expected: "the case allows exactly 1 request", seen: "the client sent \(2) requests of role pay", exchange: 3)
        func result(
            _ instance: Instance, _ verdict: Verdict, _ reasons: UnmetExpectation..., known: KnownFailing.Line? = nil
        ) -> InstanceResult {
            InstanceResult(instance, evidence, Judgement(verdict, reasons), known: known)
        }
        var report = RunReport(
            client: "toy 1", command: "./toy --drive", seed: 7,
            results: [
                result(reading, .pass),
                result(
                    failing, .fail, twice,
                    UnmetExpectation(
                        expected: "every attempt has the same key", seen: "the client sent payment order A with the keys \("k1, k2")",
                        mistake: .newKey)),
                result(failing, .fail, twice),
                result(odd, .fail, UnmetExpectation(expected: "it must be <even>", seen: "step 2 (accounts) showed an \"odd\" thing")),
                result(
                    reading, .inconclusive,
                    UnmetExpectation(
                        expected: "it must succeed, because no fault is active yet", seen: "step 2 (accounts) ended with error offline")),
                result(
                    reading, .unsupported,
                    UnmetExpectation(
                        expected: "the case needs a client that supports it", seen: "the client does not support the feature `together`")),
                result(
                    reading, .notExercised,
                    UnmetExpectation(expected: "the case is about such a request", seen: "the client sent no request of role pay")),
                result(
                    reading, .harnessError,
                    UnmetExpectation(
                        expected: "without a complete run there is no verdict on the client", seen: "the driver exited with status 1")),
                result(failing, .fail, twice, known: known),
            ])
        report.origin = .init(started: Instant(seconds: 1_795_234_720), host: "build-7", version: "0.1.0")
        return report
    }

    @Test func `the report on a terminal is as it was written down`() throws {
        var report = try run()
        let unmatched = [KnownFailing.Line(pattern: "old.*", reason: "gone", until: CivilDate(daysSinceEpoch: 30_000), number: 4)]
        let demands = Demands(maxUnsupported: 0, require: ["pay"])

        #expect(
            golden.difference("test.txt", report.document.terminalText(demands, unmatched: unmatched, failedAgain: report.failedAgain))
                == nil)
        report.trouble = "the driver exited with status 1"
        report.results = []
        #expect(golden.difference("test-trouble.txt", report.document.terminalText(demands, failedAgain: report.failedAgain)) == nil)
    }

    @Test func `the files of a run are as they were written down`() throws {
        var document = try run().document
        for index in document.results.indices where document.results[index].caseID == "toy.lost-reply" {
            document.results[index].source = "RFC 9110 §9.2.2; the driver protocol: Errors"
            document.results[index].position = SourcePosition(file: "Contracts/toy.yaml", line: 12)
        }

        #expect(golden.difference("report.html", HTMLReport([document]).text) == nil)
        #expect(golden.difference("junit.xml", ReportDocument.junit(of: [document])) == nil)
        #expect(golden.difference("sarif.json", ReportDocument.sarif(of: [document]).pretty + "\n") == nil)
        #expect(golden.difference("gitlab.json", ReportDocument.gitLab(of: [document]).pretty + "\n") == nil)
        #expect(golden.difference("badge.svg", ReportDocument.badge(of: [document], .failed)) == nil)
        #expect(golden.difference("github.txt", try run().document.githubAnnotations(Demands())) == nil)
    }

    @Test func `the verdict on a journal is as it was written down`() throws {
        let hasty: [JournalEntry] = (0..<3).map { .read($0 * 40, status: 429, on: Int($0) + 1).saying("Retry-After", "5") }
        let stubborn: [JournalEntry] = [.login(0), .read(10_000, "token#1", .tokenRejected), .read(20_000), .read(30_000)]
        let paid: [JournalEntry] = [.pay(40_000, "key-a", .internalError), .pay(50_000, "key-b")]
        let journal = Story.numbered(stubborn + paid + hasty.map { entry in entry.with { $0.monoNanoseconds += 60_000_000_000 } })
        let report = JournalReport(session: "s", bank: "toy", journal: journal)

        #expect(golden.difference("judge.txt", report.text(require: ["auth", "wire"])) == nil)
        #expect(golden.difference("judge-rules.txt", report.rules.map { "\($0.id)\n  \($0.why)\n  \($0.trigger)\n" }.joined()) == nil)
    }
}
