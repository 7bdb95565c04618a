import BankModel
import Testing

@testable import Contracts

/// The catalogue for people: the list of cases, and one case in words.
@Suite struct CaseTextTests {
    private static let yaml = """
        contract: 1
        suite: toy
        cases:
        - id: toy.lost-reply
          why: A payment whose response is lost is paid once and never called failed, however the connection ends and whatever the bank answers.
          needs: [login, pay]
          matrix: {by: [close, reset]}
          given: {timeouts: {connect_ms: 500, total_ms: 700}}
          steps:
          - login
          - fault: {lose-reply: {by: $by}}
            on: {role: pay, attempt: 1}
            times: 1
          - pay: {intent: A, amount: "10.00"}
          - together: [read, read]
          - restart
          expect:
          - {fired: 1}
          - {same: [key], within: intent}
          - {ledger: {A: 0..1}}
          - {step: 3, any: [{outcome: ok}, {error: outcome_unknown}]}
          - {never: {sends: $tokens, to: other-host}}
        - id: toy.read
          why: Reading works.
          level: should
          needs: [read]
          steps: [login, read]
          expect: [{step: 2, view: expected}, {requests: {role: accounts, max: 0, after: {step: 2}}}]
        """

    private func loaded(_ banks: [String] = ["toy"]) throws -> (suite: Suite, instances: [Instance]) {
        let complaints = Complaints()
        let yaml = CaseTextTests.yaml.replacing("needs: [login, pay]", with: "needs: [login, pay, read]")
        let suite = try #require(Suite(Make.node(yaml, complaints), name: "toy", complaints))
        let instances = banks.flatMap { name in
            var bank = Make.bank
            bank.name = name
            return suite.cases.flatMap { $0.instances(on: bank, complaints) }
        }
        try #require(complaints.all.isEmpty, "\(complaints.all)")
        return (suite, instances)
    }

    @Test func `the list has id, level, count, banks and the rule of each case, in 80 columns`() throws {
        let (suite, instances) = try loaded(["toy", "a-bank-with-a-rather-long-name", "another-bank-with-a-long-name"])

        let text = CaseList([suite], instances.filter { $0.caseID != "toy.read" || $0.bank.name != "toy" }).text

        let lines = text.split(separator: "\n")
        #expect(lines.count == 6)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[1] == "toy.lost-reply  must        6  all 3")
        #expect(lines[2].hasPrefix("    A payment whose response is lost is paid once"))
        #expect(lines[2].hasSuffix("…"))
        #expect(lines[3] == "toy.read        should      2  2")
        #expect(lines[5] == "2 cases, 8 instances on 3 banks")
        #expect(CaseList([suite], []).text == "0 cases, 0 instances on 0 banks\n")
    }

    @Test func `a case is described in words, its steps by the numbers that expectations name`() throws {
        let (suite, instances) = try loaded()

        let text = CaseExplanation(suite.cases[0], instances.filter { $0.caseID == "toy.lost-reply" }).text

        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(text.hasPrefix("toy.lost-reply (must)\n\nA payment whose response is lost is paid once and never called failed, however"))
        for line in [
            "banks       toy", "instances   2", "matrix      by: close, reset", "features    together", "written in  t.yaml:4:",
            "  - timeouts: connect_ms 500, total_ms 700", "steps, as in\n  toy.lost-reply@toy[by=close]",
            "   1  the client signs in\n", "   2  fault lose-reply (by close): ", "   3  the client pays (payment order A, amount 10.00)\n",
            "   4  the client shows the accounts, at once with 5\n",
            "   6  the client's process is killed and restarted\n",
            "  - the fault applies at least once; otherwise the run is inconclusive\n",
            "  - every attempt of a payment order has the same key\n",
            "  - payments executed by the bank: 0..1 for payment order A; none without a\n    payment order\n",
            "  - step 3 ends with ok, or error outcome_unknown\n", "  - the client never sends a token to another host\n",
        ] {
            #expect(text.contains(line), "\(line)")
        }
        let unbroken = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(unbroken.contains("for role pay, attempt 1; times 1 3 the client pays"))
        #expect(unbroken.contains("fault lose-reply (by close): executes the request, then loses the response; for role pay"))
    }

    @Test func `a level that is lower at some bank stands in the case`() throws {
        let (suite, all) = try loaded()
        var instances = all.filter { $0.caseID == "toy.lost-reply" }
        #expect(!CaseExplanation(suite.cases[0], instances).text.contains("\nlevel "))

        instances[0].level = .should

        #expect(CaseExplanation(suite.cases[0], instances).text.contains("\nlevel       should at toy, whose stub invents"))
    }

    @Test func `the rule that a case rests on stands in it, and so do the invariants that do not apply to it`() throws {
        var contract = try loaded().suite.cases[0]
        contract.authority = "RFC 9110 §9.2.2"
        contract.exempt = [.init(invariant: "invariant.bounded", why: "it reads for long", position: SourcePosition())]

        let text = CaseExplanation(contract, []).text

        #expect(text.contains("\nsource      RFC 9110 §9.2.2\n"))
        #expect(text.contains("\nexempt      invariant.bounded: it reads for long\n"))
    }

    @Test func `an invariant is reported with its exemptions`() throws {
        var contract = try loaded().suite.cases[0]
        contract.exempt = [.init(invariant: "invariant.never-dies", why: "it is killed", position: SourcePosition())]
        let invariant = Invariant(
            id: "invariant.never-dies", why: "A client stays alive.", level: .must, authority: "the driver protocol",
            rule: try #require(ClientRule.invariants.first { $0.id == "invariant.never-dies" }),
            position: SourcePosition(file: "invariants.yaml", line: 7, column: 1))

        let text = CaseExplanation.text(of: invariant, in: [contract])

        #expect(text.hasPrefix("invariant.never-dies (must)\n\nA client stays alive.\n\nsource: the driver protocol\n"))
        #expect(text.contains("\nexempt in toy.lost-reply: it is killed\n"))
        #expect(text.hasSuffix("\nwritten in invariants.yaml:7:1\n"))
    }

    @Test func `a case that no bank here can have is reported all the same`() throws {
        let text = CaseExplanation(try loaded().suite.cases[0], []).text

        #expect(text.contains("banks       no available bank has what the case needs\n"))
    }

    @Test(
        arguments: [
            (
                #"{step: 2, view: expected, demand: [atm], within: 3s}"#,
                "step 2 ends with ok and the bank's expected view, with atm, within 3s"
            ),
            (#"{step: 6, view: as before, stale: true}"#, "step 6 ends with ok and the view that the step before showed, marked as old"),
            (#"{step: 6, absent: [accounts.balance]}"#, "step 6 ends with ok and without accounts.balance"),
            (#"{step: 2, outcome: silent}"#, "step 2 ends with nothing shown"),
            (#"{step: 2, error: rejected, detail: "*Mill*"}"#, "step 2 ends with error rejected and a detail like *Mill*"),
            (#"{step: 2, within: 3s}"#, "step 2 ends with any outcome, within 3s"),
            (#"{control: before}"#, "step before succeeds; otherwise the run is inconclusive"),
            (#"{control: before, otherwise: not-exercised}"#, "step before succeeds; otherwise the run is not exercised"),
            (
                #"{control: before, shows: [accounts.balance]}"#,
                "step before succeeds; otherwise the run is inconclusive, and without accounts.balance not exercised"
            ),
            (#"{requests: {role: pay, max: 0, after: {step: 2}}}"#, "the bank gets no request of role pay after step 2"),
            (#"{requests: {min: 1, max: 1}}"#, "the bank gets exactly 1 request"),
            (
                #"{gap: {role: pay, min: 1s, grows: true}}"#,
                "attempts of role pay wait at least 1s, wait longer each time; attempts are optional"
            ),
            (#"{disk: {lacks: $password}}"#, "the client's files contain no password"),
            (#"{disk: {lacks: $id_tokens}}"#, "the client's files contain no ID token"),
            (#"{disk: {mode: "0600", after: {step: 2}}}"#, "files with a token have at most the mode 0600 after step 2"),
            (#"{log: {lacks: $rejected}}"#, "the driver's stderr contains nothing of the rejected token"),
            (#"{url: {lacks: $tokens}}"#, "no URL contains a token"),
            (#"{order: [login, accounts]}"#, "requests arrive in the order login, accounts"),
            (#"{tomorrow: {a: [1, 2]}}"#, "tomorrow a 1, 2"),
        ])
    func `an expectation is a sentence, and one of an unknown kind stands as it is written`(_ yaml: String, _ expected: String) {
        #expect(ContractSentences.expectation(Make.node(yaml).json) == expected)
    }

    @Test func `long texts are broken at blanks`() {
        #expect(wrapped("aa bb cc", to: 6, first: "1 ", indent: "  ") == ["1 aa", "  bb", "  cc"])
        #expect(wrapped("aaaaaaaaaa b", to: 4) == ["aaaaaaaaaa", "b"])
        #expect(wrapped("", first: "x ") == ["x "])
        #expect(wrapped("残高 不足", to: 8) == ["残高", "不足"], "each of these fills two columns")
    }
}
