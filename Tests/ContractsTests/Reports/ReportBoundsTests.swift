import BankModel
import Testing

@testable import Contracts

/// How much of a run reports keep and show.
@Suite struct ReportBoundsTests {
    private func lines(_ count: Int) -> [String] { (0..<count).map { "line \($0)" } }

    @Test func `a long timeline is shown as its first twenty lines, the number of the others, and its last five`() throws {
        let short = try Report.document(Report.result(timeline: lines(25)))
        let long = try Report.document(Report.result(timeline: lines(26)))

        #expect(short.results[0].shownTimeline == lines(25))
        let shown = long.results[0].shownTimeline
        #expect(shown.count == 26)
        #expect(shown[19] == "line 19")
        #expect(shown[21] == "line 21")
        #expect(shown[25] == "line 25")
        #expect(shown[20].contains("… 1 more …"))
    }

    @Test func `files keep 250 lines of 10,000, and every report has the number that there were`() throws {
        let document = try Report.document(Report.result(timeline: lines(10_000))).bounded

        let result = document.results[0]
        #expect(result.timeline == Array(lines(200)) + lines(10_000).suffix(50))
        #expect(result.timelineLeftOut == 9_750)
        #expect(document.json["results"]?.array?.first?["timeline_left_out"]?.int == 9_750)
        #expect(document.bounded == document)
        for text in [HTMLReport([document]).text, ReportDocument.junit(of: [document])] {
            #expect(text.contains("… 9975 more …"))
            #expect(text.contains("line 19\n"))
            #expect(text.contains("line 9995\n"))
            #expect(!text.contains("line 20\n"))
            #expect(!text.contains("line 9994\n"))
        }
    }

    @Test func `reasons, their texts, lines and stderr are bounded, and what is left out is counted`() throws {
        let long = String(repeating: "x", count: 5_000)
        let also = (1...30).map { ("also \($0)", long) }
        let document = try Report.document(Report.result(seen: long, also: also, timeline: [long], stderr: lines(50) + [long])).bounded

        let result = document.results[0]
        #expect(result.reasons.count == 20)
        #expect(result.reasonsLeftOut == 11)
        #expect(result.reasons.allSatisfy { $0.seen.count == 1_001 })
        #expect(result.timeline[0].count == 1_001)
        #expect(result.stderr.count == 20)
        #expect(result.stderr.last?.count == 401)
        #expect(result.furtherReasons.count == 5)
        #expect(result.furtherReasons.last == "26 more")
        #expect(document.bounded == document)
    }

    @Test func `fifteen exchanges of a result are kept, for three results of a case and reason, and the others are counted`() throws {
        let names = ["pay.a@toy", "pay.a@toy[by=x]", "pay.a@toy[by=y]", "pay.a@toy[by=z]", "pay.b@toy"]
        var document = try Report.document(names.map { Report.result($0) })
        let long = String(repeating: "x", count: 5_000)
        for index in document.results.indices {
            document.results[index].exchanges = (1...30).map { number in
                .init(
                    line: "#\(number)", requestHead: [String](repeating: long, count: 90), requestBody: long, responseHead: [],
                    responseBody: nil)
            }
        }

        let bounded = document.bounded

        #expect(bounded.results.map(\.exchanges.count) == [15, 15, 15, 0, 15])
        #expect(bounded.results.map(\.exchangesLeftOut) == [15, 15, 15, 30, 15])
        let kept = bounded.results[0].exchanges
        #expect(kept.map(\.line) == (Array(1...10) + Array(26...30)).map { "#\($0)" })
        #expect(kept[0].requestHead.count == 40)
        #expect(kept[0].requestHead[0].count == 301)
        #expect(kept[0].requestBody?.count == 2_001)
        #expect(bounded.bounded == bounded)
        #expect(HTMLReport([bounded]).text.contains(">15 requests left out: "))
    }

    @Test func `a run is bounded before it is written or printed`() throws {
        let instance = try #require(Make.reading("{control: 2}"))
        let evidence = Make.allWell { evidence in
            evidence.journal = (1...10_000).map { Make.exchange(2, seq: $0, at: 210 + Int64($0)) }
        }
        let reason = UnmetExpectation(expected: "few requests", seen: "10000")
        let report = RunReport(
            client: "c", command: "c", seed: 1, results: [InstanceResult(instance, evidence, Judgement(.fail, [reason]))])

        let text = report.document.terminalText(Demands())

        #expect(report.document.results[0].timeline.count == 250)
        #expect(report.document.results[0].exchanges.count == 15)
        #expect(text.contains("more …"))
        #expect(text.split(separator: "\n").count < 40)
    }

    @Test func `a headline is one line, whatever a client reported`() throws {
        let result = try Report.document(Report.result(seen: "a\r\nb\tc\u{1B}[31m")).results[0]

        #expect(result.headline == "A b c\\u001b[31m. The same key in every attempt.")
    }
}
