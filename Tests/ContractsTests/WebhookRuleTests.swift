import Contracts
import Testing

/// The verdict on receivers of webhooks.
@Suite struct WebhookRuleTests {
    private func attempt(
        _ fault: String? = nil, _ status: Int? = 200, event: String = "evt_1", slow: Bool = false, timestamped: Bool = true, offset: Int = 0
    ) -> WebhookAttempt {
        WebhookAttempt(
            webhook: "webhook-1", event: event, fault: fault, status: status, tookTooLong: slow, isTimestamped: timestamped,
            clockOffset: offset)
    }

    private func report(_ attempts: [WebhookAttempt], suites: [String] = []) -> JournalReport {
        var report = JournalReport(session: "s", bank: "b", journal: [])
        report.judge(attempts, suites: suites)
        return report
    }

    private func verdict(_ rule: String, _ attempts: WebhookAttempt...) -> Verdict? {
        report(attempts).rules.first { $0.id == "webhooks.\(rule)" }?.verdict
    }

    @Test(arguments: ["forged", "altered", "unknown-key"])
    func `a receiver must reject what it cannot verify`(_ fault: String) {
        #expect(verdict("forged-refused", attempt(fault, 400)) == .pass)
        #expect(verdict("forged-refused", attempt(fault, 400), attempt(fault, 204)) == .fail)
        #expect(verdict("forged-refused", attempt(fault, nil)) == .inconclusive)
        #expect(verdict("forged-refused", attempt(fault, nil), attempt()) == .pass, "it listens, and drops the copy")
        #expect(verdict("forged-refused", attempt(fault, nil), attempt(nil, 400)) == .inconclusive)
        #expect(verdict("forged-refused", attempt()) == .notExercised)
    }

    @Test func `an old time stamp must be rejected, where there is one and the clocks agree`() {
        #expect(verdict("replayed-refused", attempt("stale", 400)) == .pass)
        #expect(verdict("replayed-refused", attempt("stale", 200)) == .fail)
        #expect(verdict("replayed-refused", attempt("stale", 200, timestamped: false)) == .notExercised)
        #expect(verdict("replayed-refused", attempt("stale", 200, offset: 3600)) == .inconclusive)
        #expect(verdict("replayed-refused", attempt("stale", nil)) == .inconclusive)
        #expect(verdict("replayed-refused", attempt("stale", nil), attempt()) == .pass)
    }

    @Test func `a copy of an accepted event must be accepted`() {
        #expect(verdict("duplicate-accepted", attempt(), attempt("duplicate")) == .pass)
        #expect(verdict("duplicate-accepted", attempt("duplicate"), attempt("duplicate", 409)) == .fail)
        #expect(verdict("duplicate-accepted", attempt("burst"), attempt("burst", 429)) == .inconclusive, "it may limit its senders")
        #expect(verdict("duplicate-accepted", attempt(nil, 500), attempt()) == .notExercised, "the first was not accepted")
        #expect(verdict("duplicate-accepted", attempt(), attempt(event: "evt_2")) == .notExercised)
        #expect(verdict("duplicate-accepted", attempt("forged"), attempt()) == .notExercised, "a forged copy is none")
        #expect(verdict("duplicate-accepted", attempt(), attempt(nil, nil)) == .inconclusive)
    }

    @Test func `a receiver must answer in time`() {
        #expect(verdict("answers-in-time", attempt(nil, 500)) == .pass)
        #expect(verdict("answers-in-time", attempt(nil, nil, slow: true)) == .fail)
        #expect(verdict("answers-in-time", attempt(nil, nil)) == .notExercised, "nobody listened")
        #expect(verdict("answers-in-time", attempt("forged", nil, slow: true), attempt()) == .pass, "it drops the copy")
        #expect(verdict("answers-in-time", attempt("stale", nil, slow: true), attempt()) == .pass)
        #expect(verdict("answers-in-time", attempt("forged", nil, slow: true), attempt(nil, nil, slow: true)) == .fail)
        #expect(verdict("answers-in-time", attempt("duplicate", nil, slow: true), attempt()) == .fail)
        let finding = report([attempt(nil, nil, slow: true)]).rules.flatMap(\.violations).first
        #expect(finding?.isAboutTime == true)
        #expect(finding?.text == "webhook-1 did not answer evt_1. A delivery must be answered within 5 s.")
    }

    @Test func `the rules apply if there were deliveries, and their suite is wanted`() throws {
        func count(_ attempts: [WebhookAttempt], suites: [String] = []) -> Int {
            report(attempts, suites: suites).rules.count { $0.suite == "webhooks" }
        }
        #expect(count([]) == 0)
        #expect(count([attempt()], suites: ["auth"]) == 0)
        #expect(count([attempt()], suites: ["webhooks"]) == 4)
        #expect(try ClientRule.suites(named: "webhooks") == ["webhooks"])
        #expect(report([attempt("forged")]).exitCode() == .failed)
        #expect(report([attempt("forged", 400), attempt()]).exitCode(require: ["webhooks"]) == .ok)
    }
}
