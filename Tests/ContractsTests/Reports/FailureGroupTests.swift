import BankModel
import Testing

@testable import Contracts

/// Failures by reason and case.
@Suite struct FailureGroupTests {
    @Test func `a phrase knows what differs from run to run`() {
        let keys = ["k1", "k2"]
        let inner: Phrase = "exchange \(4) (\(fixed: "GET") \("/v1/accounts"))"
        let phrase: Phrase = "\(inner) sent \(keys.joined(separator: ", ")) again"

        #expect(phrase.text == "exchange 4 (GET /v1/accounts) sent k1, k2 again")
        #expect(phrase.shape == "exchange … (GET …) sent … again")
        #expect([inner, "b"].joined(separator: ", or ").shape == "exchange … (GET …), or b")
        #expect([Phrase]().joined(separator: ", ").text.isEmpty)
    }

    @Test func `faults that were not applied for different reasons are different causes`() {
        func cause(_ why: String?) -> Cause { Cause(of: .notApplied(0, needed: 1, why: why), in: "wire.a") }

        #expect(cause("the client asked for no page but the first") == cause("the client asked for no page but the first"))
        #expect(cause("the client asked for no page but the first") != cause("no request was as the rule selects: on a warm connection"))
        #expect(cause(nil).title == "the fault was applied …; the case needs it applied at least once")
    }

    @Test(
        arguments: [
            ("exchange 4 sent it", "a token is not sent", "Exchange 4 sent it. A token is not sent."),
            ("accounts[0].id is 1", "", "accounts[0].id is 1."), ("Is it?", "no!", "Is it? No!"),
            ("two\nlines", "x", "Two lines. X."), ("", "only this", "Only this."), ("`x` came", "GET only", "`x` came. GET only."),
        ])
    func `one template words every message`(_ seen: String, _ expected: String, _ text: String) {
        #expect(ReportDocument.Reason(expected: expected, seen: seen).text == text)
    }

    @Test func `one mistake in many cases is one reason`() throws {
        let key = Cause(.money, "the client changes the key")
        let token = Cause(.tokens, "the client keeps the token")
        let document = try Report.document(
            Report.result("data.a@toy"), Report.result("auth.a@toy", cause: token), Report.result("pay.a@toy[by=x]", cause: key),
            Report.result("pay.b@toy", .pass), Report.result("pay.a@toy[by=y]", seen: "3 attempts with k1, k2, k3", cause: key),
            Report.result("auth.b@toy", cause: key), Report.result("pay.a@toy", seen: "nothing"),
            Report.result("pay.a@toy", .inconclusive, cause: key))

        let reasons = document.failures

        #expect(reasons.map { $0.cases.map(\.caseID) } == [["pay.a", "auth.b"], ["pay.a"], ["auth.a"], ["data.a"], ["pay.a"]])
        #expect(reasons[0].cases.map(\.results) == [[2, 4], [5]])
        #expect(reasons[0].title == "2 cases, 3 instances: the client changes the key")
        #expect(reasons[4].verdict == .inconclusive)
    }

    @Test func `results of one run that begin with one exchange have one cause: a named mistake, else the gravest`() throws {
        func result(_ id: String, _ reasons: UnmetExpectation..., in name: String) throws -> InstanceResult {
            var instance = try #require(Make.reading("{control: 2}"))
            instance.parameters = [Parameter(key: "run", value: name)]
            instance.caseID = "toy.case"
            if id != instance.caseID {
                instance.brokenIn = Instance.BrokenIn(instance: instance.name, caseID: instance.caseID)
                instance.caseID = id
            }
            return InstanceResult(instance, Make.allWell(), Judgement(.fail, reasons))
        }
        let results = try [
            result("toy.case", UnmetExpectation(expected: "a", seen: "wrong \(1)", exchange: 3), in: "a"),
            result(
                "invariant.no-unrequested-payments", UnmetExpectation(expected: "b", seen: "paid twice", exchange: 3, mistake: .newKey),
                in: "a"),
            result("toy.case", UnmetExpectation(expected: "a", seen: "wrong \(2)", exchange: 3), in: "b"),
            result(
                "invariant.no-unrequested-payments", UnmetExpectation(expected: "b", seen: "paid twice", exchange: 4, mistake: .newKey),
                in: "b"),
            result(
                "toy.case", UnmetExpectation(expected: "a", seen: "other \(2)"), UnmetExpectation(expected: "b", seen: "c", mistake: .hang),
                in: "c"),
            result("toy.case", UnmetExpectation(expected: "a", seen: "no request"), in: "d"),
            result("invariant.bounded", UnmetExpectation(expected: "a", seen: "none"), in: "d"),
            result("toy.case", UnmetExpectation(expected: "a", seen: "many", exchange: 9), in: "e"),
            result("invariant.own-token-only", UnmetExpectation(expected: "a", seen: "a stray token", exchange: 9), in: "e"),
            result("toy.case", UnmetExpectation(expected: "a", seen: "many", exchange: 9), in: "f"),
            result("invariant.own-data-only", UnmetExpectation(expected: "a", seen: "ben's data", exchange: 9), in: "f"),
            result(
                "toy.case", UnmetExpectation(expected: "a", seen: "x"),
                UnmetExpectation(.absent, expected: "b", seen: "c", mistake: .firstPage), in: "g"),
            result(
                "toy.case", UnmetExpectation(expected: "a", seen: "silent", mistake: .silence), UnmetExpectation(expected: "b", seen: "y"),
                in: "h"),
            result("toy.case", UnmetExpectation(expected: "a", seen: "silent", mistake: .silence), in: "i"),
        ]

        let causes = results.causes.map { $0?.title }

        let newKey = Finding.Mistake.newKey.rawValue
        #expect(
            causes == [
                newKey, newKey, "wrong …; a", newKey, Finding.Mistake.hang.rawValue, "no request; a", "none; a", "a stray token; a",
                "a stray token; a", "ben's data; a", "ben's data; a", "x; a", "y; b",
                Finding.Mistake.silence.rawValue,
            ])
    }

    @Test func `names are not taken apart: an invariant's result is grouped under its own id`() throws {
        let document = try Report.document(
            Report.result("invariant.bounded@toy in pay.a[by=x]"), Report.result("invariant.bounded@toy in pay.b"))

        let reasons = document.failures

        #expect(reasons.map { $0.cases.map(\.caseID) } == [["invariant.bounded"]])
        #expect(HTMLReport([document]).text.contains("invariant.bounded@toy in pay.b</a>"))
    }

    // MARK: terminal

    /// Results that go wrong with this reason, each of the case and instance in its name.
    private func report(_ names: [String], seen: (Int) -> Phrase = { "\($0) attempts" }) throws -> RunReport {
        let results = try names.enumerated().map { index, name in
            var instance = try #require(Make.reading("{control: 2}"))
            instance.caseID = name
            return InstanceResult(instance, Make.allWell(), Judgement(.fail, [UnmetExpectation(expected: "one key", seen: seen(index))]))
        }
        return RunReport(client: "toy 1", command: "./toy --drive", options: "--one-shot", seed: 7, results: results)
    }

    @Test func `one example of a case is shown in full, the others are counted and the first few named`() throws {
        let text = try report(["pay.a", "pay.a", "pay.a", "pay.a", "pay.a"]).document.terminalText(Demands())

        #expect(text.matches(of: #/FAIL  /#).count == 1)
        #expect(text.contains("\n  0 attempts. One key.\n"))
        #expect(text.contains("\n  likewise  4 instances\n    pay.a@toy\n    pay.a@toy\n    pay.a@toy\n    …\n"))
        #expect(!text.contains("cases, "))
    }

    @Test func `a reason of many cases has a title, three examples in full, and a line for each case after them`() throws {
        let text = try report(["pay.a", "pay.b", "pay.c", "pay.d", "pay.a"]).document.terminalText(Demands())

        #expect(text.hasPrefix("4 cases, 5 instances: … attempts; one key\n\nFAIL  pay.a@toy\n"))
        #expect(text.matches(of: #/FAIL  /#).count == 3)
        #expect(text.contains("\nlikewise\n  1 instance\n    pay.d@toy\n"))
    }

    @Test func `at the end the causes stand in a list, with the command that runs all again`() throws {
        let run = try report(["pay.a", "pay.long", "pay.a"]) { $0 == 1 ? "none" : "two" }
        let text = run.document.terminalText(Demands(), failedAgain: run.failedAgain)
        let one = try report(["pay.a"]).document.terminalText(Demands(), failedAgain: run.failedAgain)

        #expect(
            text.hasSuffix(
                """
                2 causes explain 3 results:
                  1 case, 2 instances  two; one key
                  1 case, 1 instance   none; one key
                run them again: counterfoil test --client './toy --drive' --one-shot --last-failed --seed 7

                0 passed, 3 failed of 3 (toy 1, seed 7, 0.0 s)
                exit 1: 3 failures (2 causes)

                """))
        #expect(!one.contains("run them again"))
    }

    @Test func `the summary of a run where all passed is short, and lists what was skipped`() throws {
        var report = try report([])

        #expect(report.document.summary == "0 passed of 0 (toy 1, seed 7, 0.0 s)")
        report.skipped = 3
        #expect(report.document.summary == "0 passed of 0 (toy 1, seed 7, 0.0 s), 3 skipped")
    }

    // MARK: HTML

    @Test func `the page names one example of a case, and the others on request`() throws {
        let page = try HTMLReport([
            Report.document(
                Report.result("pay.a@toy"), Report.result("pay.a@toy[by=<x>]"), Report.result("pay.b@toy"),
                Report.result("pay.c@toy", .pass))
        ]).text

        #expect(page.contains("<p class=\"reason\">2 cases, 3 instances: 2 attempts with k1, k2"))
        #expect(page.matches(of: #/<details class="case"/#).count == 2)
        #expect(page.matches(of: #/<details class="case" open>/#).count == 1)
        #expect(page.contains("<code>pay.a</code> <span class=\"quiet\">failed, 2 instances</span>"))
        #expect(page.contains("<span class=\"headline\">2 attempts with k1, k2. The same key in every attempt.</span>"))
        #expect(page.contains("<summary>1 more instance of this case</summary><ul><li><a href=\"#run1-2\">pay.a@toy[by=&lt;x&gt;]</a>"))
    }

    @Test func `one headline stands in every report`() throws {
        let report = try report(["pay.a"])
        let headline = "0 attempts. One key."

        #expect(report.document.terminalText(Demands()).contains("\n  \(headline)\n"))
        #expect(report.document.githubAnnotations(Demands()).contains("::\(headline)%0A"))
        #expect(ReportDocument.junit(of: [report.document]).contains("message=\"\(headline)\""))
        #expect(HTMLReport([report.document]).text.contains("<p class=\"headline\">\(headline)</p>"))
        #expect(report.document.json["results"]?.array?.first?["headline"]?.string == headline)
    }
}
