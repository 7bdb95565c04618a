import BankModel
import Testing

@testable import Contracts

/// The advice of a report on a result that is not a verdict on the client.
@Suite struct AdviceTests {
    private func advice(_ instance: Instance?, _ evidence: Evidence) throws -> String {
        let instance = try #require(instance)
        let report = RunReport(
            client: "c", command: "./toy --drive", seed: 1, results: [InstanceResult(instance, evidence, judge(instance, evidence))])
        let text = report.document.results[0].advice ?? ""
        #expect(report.document.terminalText(Demands()).contains(text))
        return text
    }

    @Test func `a failed control is to be tried by hand`() throws {
        let evidence = Make.allWell { $0.steps[2]?.outcome = .error("network", detail: nil) }

        let advice = try advice(Make.reading("{control: 2}"), evidence)

        #expect(advice.hasPrefix("step 2 (accounts) must succeed while no fault is active"))
        #expect(advice.hasSuffix("counterfoil test --client './toy --drive' --bank toy --try"))
    }

    @Test(arguments: ["{control: 3}", "{step: 3, outcome: ok}"])
    func `a page that did not let the customer sign in is named with its reason`(_ expectation: String) throws {
        let tests = SignInStepTests()
        var evidence = tests.evidence()
        evidence.steps[2]?.outcome = .error("page-error", detail: "client_id is missing.")
        evidence.steps[3] = nil

        let advice = try advice(tests.instance(expectation), evidence)

        let failed = "the sign-in on the bank's page failed before, in step 2 (browser) with the error page-error (client_id is missing.): "
        #expect(advice.hasPrefix(failed + "compare the address"))
        #expect(advice.hasSuffix("or skip the case: --skip toy.case"))
    }

    @Test func `a fault that missed names the request that it waits for`() throws {
        let faulty = "[login, {fault: {close: {}}, on: {role: pay}}, accounts]"
        let evidence = try Make.allWell { $0.rules = [try #require(Make.rule("{fault: {close: {}}, on: {role: pay}}", step: 2))] }

        let advice = try advice(Make.reading("{fired: 1}", steps: faulty), evidence)

        let missed = "the client sent no request of role pay that the fault close selects: send one"
        #expect(advice == "\(missed), or skip the case: --skip toy.case")
    }

    @Test(arguments: ["{fired: 1}", "{rejected: 1}"])
    func `a client whose sign-in failed is not asked for the request that follows it`(_ expectation: String) throws {
        let faulty = "[login, {fault: {close: {}}, on: {role: pay}}, accounts]"
        let evidence = try Make.allWell { evidence in
            evidence.steps[1]?.outcome = .error("timeout", detail: "after 500 ms")
            evidence.rules = [try #require(Make.rule("{fault: {close: {}}, on: {role: pay}}", step: 2))]
        }

        let advice = try advice(Make.reading(expectation, steps: faulty), evidence)

        let failed = "the sign-in failed before, in step 1 (login) with the error timeout: run it alone"
        #expect(advice == "\(failed), or skip the case: --skip toy.case")
    }

    @Test func `a sign-in that failed first and then succeeded is not the reason`() throws {
        let faulty = "[login, login, {fault: {close: {}}, on: {role: pay}}, accounts]"
        let evidence = try Make.allWell { evidence in
            evidence.steps[1]?.outcome = .error("timeout", detail: nil)
            evidence.rules = [try #require(Make.rule("{fault: {close: {}}, on: {role: pay}}", step: 3))]
        }

        #expect(try advice(Make.reading("{fired: 1}", steps: faulty), evidence).contains("selects: send one"))
    }

    @Test func `a client that need not retry need do nothing`() throws {
        let evidence = try Make.allWell { evidence in
            evidence.rules = [try #require(Make.rule("{fault: {close: {}}, on: {role: accounts, attempt: 2}}"))]
            evidence.journal = (1...3).map { Make.exchange($0, roles: ["accounts"]) }
        }
        let faulty = "[login, {fault: {close: {}}, on: {role: accounts, attempt: 2}}, accounts]"

        let advice = try advice(Make.reading("{fired: 1}", steps: faulty), evidence)

        let missed = "it sent no attempt 2 of a request of role accounts"
        #expect(advice == "nothing, if the client need not retry (\(missed)), or skip the case: --skip toy.case")
    }

    @Test func `a client that need not ask for compressed responses need do nothing`() throws {
        let rule = "{fault: {close: {}}, on: {role: accounts, header: {Accept-Encoding: '*gzip*'}}}"
        let evidence = try Make.allWell { evidence in
            evidence.rules = [try #require(Make.rule(rule))]
            evidence.journal = (1...3).map { Make.exchange($0, roles: ["accounts"]) }
        }

        let advice = try advice(Make.reading("{fired: 1}", steps: "[login, \(rule), accounts]"), evidence)

        let missed = "it sent no request of role accounts that the fault close selects"
        #expect(advice == "nothing, if the client need not do so (\(missed)), or skip the case: --skip toy.case")
    }

    @Test func `a token that was never rejected is to be sent`() throws {
        let evidence = Make.allWell { $0.journal = (1...3).map { Make.exchange($0, token: nil) } }

        #expect(try advice(Make.reading("{rejected: 1}"), evidence).hasPrefix("send the token with every request"))
    }

    @Test func `a client that sends its token is asked for a request that the bank rejects`() throws {
        let advice = try advice(Make.reading("{rejected: 1}"), Make.allWell())

        #expect(advice == "send a request with the token once the bank has ended it, or skip the case: --skip toy.case")
    }

    @Test func `a client that renewed its token early need do nothing`() throws {
        let evidence = Make.allWell { $0.journal.append(Make.exchange(2, seq: 4, roles: ["refresh"])) }

        let advice = try advice(Make.reading("{rejected: 1}"), evidence)

        #expect(advice == "nothing, if the client renewed its token before the bank could reject it; otherwise --skip toy.case")
    }

    @Test func `a full journal is distinguished from a case that shows nothing`() throws {
        let evidence = Make.allWell { $0.dropped = 3 }

        #expect(try advice(Make.reading("{requests: {max: 9}}"), evidence).hasPrefix("run it alone; if its journal is still full"))
    }

    @Test func `a case in which the machine's clock was set is to be run again`() throws {
        let evidence = Make.allWell { $0.clockWasSet = .seconds(3600) }

        let advice = try advice(Make.reading("{step: 2, error: offline}"), evidence)

        #expect(advice == "run it again while nothing sets the machine's clock, and the machine does not sleep")
    }

    @Test func `a gap without a second attempt is no fault`() throws {
        let advice = try advice(Make.reading("{gap: {role: accounts, min: 1s}}"), Make.allWell())

        #expect(advice == "nothing, if the client leaves retries to the customer; otherwise --skip toy.case")
    }

    @Test func `a verdict on the client needs none`() throws {
        let instance = try #require(Make.reading("{step: 2, error: offline}"))
        let results = [Evidence(), Make.allWell()].map { InstanceResult(instance, $0, judge(instance, $0)) }
        let report = RunReport(client: "c", command: "c", seed: 1, results: results)

        #expect(report.document.results.allSatisfy { $0.verdict == .fail && $0.advice == nil })
    }
}
