import BankModel
import Testing

@testable import Contracts

/// Heads and bodies of exchanges in a report.
@Suite struct ReportExchangeTests {
    private func entry(_ changes: (inout JournalEntry) -> Void) -> JournalEntry {
        var entry = Make.exchange(1, path: "/v1/payments", query: "page=2")
        entry.method = "POST"
        entry.requestHeaders = [.init("Authorization", "Bearer token#1"), .init("X-Trace", "a")]
        entry.requestBody = Array(#"{"amount": 5}"#.utf8)
        entry.responseHeaders = [.init("Retry-After", "1")]
        entry.responseBody = Array("busy".utf8)
        entry.status = 503
        changes(&entry)
        return entry
    }

    @Test func `request and response are shown as the journal has them`() {
        let entry = entry { _ in }

        let shown = ReportDocument.Exchange(entry)

        #expect(shown.line == Timeline.text(entry))
        #expect(shown.requestHead == ["POST /v1/payments?page=2 HTTP/1.1", "Authorization: Bearer token#1", "X-Trace: a"])
        #expect(shown.requestBody == #"{"amount": 5}"#)
        #expect(shown.responseHead == ["HTTP/1.1 503", "Retry-After: 1"])
        #expect(shown.responseBody == "busy")
    }

    @Test func `a line explains a wait and a token of nobody`() {
        let foreign = Timeline.text(entry { $0.token = "unknown" })

        #expect(foreign.contains(" a token that the bank did not issue → 503, "))
        #expect(foreign.contains(", Retry-After: 1, "))
    }

    @Test func `a lost response has no head`() {
        #expect(ReportDocument.Exchange(entry { $0.status = nil }).responseHead.isEmpty)
        #expect(ReportDocument.Exchange(entry { $0.method = nil }).requestHead.isEmpty)
    }

    @Test func `a request of HTTP/2 is shown as one`() {
        #expect(ReportDocument.Exchange(entry { $0.wireProtocol = .h2 }).requestHead[0].hasSuffix(" HTTP/2"))
    }

    @Test(
        arguments: [
            ([], nil), ([0x89, 0x50, 0x4E, 0x47, 0, 0, 0, 13], "(8 bytes that are not text)"), ([0x61, 0xE2, 0x82], "a"),
            ([0xFF, 0xFE, 0xFD, 0xFC, 0xFB], "(5 bytes that are not text)"), (Array("£5".utf8), "£5"),
        ] as [([UInt8], String?)])
    func `a body that is not text is its number of bytes, and one that was cut within a character is text`(
        _ body: [UInt8], _ expected: String?
    ) {
        #expect(ReportDocument.Exchange(entry { $0.responseBody = body }).responseBody == expected)
    }

    @Test func `only results that need looking have them`() throws {
        let instance = try #require(Make.reading("{control: 2}"))
        let known = KnownFailing.Line(pattern: "toy.*", reason: "later", until: CivilDate(daysSinceEpoch: 30_000), number: 1)
        func result(_ verdict: Verdict, known: KnownFailing.Line? = nil) -> InstanceResult {
            InstanceResult(
                instance, Make.allWell(), Judgement(verdict, [UnmetExpectation(expected: "a", seen: "\(fixed: verdict.rawValue)")]),
                known: known)
        }
        let results = [result(.pass), result(.fail), result(.unsupported), result(.inconclusive), result(.fail, known: known)]

        let document = RunReport(client: "c", command: "c", seed: 1, results: results).document

        #expect(document.results.map(\.exchanges.count) == [0, 3, 0, 3, 0])
        #expect(document.results[1].exchanges.map { $0.line.prefix(2) } == ["#1", "#2", "#3"])
    }

    @Test(
        arguments: [(0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (59_999, "59.9 s"), (61_987, "1 min 1 s")] as [(Int64, String)])
    func `times are shown in the unit that is read at a glance`(_ milliseconds: Int64, _ expected: String) {
        #expect(timeText(milliseconds) == expected)
    }

    @Test func `the page shows when, where and what took longest`() throws {
        var document = try Report.document(Report.result("toy.a@toy", .pass), Report.result("toy.b@toy", .pass))
        document.results[1].duration = 1_500
        document.origin = .init(started: Instant(seconds: 1_795_234_720), host: "build-7", version: "0.1.0")

        let page = HTMLReport([document]).text

        #expect(page.contains("<dt>started</dt><dd><time datetime=\"2026-11-21T04:18:40Z\">2026-11-21 04:18:40 UTC</time></dd>"))
        #expect(page.contains("<dt>host</dt><dd>build-7</dd>"))
        #expect(page.contains("<dt>counterfoil</dt><dd>0.1.0</dd>"))
        #expect(page.contains("<summary>Slowest: 1.5 s, toy.b@toy</summary>"))
    }
}
