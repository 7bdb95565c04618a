import BankModel
import Contracts
import DriverProtocol
import Testing

/// What a client may do by its own design instead of what a case tests.
struct HabitTests {
    private let faulty = "[login, {fault: blackhole}, accounts]"

    /// Evidence of a rule for each new connection, set in step 2, and of the requests of step 3.
    private func connected(_ outcome: StepOutcome, _ journal: [JournalEntry]) throws -> Evidence {
        try Make.allWell {
            $0.rules = [try #require(Make.rule("{fault: blackhole}", applied: 1, step: 2))]
            $0.steps[3]?.outcome = outcome
            $0.journal = [Make.exchange(1)] + journal
        }
    }

    /// A connection to which the rule was applied, in the middle of step 3.
    private var affected: JournalEntry {
        var entry = Make.exchange(3, seq: 8, at: 305)
        entry.method = nil
        entry.faults = [FaultRecord(rule: "rule-1", kind: "blackhole", point: "connect", applied: true)]
        return entry
    }

    private var answered: JournalEntry {
        var entry = Make.exchange(3, roles: ["accounts"])
        entry.receipt = Receipt(headBytes: 9, end: .kept)
        return entry
    }

    @Test func `a payment that the client does not send again is not exercised`() throws {
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, pay: {intent: A, amount: \"10.00\"}]"
        let expectations = "[{ledger: {A: 1}}, {step: 3, outcome: ok}]"
        let instance = try #require(Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: \(expectations)").first)
        var evidence = Make.allWell {
            $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil)
            $0.steps[3]?.outcome = .error("outcome_unknown", detail: nil)
            $0.journal = [Make.exchange(1), Make.payment(2, key: "a")]
        }
        #expect(judge(instance, evidence).verdict == .notExercised)

        // It was another customer's order.
        evidence.journal[1].customer = "ben"
        #expect(judge(instance, evidence).verdict == .fail)

        // The bank rejected it for its limit: nothing was executed, and the client knows that.
        evidence.journal[1].customer = "ava"
        evidence.journal[1].status = 429
        evidence.journal[1].committed = false
        evidence.journal[1].receipt = Receipt(headBytes: 9, end: .kept)
        #expect(judge(instance, evidence).verdict == .fail)

        // It was sent again, without success.
        evidence.journal = [Make.exchange(1), Make.payment(2, key: "a"), Make.payment(3, seq: 9, key: "a")]
        #expect(judge(instance, evidence).verdict == .fail)
    }

    @Test(arguments: [
        ("outcome_unknown", "rejected", false, Verdict.notExercised), ("rejected", "rejected", false, .fail),
        ("outcome_unknown", "offline", false, .fail), ("outcome_unknown", "rejected", true, .fail),
    ])
    func `a new payment order may wait until the outcome of an earlier one is known`(
        first: String, second: String, isSent: Bool, expected: Verdict
    ) throws {
        let instance = try #require(Make.paying("{ledger: {A: 0..1, B: 1}}", "{step: 3, outcome: ok}"))
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error(first, detail: nil)
            $0.steps[3]?.outcome = .error(second, detail: nil)
            $0.journal = [Make.signIn, Make.payment(2, seq: 1, key: "a")] + (isSent ? [Make.payment(3, seq: 2, key: "b")] : [])
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [
        ("[login, accounts, accounts]", 3, 3, Verdict.notExercised), ("[login, accounts, accounts]", 3, 2, Verdict.fail),
        ("[login, accounts, {wait: 1s}, accounts]", 4, 3, Verdict.fail),
    ])
    func `a client may send nothing for a moment after several failures`(steps: String, last: Int, failures: Int, expected: Verdict) throws
    {
        let instance = try #require(Make.reading("{step: \(last), outcome: ok}", steps: steps))
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error("unavailable", detail: nil)
            $0.steps[last] = StepReport(.error("unavailable", detail: nil), started: 400, ended: 450)
            $0.journal = [Make.signIn]
            $0.journal += (1...failures).map { (n: Int) in Make.exchange(2, seq: n, at: 210 + Int64(n), status: 503) }
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [
        ("refresh", 503, 2, Verdict.notExercised), ("refresh", 503, 1, .fail), ("refresh", 200, 2, .fail), ("atms", 503, 2, .fail),
    ])
    func `a request that waits for a renewal fails with it`(role: String, status: Int, rejected: Int, expected: Verdict) throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error("unavailable", detail: nil)
            $0.steps[3] = StepReport(.error("unavailable", detail: nil), started: 400, ended: 450)
            $0.journal = [Make.signIn]
            $0.journal += (1...rejected).map { (n: Int) in Make.exchange(2, seq: n, at: 210 + Int64(n), status: 401) }
            $0.journal.append(Make.exchange(2, seq: 9, at: 219, roles: [role], status: status))
            for index in $0.journal.indices { $0.journal[index].receipt = Receipt(headBytes: 9, end: .kept) }
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [
        ("POST", "refresh", 200, Verdict.notExercised), ("POST", "refresh", 503, .fail), ("HEAD", "atms", 503, .notExercised),
        ("OPTIONS", "accounts", 503, .notExercised), ("GET", "accounts", 200, .fail),
    ])
    func `a client that sends nothing for a moment may renew its token and probe the bank`(
        method: String, role: String, status: Int, expected: Verdict
    ) throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        let evidence = Make.allWell {
            $0.steps[3]?.outcome = .error("unavailable", detail: nil)
            $0.journal = [Make.signIn]
            $0.journal += (1...3).map { (n: Int) in Make.exchange(2, seq: n, at: 210 + Int64(n), status: 503) }
            var sent = Make.exchange(3, seq: 9, roles: [role], status: status)
            sent.method = method
            sent.receipt = Receipt(headBytes: 9, end: .kept)
            $0.journal.append(sent)
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [("[login, accounts, accounts, accounts]", Verdict.notExercised), ("[login, accounts, restart, accounts]", .fail)])
    func `requests of another kind that succeed close no circuit breaker, and a restart does`(steps: String, expected: Verdict) throws {
        let instance = try #require(Make.reading("{step: 4, outcome: ok}", steps: steps))
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error("unavailable", detail: nil)
            $0.steps[4] = StepReport(.error("unavailable", detail: nil), started: 400, ended: 450)
            $0.journal = [Make.signIn]
            $0.journal += (1...3).map { (n: Int) in Make.exchange(2, seq: n, at: 210 + Int64(n), status: 503) }
            $0.journal.append(answered)
            $0.journal[4].seq = 4
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [
        ("unavailable", 0, false, Verdict.notExercised), ("cancelled", 0, false, .fail), ("cancelled", 1_500_000, false, .notExercised),
        ("cancelled", 0, true, .notExercised),
    ])
    func `requests that ended when the user cancelled them open no circuit breaker, unless the bank had answered`(
        error: String, microseconds: Int, isAnswered: Bool, expected: Verdict
    ) throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}", steps: "[login, accounts, accounts]"))
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error(error, detail: nil)
            $0.steps[3]?.outcome = .error("timeout", detail: nil)
            $0.journal = [Make.signIn]
            $0.journal += (1...3).map { (n: Int) in
                var request = Make.exchange(2, seq: n, at: 210 + Int64(n), status: 503)
                request.durationMicroseconds = Int64(microseconds)
                if isAnswered { request.receipt = Receipt(headBytes: 9, end: .kept) }
                return request
            }
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [
        ("[login, {fault: refuse}, accounts, accounts]", Verdict.notExercised),
        ("[login, {fault: refuse}, accounts, {wait: 1s}, accounts]", .fail),
    ])
    func `a client may send nothing for a moment after an attempt at a closed port`(steps: String, expected: Verdict) throws {
        let last = steps.contains("wait") ? 5 : 4
        let instance = try #require(Make.reading("{step: \(last), outcome: ok}", steps: steps))
        let rule = try #require(Make.rule("{fault: refuse}", step: 2))
        let evidence = Make.allWell {
            $0.rules = [rule]
            $0.steps[3]?.outcome = .error("offline", detail: nil)
            $0.steps[4] = StepReport(.done, started: 400, ended: 450)
            $0.steps[last] = StepReport(.error("offline", detail: nil), started: 500, ended: 550)
            $0.journal = [Make.signIn]
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [
        (StepOutcome.error("unavailable", detail: nil), "[login, accounts, accounts]", Verdict.notExercised),
        (.ok(view: ["accounts": [], "stale": true]), "[login, accounts, accounts]", .notExercised),
        (.ok(view: ["accounts": [["id": "2"]], "stale": true]), "[login, accounts, accounts]", .fail),
        (.error("unavailable", detail: nil), "[login, accounts, {advance: 1m}, accounts]", .notExercised),
        (.error("unavailable", detail: nil), "[login, accounts, {advance: 2m}, accounts]", .fail),
        (.error("unavailable", detail: nil), "[login, accounts, restart, accounts]", .fail),
    ])
    func `a client may send nothing for as long as the bank has asked it to wait`(
        outcome: StepOutcome, steps: String, expected: Verdict
    ) throws {
        let last = steps == "[login, accounts, accounts]" ? 3 : 4
        let instance = try #require(Make.reading("{step: \(last), view: {accounts: []}, stale: false}", steps: steps))
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error("unavailable", detail: nil)
            $0.steps[last] = StepReport(outcome, started: 400, ended: 450)
            var closed = Make.exchange(2, status: 503)
            closed.receipt = Receipt(headBytes: 9, end: .kept)
            closed.responseHeaders = [JournalEntry.Header("Retry-After", "120")]
            $0.journal = [Make.signIn, closed]
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [
        ("view: {accounts: []}, stale: false", Verdict.notExercised), ("any: [{error: unauthorized}, {error: timeout}]", .fail),
    ])
    func `a client with a circuit breaker may show old data for a moment, unless nobody is signed in`(
        ending: String, expected: Verdict
    ) throws {
        let instance = try #require(Make.reading("{step: 3, \(ending)}"))
        let evidence = Make.allWell {
            $0.steps[3]?.outcome = .ok(view: ["accounts": [], "stale": true])
            $0.journal = [Make.signIn] + (1...3).map { (n: Int) in Make.exchange(2, seq: n, at: 210 + Int64(n), status: 503) }
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [(true, Verdict.notExercised), (false, .fail)])
    func `a client may send nothing for a moment after several failed connections`(isFaulty: Bool, expected: Verdict) throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error("unavailable", detail: nil)
            $0.steps[3]?.outcome = .error("unavailable", detail: nil)
            $0.journal = [Make.signIn]
            $0.journal += (1...3).map { (n: Int) in
                var connection = affected
                connection.seq = n
                connection.monoNanoseconds = 210 + Int64(n)
                connection.faults = isFaulty ? connection.faults : []
                return connection
            }
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test func `a client may not ask for a payment's state for a moment after several failures`() throws {
        var bank = Make.bank
        bank.operations.append(.paymentStatus)
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, payment_status: {intent: A}, payment_status: {intent: A}]"
        let yaml = "needs: [login, pay, payment_status]\nsteps: \(steps)\nexpect: [{step: 4, outcome: ok}]"
        let instance = try #require(Make.instances(yaml, on: bank).first)
        let evidence = Make.allWell {
            $0.steps[3]?.outcome = .error("unavailable", detail: nil)
            $0.steps[4] = StepReport(.error("unavailable", detail: nil), started: 400, ended: 450)
            $0.journal = [Make.signIn, Make.payment(2, seq: 1, key: "a")]
            $0.journal += (1...3).map { (n: Int) in
                Make.exchange(3, seq: 1 + n, at: 310 + Int64(n), roles: ["payment_status"], status: 503)
            }
        }

        #expect(judge(instance, evidence).verdict == .notExercised)
    }

    @Test func `a client that asks the user to sign in does not wait for the bank`() throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        let evidence = Make.allWell {
            $0.steps[3]?.outcome = .error("unauthorized", detail: nil)
            $0.journal = [Make.signIn]
            $0.journal += (1...3).map { (n: Int) in Make.exchange(2, seq: n, at: 210 + Int64(n), status: 503) }
        }

        #expect(judge(instance, evidence).verdict == .fail)
    }

    @Test(arguments: [
        ("cancelled", 1, false, Verdict.notExercised), ("timeout", 1, false, .fail), ("cancelled", 2, false, .fail),
        ("cancelled", 1, true, .fail),
    ])
    func `a read may share the request of a step that the user cancelled`(
        first: String, underWay: Int, isSent: Bool, expected: Verdict
    ) throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error(first, detail: nil)
            $0.steps[3]?.outcome = .error("not_found", detail: nil)
            $0.journal = [Make.signIn]
            $0.journal += (1...underWay).map { (n: Int) in
                var request = Make.exchange(2, seq: n, at: 210 + Int64(n), roles: ["accounts"], status: 404)
                request.durationMicroseconds = 1
                return request
            }
            if isSent { $0.journal.append(Make.exchange(3, seq: 9, roles: ["accounts"], status: 404)) }
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [
        ("1", true, true, Verdict.notExercised), ("2", true, true, .fail), ("1", false, true, .fail), ("1", true, false, .fail),
    ])
    func `stored data that were read ahead do not exercise a case about a first read`(
        id: String, isMarked: Bool, isReadAhead: Bool, expected: Verdict
    ) throws {
        let instance = try #require(Make.reading("{step: 3, error: unavailable}", steps: faulty))
        var ahead = Make.exchange(1, seq: 1, at: 160, roles: ["accounts"])
        ahead.receipt = Receipt(headBytes: 9, end: .kept)
        let evidence = Make.allWell {
            $0.steps[3]?.outcome = .ok(view: ["accounts": [["id": .string(id)]], "stale": .bool(isMarked)])
            $0.journal = [Make.signIn] + (isReadAhead ? [ahead] : []) + [Make.exchange(3, seq: 9, roles: ["accounts"], status: 503)]
            $0.expected = [.accounts: ["accounts": [["id": "1"]]]]
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [("error: forbidden", Verdict.notExercised), ("error: unauthorized", .fail)])
    func `data that were read ahead are not shown when nobody is signed in`(ending: String, expected: Verdict) throws {
        let instance = try #require(Make.reading("{step: 3, \(ending)}", steps: faulty))
        var ahead = Make.exchange(1, seq: 1, at: 160, roles: ["accounts"])
        ahead.receipt = Receipt(headBytes: 9, end: .kept)
        let evidence = Make.allWell {
            $0.steps[3]?.outcome = .ok(view: ["accounts": [["id": "1"]], "stale": true])
            $0.journal = [Make.signIn, ahead, Make.exchange(3, seq: 9, roles: ["accounts"], status: 401)]
            $0.expected = [.accounts: ["accounts": [["id": "1"]]]]
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test func `a response on a connection from before the fault is not exercised`() throws {
        let instance = try #require(Make.reading("{step: 3, error: timeout}", steps: faulty))
        let before = try connected(.ok(view: [:]), [answered])
        let since = try connected(.ok(view: [:]), [affected, answered])

        #expect(judge(instance, before).verdict == .notExercised)
        #expect(judge(instance, since).verdict == .fail)
    }

    @Test func `wrong data is wrong on a connection from before the fault, too`() throws {
        let instance = try #require(Make.reading("{step: 3, view: {accounts: [{id: '1'}]}}", steps: faulty))
        let wrong = try connected(.ok(view: ["accounts": [["id": "2"]]]), [answered])

        #expect(judge(instance, wrong).verdict == .fail)
    }

    @Test func `no request may come on a connection with the fault, and any on one from before`() throws {
        let instance = try #require(Make.reading("{requests: {max: 0, after: {step: 2}}}", steps: faulty))
        let before = try connected(.ok(view: [:]), [answered])
        let since = try connected(.ok(view: [:]), [affected, answered])

        #expect(judge(instance, before).verdict == .pass)
        #expect(judge(instance, since).verdict == .fail)
    }

    @Test func `a step that opens no connection does not show how the client meets the fault`() throws {
        let instance = try #require(Make.reading("{step: 3, error: timeout}", steps: faulty))
        let missed = try connected(.error("offline", detail: nil), [])
        let met = try connected(.error("offline", detail: nil), [affected])

        #expect(judge(instance, missed).verdict == .inconclusive)
        #expect(judge(instance, met).verdict == .fail)
    }

    @Test func `a fault that was applied to each request of its kind is not exercised more often`() throws {
        let rule = "{fault: close, on: {role: accounts}}"
        let instance = try #require(Make.reading("{fired: 8}", steps: "[login, \(rule), accounts]"))
        var evidence = try Make.allWell {
            $0.rules = [try #require(Make.rule(rule, applied: 1, step: 2))]
            $0.journal[2].roles = ["accounts"]
        }
        #expect(judge(instance, evidence).verdict == .notExercised)

        evidence.journal.append(Make.exchange(3, seq: 9, roles: ["accounts"]))
        #expect(judge(instance, evidence).verdict == .inconclusive)
    }
}
