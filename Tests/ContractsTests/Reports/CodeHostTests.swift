import BankModel
import Testing

@testable import Contracts

/// The failures as GitHub code scanning and GitLab's code quality read them, and the badge.
@Suite struct CodeHostTests {
    private static func document(_ results: JSON..., position: String? = "Contracts/toy cases.yaml") throws -> ReportDocument {
        var document = try Report.document(results)
        for index in document.results.indices {
            document.results[index].position = position.map { SourcePosition(file: $0, line: 7) }
            document.results[index].source = "RFC 6750 §3.1; the driver protocol"
        }
        return document
    }

    /// The run of a log with one.
    private static func run(_ documents: ReportDocument...) throws -> JSON {
        try #require(ReportDocument.sarif(of: documents)["runs"]?.array?.first)
    }

    @Test func `a case is listed once, whatever failed in it, and keeps its fingerprint`() throws {
        let few = try Self.document(Report.result("toy.a@toy"), Report.result("toy.b@toy"))
        let many = try Self.document(
            Report.result("toy.b@toy[by=close]", seen: "another thing"), Report.result("toy.a@zoo"), Report.result("toy.b@toy[by=reset]"))
        func prints(_ document: ReportDocument) throws -> Set<String> {
            let results = try #require(Self.run(document)["results"]?.array)
            #expect(results.count == 2)
            return Set(results.compactMap { $0.at("partialFingerprints.case/v1")?.string })
        }
        func marks(_ document: ReportDocument) -> [String] {
            ReportDocument.gitLab(of: [document]).array?.compactMap { $0["fingerprint"]?.string } ?? []
        }

        #expect(try prints(few) == ["toy.a", "toy.b"])
        #expect(try prints(many) == prints(few))
        #expect(Set(marks(many)) == Set(marks(few)) && marks(many).count == 2)
        let text = try Self.run(many)["results"]?.array?.first?.at("message.text")?.string
        #expect(text?.hasPrefix("Another thing. The same key in every attempt.\ntoy.b@toy[by=close] and 1 more\nwhy: because\n") == true)
    }

    @Test func `the level, the place and the source of a case are in its result and its rule`() throws {
        var document = try Self.document(Report.result("toy.a@toy"), Report.result("toy.b@toy"), Report.result("toy.c@toy", .pass))
        document.results[1].level = .should
        let run = try Self.run(document)
        let rules = try #require(run.at("tool.driver.rules")?.array)
        let results = try #require(run["results"]?.array)

        #expect(rules.compactMap { $0["id"]?.string } == ["toy.a", "toy.b"])
        #expect(results.map { $0["level"]?.string } == ["error", "warning"])
        #expect(rules[0]["helpUri"]?.string == "https://www.rfc-editor.org/rfc/rfc6750#section-3.1")
        let position = try #require(results[0]["locations"]?.array?.first?["physicalLocation"])
        #expect(position.at("artifactLocation.uri")?.string == "Contracts/toy%20cases.yaml")
        #expect(position.at("region.startLine")?.int == 7)
        let issues = try #require(ReportDocument.gitLab(of: [document]).array)
        #expect(issues.map { $0["severity"]?.string } == ["major", "minor"])
        #expect(issues[0].at("location.path")?.string == "Contracts/toy cases.yaml")
        let bare = try #require(ReportDocument.gitLab(of: [Self.document(Report.result(), position: nil)]).array?.first)
        #expect(bare.at("location.lines.begin")?.int == 1)
    }

    @Test func `a known failure is suppressed, and hides no other of its case`() throws {
        var document = try Self.document(Report.result("toy.a@toy"), Report.result("toy.a@zoo"))
        document.results[0].known = .init(reason: "later", until: CivilDate(daysSinceEpoch: 30_000))
        let both = try #require(Self.run(document)["results"]?.array?.first)
        document.results.removeLast()
        let known = try #require(Self.run(document)["results"]?.array?.first)

        #expect(both["level"]?.string == "error" && both["suppressions"] == nil)
        #expect(both.at("message.text")?.string?.contains("\ntoy.a@zoo\n") == true)
        #expect(known["level"]?.string == "note")
        #expect(known["suppressions"]?.array?.first?["justification"]?.string == "known failure: later")
        #expect(ReportDocument.gitLab(of: [document]).array?.first?["severity"]?.string == "info")
    }

    @Test func `an instance without a verdict on the client is not a result`() throws {
        var document = try Self.document(Report.result("toy.a@toy", .inconclusive), Report.result("toy.b@toy", .inconclusive))
        document.results[1].isExcused = true
        document.trouble = "the driver exited"
        let run = try Self.run(document)
        let invocation = try #require(run["invocations"]?.array?.first)
        let reported = invocation["toolExecutionNotifications"]?.array?.compactMap { $0.at("message.text")?.string } ?? []

        #expect(run["results"]?.array?.isEmpty == true)
        #expect(invocation["executionSuccessful"]?.bool == false)
        #expect(reported.count == 2 && reported[0] == "no verdict: the driver exited" && reported[1].contains("toy.a@toy"))
        #expect(ReportDocument.gitLab(of: [document]).array?.isEmpty == true)
    }

    @Test func `of several clients each failure is its client's`() throws {
        let document = try Self.document(Report.result())
        var other = document
        other.client = "toy 2"
        let runs = try #require(ReportDocument.sarif(of: [document, other])["runs"]?.array)
        let marks = ReportDocument.gitLab(of: [document, other]).array?.compactMap { $0["fingerprint"]?.string } ?? []

        #expect(runs.map { $0.at("automationDetails.id")?.string } == ["counterfoil/toy 1/", "counterfoil/toy 2/"])
        #expect(Set(marks).count == 2)
    }

    @Test func `no control character gets through`() throws {
        let evil = "a\u{1B}[31m\u{07}\u{202E}</title><script>"
        var document = try Self.document(Report.result("toy.a@toy", expected: evil, seen: evil))
        document.client = evil
        document.trouble = evil
        document.results[0].why = evil
        document.results[0].again = evil
        document.results[0].source = evil
        let texts = [
            ReportDocument.sarif(of: [document, document]).text, ReportDocument.gitLab(of: [document, document]).text,
            ReportDocument.badge(of: [document], .failed),
        ]

        for text in texts {
            let controls = text.unicodeScalars.filter { (scalar: Unicode.Scalar) -> Bool in
                if scalar == "\n" { return false }
                return scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x202E
            }
            #expect(controls.isEmpty, "\(text)")
            // In JSON a backslash that is shown is written as two.
            #expect(text.hasPrefix("<svg") || !text.replacing(#"\\"#, with: "").contains(#"\u00"#), "\(text)")
        }
        #expect(texts[2].contains("&lt;/title&gt;&lt;script&gt;") && !texts[2].contains("<script>"))
    }

    @Test(
        arguments: [
            (ExitCode.ok, "1 passed", "#116329"), (.failed, "1 failed", "#a40e26"), (.noVerdict, "no verdict", "#7d4e00"),
            (.nothingExercised, "nothing exercised", "#7d4e00"), (.staleKnownFailing, "known failure passed", "#7d4e00"),
        ])
    func `the badge shows how the command ends`(code: ExitCode, text: String, colour: String) throws {
        var document = try Self.document(Report.result("toy.a@toy", .pass), Report.result("toy.b@toy"), Report.result("toy.c@toy"))
        document.results[2].level = .should
        let badge = ReportDocument.badge(of: [document], code)

        #expect(badge.contains(#"aria-label="counterfoil: \#(text)""#))
        #expect(badge.contains(">\(text)</text>") && badge.contains(#"fill="\#(colour)""#))
    }

    @Test func `a file is named from the folder of the run, or else by its own folder`() throws {
        let complaints = Complaints()
        let text = """
            contract: 1
            suite: toy
            cases:
            - {id: toy.a, why: because, needs: [accounts], steps: [accounts], expect: [{control: 1}]}
            """
        let suite = Contracts.Suite(Make.node(text, complaints), name: "toy", complaints)
        var moved = try #require(suite)
        moved.cases[0].position.file = "/app/tests/contracts/toy.yaml"
        moved.cases[0].authority = "RFC 6750 §3.1"
        var document = try Report.document(Report.result("toy.a@toy"), Report.result("toy.b@toy"))

        document = document.located([moved], [], from: "/app")
        #expect(document.results[0].position == SourcePosition(file: "tests/contracts/toy.yaml", line: 4))
        #expect(document.results[0].source == "RFC 6750 §3.1")
        #expect(document.results[1].position == nil)
        let again = try ReportDocument(json: document.json, file: "b.json")
        #expect(again.results == document.results)
        document = document.located([moved], [], from: "/ap")
        #expect(document.results[0].position?.file == "contracts/toy.yaml")
    }

    @Test(
        arguments: [
            ("RFC 6750 §3.1; the driver protocol: Errors", "https://www.rfc-editor.org/rfc/rfc6750#section-3.1"),
            ("RFC 3339 appendix C", "https://www.rfc-editor.org/rfc/rfc3339"),
            (
                "draft-ietf-httpapi-idempotency-key-header §2.2 and §2.7",
                "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header#section-2.2"
            ),
            ("OWASP MASVS-STORAGE-2; CWE-532", "https://mas.owasp.org/MASVS/controls/MASVS-STORAGE-2/"),
            ("CWE-409", "https://cwe.mitre.org/data/definitions/409.html"),
            ("PSD2 (EU) 2015/2366 article 64: a payment", "https://eur-lex.europa.eu/eli/dir/2015/2366/oj"),
            ("the driver protocol: Errors, `offline`", nil),
        ] as [(String, String?)])
    func `a source that is on the web has its address`(source: String, address: String?) {
        #expect(SourceAddress.link(source) == address)
    }
}
