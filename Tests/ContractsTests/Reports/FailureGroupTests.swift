import BankModel
import Testing

@testable import Contracts

/// Failures by reason and case.
@Suite struct FailureGroupTests {
    @Test(
        "what differs between runs that went wrong alike is left out",
        arguments: [
            ("got 2 attempts with e23d8221-8d50-4dfc, af622ab3-4be7", "got … attempts with …"),
            ("got 3 attempts with a1, b2, c3", "got … attempts with …"),
            (#"balance: expected "257.47", seen "257.48""#, "balance: expected …, seen …"),
            ("paid 10.00 GBP, not 9.99 EUR.", "paid …, not …."),
            (#"ok {"accounts":[{"id":"a}"}]} and more"#, "ok … and more"),
            ("exchange 3, GET /api/v2/accounts, carried it", "exchange …, GET …, carried it"),
            ("step 4 (pay) ends with ok, or error outcome_unknown", "step … (pay) ends with ok, or error outcome_unknown"),
            ("a client that answers every step", "a client that answers every step"), ("", ""), ("open [1, 2", "open …"),
        ])
    func normal(_ text: String, _ expected: String) {
        #expect(normalised(text) == expected)
    }

    @Test func oneMistakeInManyCasesIsOneReason() throws {
        let document = try Report.document(
            Report.result("pay.a@toy[by=x]"), Report.result("pay.b@toy", .pass),
            Report.result("pay.a@toy[by=y]", seen: "3 attempts with k1, k2, k3"),
            Report.result("pay.b@toy", seen: "9 attempts with k7"), Report.result("pay.a@toy", seen: "nothing"),
            Report.result("pay.a@toy", .inconclusive))

        let reasons = document.failures

        #expect(reasons.map { $0.cases.map(\.caseID) } == [["pay.a", "pay.b"], ["pay.a"], ["pay.a"]])
        #expect(reasons[0].cases.map(\.results) == [[0, 2], [3]])
        #expect(reasons[0].title == "2 cases, 3 instances: expected the same key in every attempt, got … attempts with …")
    }

    @Test("names are not taken apart: an invariant's result is grouped under its own id")
    func invariants() throws {
        let document = try Report.document(
            Report.result("invariant.bounded@toy in pay.a[by=x]"), Report.result("invariant.bounded@toy in pay.b"))

        let reasons = document.failures

        #expect(reasons.map { $0.cases.map(\.caseID) } == [["invariant.bounded"]])
        #expect(HTMLReport([document]).text.contains("invariant.bounded@toy in pay.b</a>"))
    }

    // MARK: terminal

    /// Results that go wrong with this reason, each of the case and instance that its name says.
    private func report(_ names: [String], seen: (Int) -> String = { "\($0) attempts" }) throws -> RunReport {
        let results = try names.enumerated().map { index, name in
            var instance = try #require(Make.reading("{control: 2}"))
            instance.caseID = name
            return InstanceResult(instance, Make.allWell(), Judgement(.fail, [Unmet(expected: "one key", seen: seen(index))]))
        }
        return RunReport(client: "toy 1", command: "./toy --drive", options: "--one-shot", seed: 7, results: results)
    }

    @Test("one example of a case is told in full, the others are counted and the first few named")
    func examples() throws {
        let text = try report(["pay.a", "pay.a", "pay.a", "pay.a", "pay.a"]).terminalText(Demands())

        #expect(text.matches(of: #/FAIL  /#).count == 1)
        #expect(text.contains("\n  expected one key, got 0 attempts\n"))
        #expect(text.contains("\n  likewise  4 instances\n    pay.a@toy\n    pay.a@toy\n    pay.a@toy\n    …\n"))
        #expect(!text.contains("cases, "))
    }

    @Test("a reason of many cases has a title, three examples in full, and a line for each case after them")
    func manyCases() throws {
        let text = try report(["pay.a", "pay.b", "pay.c", "pay.d", "pay.a"]).terminalText(Demands())

        #expect(text.hasPrefix("4 cases, 5 instances: expected one key, got … attempts\n\nFAIL  pay.a@toy\n"))
        #expect(text.matches(of: #/FAIL  /#).count == 3)
        #expect(text.contains("\nlikewise\n  1 instance\n    pay.d@toy\n"))
    }

    @Test("at the end the failed cases stand in a list, with the command that runs them again")
    func list() throws {
        let text = try report(["pay.a", "pay.long", "pay.a"]) { $0 == 1 ? "none" : "two" }.terminalText(Demands())
        let one = try report(["pay.a"]).terminalText(Demands())

        #expect(
            text.hasSuffix(
                """
                to look at: 2 cases, 3 instances
                  pay.a     2 failed  (toy)
                  pay.long  1 failed  (toy)
                run them again: counterfoil test --client './toy --drive' --one-shot --last-failed --seed 7

                0 passed, 3 failed of 3 (toy 1, seed 7, 0.0 s)
                exit 1: 3 failures (2 causes)

                """))
        #expect(!one.contains("run them again"))
    }

    @Test("the summary of a run where all passed is short, and says what was skipped")
    func summary() throws {
        var report = try report([])

        #expect(report.summary == "0 passed of 0 (toy 1, seed 7, 0.0 s)")
        report.skipped = 3
        #expect(report.summary == "0 passed of 0 (toy 1, seed 7, 0.0 s), 3 skipped")
    }

    // MARK: HTML

    @Test("the page names one example of a case, and the others on request")
    func page() throws {
        let page = try HTMLReport([
            Report.document(
                Report.result("pay.a@toy"), Report.result("pay.a@toy[by=<x>]"), Report.result("pay.b@toy"),
                Report.result("pay.c@toy", .pass))
        ]).text

        #expect(page.contains("<p class=\"reason\">2 cases, 3 instances: expected the same key"))
        #expect(page.matches(of: #/<details class="case"/#).count == 2)
        #expect(page.matches(of: #/<details class="case" open>/#).count == 1)
        #expect(page.contains("<code>pay.a</code> <span class=\"quiet\">failed, 2 instances</span>"))
        #expect(page.contains("<span class=\"headline\">expected the same key in every attempt, got 2 attempts with k1, k2</span>"))
        #expect(page.contains("<summary>1 more of this case</summary><ul><li><a href=\"#run1-2\">pay.a@toy[by=&lt;x&gt;]</a></li></ul>"))
    }

    @Test("one headline stands in every report")
    func headline() throws {
        let report = try report(["pay.a"])
        let headline = "expected one key, got 0 attempts"

        #expect(report.terminalText(Demands()).contains("\n  \(headline)\n"))
        #expect(report.githubAnnotations(Demands()).contains("::\(headline)%0A"))
        #expect(ReportDocument.junit(of: [report.document]).contains("message=\"\(headline)\""))
        #expect(HTMLReport([report.document]).text.contains("<p class=\"headline\">\(headline)</p>"))
        #expect(report.document.json["results"]?.array?.first?["headline"]?.string == headline)
        for text in [report.terminalText(Demands()), HTMLReport([report.document]).text] { #expect(!text.contains("seen")) }
    }
}
