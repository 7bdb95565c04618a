import Contracts
import Faults
import Testing

@testable import Harness

/// Drivers that break the protocol: the report has what to fix, none passes, none blocks the harness.
@Suite(.timeLimit(.minutes(10))) struct ProtocolBreachTests {
    @Test(
        arguments: [
            (
                "wrong-case",
                #"which is the result of step 2 of the case c99 and was not requested; expected the result of step 2 of the case c1"#
            ),
            ("double-result", #"found the line `{"t":"result","case":"c1","n":2"#),
            ("ready-twice", #"which is ready for the case c1 and was not requested"#),
            ("ready-for-another", #"which is ready for the case c99 and was not requested; expected ready for the case c1"#),
            ("ended-early", #"which is the end of the case c1 and was not requested; expected the result of step 2 of the case c1"#),
            ("hello-again", #"which is a hello and was not requested"#),
            (
                "unasked",
                #"which is the result of step 77 of the case c1 and was not requested; expected the result of step 2 of the case c1"#
            ),
            ("amount-number", "found 12.3 as `accounts[0].balance`, expected a text, such as \"12.30\"; the line was `{\"t\":\"result\""),
            ("not-a-list", #"found "none" as `accounts`, expected a list of {"id","name","currency","balance"?}"#),
            ("no-id", "found nothing as `accounts[1].id`, expected a text"), ("no-list", "found nothing as `accounts`, expected a list"),
            ("amount-number", "an error of the driver, not of the client"),
            ("unknown-error", "an error of the driver, not of the client"),
            ("not-utf8", "found a line that is not UTF-8"),
            ("unknown-outcome", #"found outcome "fine", expected ok, error, silent or unsupported"#),
            ("unknown-error", "found the error `unauthorised`, expected unauthorized, consent_expired"),
            ("unknown-error", "did you mean `unauthorized`?"), ("no-error", "found nothing as `error` of result, expected a text"),
            ("no-outcome", "found nothing as `outcome` of result, expected a text"),
            ("view-no-object", "found [] as `view` of result, expected an object"),
            ("number-as-text", #"found "2" as `n` of result, expected a whole number"#),
            ("null-line", "found no field `t`"), ("list-line", "found no field `t`"), ("empty-line", "found a line that is not JSON"),
            ("other-type", #"found t = "progress", expected hello, ready, result or ended"#),
        ])
    func `a broken line is a harness error with what was expected`(mode: String, expected: String) async throws {
        let report = try await DriverTroubleTests.run(mode)

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == .harnessError)
        #expect(judgement.reasons.first?.finding.seen.text.contains(expected) == true, "\(judgement)")
        #expect(report.document.exitCode(Demands()) == .noVerdict)
    }

    @Test func `a client that shows the values of a damaged response fails, and the driver is not blamed`() async throws {
        let report = try await DriverTroubleTests.run(
            "passes-damage-on", steps: "needs: [login, accounts]\nsteps: [login, accounts]\nexpect: [{step: 2, error: decode}]")

        #expect(report.results.map(\.judgement.verdict) == [.fail], "\(report.results.map(\.judgement))")
    }

    @Test func `a driver whose view is malformed after a delay alone is blamed`() async throws {
        let report = try await DriverTroubleTests.run(
            "passes-nonsense-on", steps: "needs: [login, accounts]\nsteps: [login, accounts]\nexpect: [{step: 2, error: decode}]")

        #expect(report.results.map(\.judgement.verdict) == [.harnessError], "\(report.results.map(\.judgement))")
    }

    @Test(arguments: ["bad-view-in-c2", "bad-error-in-c2", "wrong-step-in-c2"])
    func `a mistake in one case leaves the others in the same process alone`(mode: String) async throws {
        let report = try await DriverTroubleTests.run(mode, features: ["parallel"], jobs: 3, copies: 3)

        #expect(report.results.map(\.judgement.verdict) == [.pass, .harnessError, .pass])
        #expect(report.trouble == nil)
    }

    @Test(
        arguments: [
            ("exit-0", "the client crashed in step 2 (accounts): the driver exited with status 0"),
            ("killed", "the client crashed in step 2 (accounts): the driver was terminated by signal 9"),
            ("closes-stdout", "the client crashed in step 2 (accounts): the driver closed its stdout and still runs"),
            ("hangs-at-end", "the client hung at the end of the case: no response within 10s"),
        ])
    func `a client that goes away or hangs fails`(mode: String, expected: String) async throws {
        let report = try await DriverTroubleTests.run(mode)

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == .fail)
        #expect(judgement.reasons.first?.finding.seen.text == expected)
    }

    @Test(arguments: ["noise-after-end", "noise-at-bye"])
    func `noise after the last case is no clean run`(mode: String) async throws {
        let report = try await DriverTroubleTests.run(mode)

        #expect(report.trouble?.contains("found a line that is not JSON") == true, "\(report.trouble ?? "no trouble")")
        #expect(report.document.exitCode(Demands()) == .noVerdict)
    }

    @Test func `noise after the end of a case with its own process is a harness error`() async throws {
        let yaml = "needs: [login, accounts]\nsteps: [login, accounts, restart]\nexpect: [{control: 2}]"

        let report = try await DriverTroubleTests.run("noise-at-bye", steps: yaml)

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == .harnessError)
        #expect(judgement.reasons.first?.finding.seen.text.contains("(after the end of the case)") == true)
    }
}
