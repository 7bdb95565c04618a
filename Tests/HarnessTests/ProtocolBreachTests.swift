import Contracts
import Harness
import Testing

/// Drivers that break the protocol: each is told what to mend, none passes, none makes the harness wait for ever.
@Suite(.timeLimit(.minutes(10))) struct ProtocolBreachTests {
    @Test(
        arguments: [
            ("wrong-case", #"nobody asked for `{"t":"result","case":"c99""#),
            ("double-result", #"nobody asked for `{"t":"result","case":"c1","n":2"#),
            ("ready-twice", #"nobody asked for `{"t":"ready","case":"c1"}"#),
            ("ready-for-another", #"nobody asked for `{"t":"ready","case":"c99"}"#),
            ("ended-early", #"nobody asked for `{"t":"ended","case":"c1"}"#), ("hello-again", #"nobody asked for `{"t":"hello""#),
            ("not-utf8", "found a line that is no UTF-8"),
            ("unknown-outcome", #"found outcome "fine", expected ok, error, silent or unsupported"#),
            ("unknown-error", "found the error `unauthorised`, expected unauthorized, consent_expired"),
            ("unknown-error", "did you mean `unauthorized`?"), ("no-error", "found nothing as `error` of result, expected a text"),
            ("no-outcome", "found nothing as `outcome` of result, expected a text"),
            ("view-no-object", "found [] as `view` of result, expected an object"),
            ("number-as-text", #"found "2" as `n` of result, expected a whole number"#),
            ("null-line", "found no field `t`"), ("list-line", "found no field `t`"), ("empty-line", "found a line that is no JSON"),
            ("other-type", #"found t = "progress", expected hello, ready, result or ended"#),
        ])
    func broken_line_is_a_harness_error_that_says_what_was_expected(mode: String, expected: String) async throws {
        let report = try await DriverTroubleTests.run(mode)

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == .harnessError)
        #expect(judgement.reasons.first?.seen.contains(expected) == true, "\(judgement)")
        #expect(report.exitCode(Demands()) == .noVerdict)
    }

    @Test(
        arguments: [
            ("exit-0", "the client crashed in step 2 (accounts): the driver exited with status 0"),
            ("killed", "the client crashed in step 2 (accounts): the driver was ended by signal 9"),
            ("closes-stdout", "the client hung in step 2 (accounts): no answer within 20s"),
            ("hangs-at-end", "the client hung at the end of the case: no answer within 10s"),
        ])
    func client_that_goes_away_or_hangs_fails(mode: String, expected: String) async throws {
        let report = try await DriverTroubleTests.run(mode)

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == .fail)
        #expect(judgement.reasons.first?.seen == expected)
    }

    @Test(arguments: ["noise-after-end", "noise-at-bye"])
    func noise_after_the_last_case_is_no_clean_run(mode: String) async throws {
        let report = try await DriverTroubleTests.run(mode)

        #expect(report.trouble?.contains("found a line that is no JSON") == true, "\(report.trouble ?? "no trouble")")
        #expect(report.exitCode(Demands()) == .noVerdict)
    }

    @Test func noise_after_the_end_of_a_case_with_its_own_process_is_a_harness_error() async throws {
        let yaml = "needs: [login, accounts]\nsteps: [login, accounts, restart]\nexpect: [{control: 2}]"

        let report = try await DriverTroubleTests.run("noise-at-bye", steps: yaml)

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == .harnessError)
        #expect(judgement.reasons.first?.seen.contains("(after the end of the case)") == true)
    }
}
