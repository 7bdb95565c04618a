import BankModel
import Contracts
import Testing

/// Several sessions, judged together.
@Suite struct JournalReportsTests {
    private func report(_ session: String, _ journal: [JournalEntry], dropped: Int = 0) -> JournalReport {
        JournalReport(session: session, bank: "toy", journal: Story.numbered(journal), dropped: dropped)
    }

    private var good: JournalReport { report("good", [.read(0)]) }
    private var bad: JournalReport { report("bad", [.read(0, "token#1", .tokenRejected), .read(100)]) }
    private var silent: JournalReport { report("silent", []) }

    @Test func `one broken rule is a failure of all, and a silent session is none`() {
        #expect(JournalReports([good, bad, silent]).exitCode() == .failed)
        #expect(JournalReports([good, silent]).exitCode() == .ok)
        #expect(JournalReports([silent, silent]).exitCode() == .nothingExercised)
        #expect(JournalReports([bad, report("full", [.read(0)], dropped: 1)]).exitCode() == .noVerdict)
    }

    @Test func `a required suite is exercised in one of them, and missed once`() {
        let payer = report("payer", [.pay(0, "k", .internalError), .pay(5_000, "k")])

        #expect(JournalReports([good, payer]).exitCode(require: ["auth", "pay"]) == .ok)
        #expect(JournalReports([good, silent]).missing(["auth", "pay"]) == ["pay"])
        #expect(JournalReports([good, silent]).exitCode(require: ["pay"]) == .failed)
        #expect(
            JournalReports([good, silent]).text(require: ["pay"]).contains("the required suite `pay` has no verdict in any session\n"))
    }

    @Test func `the reason for the exit code names broken rules as well as missing suites`() throws {
        func reason(_ reports: [JournalReport], _ required: [String] = []) -> String? {
            let reports = JournalReports(reports)
            return reports.exitReason(reports.exitCode(require: required), require: required)
        }

        let both = try #require(reason([good, bad], ["pay"]))
        #expect(both.contains(/^exit 1: [1-9]\d* failures?, the suite pay has no verdict$/), "\(both)")
        #expect(reason([good, silent], ["pay"]) == "exit 1: the suite pay has no verdict")
        #expect(reason([silent, silent]) == "exit 4: nothing was exercised")
        #expect(reason([good]) == nil)
    }

    @Test func `the text names the sessions with broken rules at its end`() {
        #expect(JournalReports([good, bad]).text().ranges(of: "not checked, because they need a driver").count == 1)
        #expect(JournalReports([good, bad]).text().hasSuffix("2 sessions, 3 exchanges: rules were broken in bad\n"))
        #expect(JournalReports([good, good]).text().hasSuffix("2 sessions, 2 exchanges: no rule was broken\n"))
    }

    @Test func `the report has the results of each, named by their session`() throws {
        let document = JournalReports([good, bad]).document(command: { "judge \($0)" }, duration: 5)
        let broken = try #require(document.results.first { $0.verdict == .fail })

        #expect(document.client == "2 sessions")
        #expect(document.results.count == 2 * ClientRule.ofJournals.count)
        #expect(Set(document.results.map(\.name)).count == document.results.count)
        #expect(broken.name.hasSuffix("@toy[session=bad]"))
        #expect(broken.again == "judge bad")
        #expect(try ReportDocument(json: document.json, file: "r.json").results.map(\.name) == document.results.map(\.name))
    }
}
