import BankModel
import Foundation
import Testing

@testable import Contracts

/// Reports that are written to files, and read again.
@Suite struct ReportDocumentTests {
    private func document(_ results: JSON..., client: String = "toy 1") throws -> ReportDocument {
        let json: JSON = [
            "report": 1, "client": .string(client), "command": "./toy", "seed": "18446744073709551615", "duration_ms": 61_987,
            "results": .array(results),
        ]
        return try ReportDocument(json: json, file: "a.json")
    }

    private func result(
        _ name: String = "toy.case@toy", _ verdict: Verdict = .fail, expected: String = "a & b",
        seen: String = "100% of \"c\", d: e\nf", timeline: String = "0.0 ms  step 1", known: Bool = false
    ) -> JSON {
        var members = JSONObject([
            ("name", .string(name)), ("case", .string(String(name.prefix { $0 != "@" }))), ("suite", "toy"), ("bank", "toy"),
            ("parameters", ["by": "close"]), ("level", "must"), ("why", "because <b>"), ("repetition", 2),
            ("verdict", .string(verdict.rawValue)), ("reasons", [["expected": .string(expected), "seen": .string(seen)]]),
            ("duration_ms", 12_345), ("timeline", [.string(timeline)]), ("stderr", ["boom"]),
            ("outages", [["name": "brownout", "seed": "18446744073709551615"]]), ("again", "counterfoil test"),
        ])
        if known { members["known"] = ["reason": "later", "until": "2027-01-01"] }
        return .object(members)
    }

    private func complaints(_ text: String) -> String {
        do {
            _ = try ReportDocument(json: try JSON(parsing: text), file: "a.json")
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `what is written is read again`() throws {
        var written = try document(result(known: true), result("toy.other@toy", .notExercised))
        written.trouble = "the driver went away"
        written.skipped = 3
        written.results[1].advice = "nothing"
        written.results[1].timelineLeftOut = 9
        written.results[1].reasonsLeftOut = 2
        written.origin = .init(started: Instant(seconds: 1_800_000_000), host: "build-7", version: "0.1.0")
        written.results[0].exchanges = [
            .init(line: "#1 GET /", requestHead: ["GET / HTTP/1.1"], requestBody: "{}", responseHead: [], responseBody: nil)
        ]
        written.results[0].exchangesLeftOut = 4
        written.results[1].unsearched = ["pipe: a pipe"]
        written.results[1].unsearchedLeftOut = 5

        #expect(try ReportDocument(json: try JSON(parsing: written.json.pretty), file: "a.json") == written)
    }

    @Test func `a report of an earlier version, without date, host and exchanges, is read and shown`() throws {
        let old = try document(result())

        #expect(old.origin == .init())
        #expect(old.results[0].exchanges.isEmpty)
        let page = HTMLReport([old]).text
        for name in ["started", "host", "counterfoil"] { #expect(!page.contains("<dt>\(name)</dt>")) }
        #expect(!page.contains("<h3>Requests and responses</h3>"))
    }

    @Test func `faults are reported with their position`() throws {
        let whole = try document(result()).json.text

        #expect(complaints("[]").contains("a.json"))
        #expect(
            complaints(whole.replacing(#""report":1"#, with: #""report":2"#)).contains("found a report of version 2, expected version 1"))
        #expect(complaints(whole.replacing(#""verdict":"fail""#, with: #""verdict":"faild""#)).contains("results.0.verdict"))
        #expect(complaints(whole.replacing(#""again""#, with: #""agian""#)).contains("agian"))
        #expect(complaints(whole.replacing(#""seed":"18446744073709551615""#, with: #""seed":"-1""#)).contains("a seed"))
    }

    // MARK: HTML

    @Test func `every cell opens its details`() throws {
        let page = try HTMLReport([
            document(result(), result("toy.b@toy", .pass)), document(result("toy.b@toy", .notExercised), client: "toy 2"),
        ])
        .text

        let links = page.matches(of: #/<a id="at-run[0-9-]+" href="#(run[0-9-]+)"/#).map { String($0.1) }
        let targets = page.matches(of: #/id="(run[0-9]+-[0-9]+)"/#).map { String($0.1) }
        #expect(links == ["run1-1", "run1-2", "run2-1"])
        #expect(targets.sorted() == links)
        #expect(page.contains("aria-label=\"toy.case@toy: failed (run 2)\""))
    }

    @Test func `what went wrong is listed first, and nothing is where nothing did`() throws {
        let page = try HTMLReport([document(result("toy.b@toy", .pass), result())]).text
        let fine = try HTMLReport([document(result("toy.b@toy", .pass), result("toy.c@toy", .notExercised))]).text

        #expect(page.contains("<p><a href=\"#run1-2\">toy.case@toy</a></p>"))
        #expect(page.matches(of: #/<details class="case"/#).count == 1)
        #expect(!fine.contains("<h3>Failures</h3>"))
    }

    @Test func `nothing of a client becomes markup`() throws {
        let hostile = result(
            expected: "</pre><script>alert(1)</script>", seen: "\" onfocus='x'", timeline: "\u{0}\u{1B}[31m\u{85}\u{202E}<img src=x>")

        var run = try document(hostile, client: "<i>client</i>")
        run.origin.host = "<i>host</i>"
        run.origin.version = "<i>version</i>"
        let evil = "</script><img src=x onerror=alert(1)>"
        run.results[0].exchanges = [.init(line: evil, requestHead: [evil], requestBody: evil, responseHead: [evil], responseBody: evil)]
        let page = HTMLReport([run, run]).text

        for markup in ["<i>", "<img", "\" onfocus="] { #expect(!page.contains(markup)) }
        for text in [page, ReportDocument.junit(of: [run])] {
            #expect(text.contains(#"\u0000\u001b[31m\u0085\u202e&lt;img"#))
            #expect(!text.unicodeScalars.contains { $0.isControl && $0 != "\n" })
        }
        #expect(page.matches(of: #/<script|<\/script/#).count == 2)
        #expect(page.contains("&lt;i&gt;client&lt;/i&gt;"))
        #expect(page.contains("&lt;i&gt;host&lt;/i&gt;"))
        #expect(page.matches(of: #/&lt;img src=x/#).count > 8)
    }

    @Test func `nothing is loaded from elsewhere`() throws {
        let page = try HTMLReport([document(result())]).text

        #expect(!page.contains("http://"))
        #expect(!page.contains("https://"))
        #expect(!page.contains("src="))
        #expect(page.contains("default-src 'none'"))
    }

    // MARK: JUnit

    @Test func `suites of several runs are distinguished`() throws {
        let xml = try ReportDocument.junit(of: [document(result()), document(result(), client: "toy 2")])

        #expect(xml.contains("<testsuite name=\"toy 1/toy\""))
        #expect(xml.contains("<testsuite name=\"toy 2/toy\""))
        #expect(xml.contains("<testsuites name=\"counterfoil\" tests=\"2\" failures=\"2\" errors=\"0\" time=\"123.974\">"))
        #expect(XMLCheck(xml).isWellFormed)
    }
}
