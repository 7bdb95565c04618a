import BankModel
import Contracts
import DriverProtocol
import Testing

@Suite struct PredicateTests {
    private func verdict(_ instance: Instance?, _ change: (inout Evidence) -> Void = { _ in }) throws -> Verdict {
        judge(try #require(instance), Make.allWell(change)).verdict
    }

    // MARK: step

    @Test func `step error names one error`() throws {
        let instance = Make.reading("{step: 3, error: unauthorized}")

        #expect(try verdict(instance) == .fail)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("unauthorized", detail: nil) } == .pass)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("offline", detail: nil) } == .fail)
        #expect(try verdict(instance) { $0.steps[3] = nil } == .fail)
    }

    @Test func `step detail is a glob over what is reported`() throws {
        let instance = Make.reading("{step: 3, error: rejected, detail: '*Mill Lane*'}")

        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("rejected", detail: "422: call Mill Lane.") } == .pass)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("rejected", detail: "no") } == .fail)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("rejected", detail: nil) } == .fail)
        #expect(Make.reading("{step: 3, outcome: ok, detail: 'x'}") == nil)
    }

    @Test func `step any takes one of several endings`() throws {
        let instance = Make.reading("{step: 3, any: [{outcome: ok}, {error: outcome_unknown}]}")

        #expect(try verdict(instance) == .pass)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("outcome_unknown", detail: nil) } == .pass)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("rejected", detail: nil) } == .fail)
    }

    @Test func `step outcome error takes any error`() throws {
        let instance = Make.reading("{step: 3, outcome: error}")

        #expect(try verdict(instance) == .fail)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("tls", detail: nil) } == .pass)
    }

    @Test func `a view is compared by the keys listed`() throws {
        let instance = Make.reading("{step: 3, view: {signed_in: false}}")

        #expect(try verdict(instance) { $0.steps[3]?.outcome = .ok(view: ["signed_in": false, "prompts": 1]) } == .pass)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .ok(view: ["signed_in": true]) } == .fail)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .ok(view: [:]) } == .fail)
    }

    @Test func `an expected view is exact and lets optional keys be left out`() throws {
        let yaml = "needs: [login, accounts]\nsteps: [login, accounts, accounts]\nexpect: [{step: 3, view: expected}]"
        let demanding = yaml.replacing("view: expected", with: "view: expected, demand: [balance]")
        func verdict(_ yaml: String, _ row: JSON) throws -> Judgement {
            let instance = try #require(Make.instances(yaml).first)
            let evidence = Make.allWell {
                $0.steps[3]?.outcome = .ok(view: ["accounts": [row]])
                $0.expected = [.accounts: ["accounts": [["id": "1", "name": "Main", "balance": "12.30", "currency": "GBP"]]]]
            }
            return judge(instance, evidence)
        }

        #expect(try verdict(yaml, ["id": "1", "name": "Main", "balance": "12.30", "currency": "GBP"]).verdict == .pass)
        #expect(try verdict(yaml, ["id": "1", "name": "Main", "currency": "GBP"]).verdict == .pass)
        #expect(try verdict(yaml, ["id": "1", "name": "Main", "balance": .null, "currency": "GBP"]).verdict == .pass)
        #expect(try verdict(yaml, ["id": "1", "name": .null, "currency": "GBP"]).verdict == .fail)
        #expect(try verdict(demanding, ["id": "1", "name": "Main", "currency": "GBP"]).verdict == .fail)
        #expect(try verdict(demanding, ["id": "1", "name": "Main", "balance": .null, "currency": "GBP"]).verdict == .fail)
        #expect(try verdict(yaml, ["id": "1", "balance": "12.30", "currency": "GBP"]).verdict == .fail)
        let inexact = try verdict(yaml, ["id": "1", "name": "Main", "balance": "12.3", "currency": "GBP"])
        #expect(inexact.verdict == .fail)
        #expect(inexact.reasons.first?.seen == #"step 3 (accounts) ended with ok and showed accounts[0].balance "12.3" instead of "12.30""#)
    }

    @Test func `null for an optional key is a view without it`() throws {
        let instance = Make.reading("{step: 3, absent: [accounts.balance]}")
        func judged(_ balance: JSON) throws -> Verdict {
            try verdict(instance) { $0.steps[3]?.outcome = .ok(view: ["accounts": [["id": "1", "balance": balance]]]) }
        }

        #expect(try judged(.null) == .pass)
        #expect(try judged("0.00") == .fail)
    }

    @Test func `an ending that cannot be compared does not hide another that is met`() throws {
        let instance = Make.reading("{step: 3, any: [{error: offline}, {view: expected}]}")

        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("offline", detail: nil) } == .pass)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .error("decode", detail: nil) } == .inconclusive)
        #expect(try verdict(instance) == .inconclusive)
    }

    @Test func `an expected view that the bank does not give is inconclusive`() throws {
        #expect(try verdict(Make.reading("{step: 3, view: expected}")) == .inconclusive)
    }

    @Test func `rows are compared in order and number`() throws {
        let instance = Make.reading("{step: 3, view: {rows: [{id: \"1\"}, {id: \"2\"}]}}")

        #expect(try verdict(instance) { $0.steps[3]?.outcome = .ok(view: ["rows": [["id": "1"], ["id": "2"]]]) } == .pass)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .ok(view: ["rows": [["id": "2"], ["id": "1"]]]) } == .fail)
        #expect(try verdict(instance) { $0.steps[3]?.outcome = .ok(view: ["rows": [["id": "1"], ["id": "2"], ["id": "3"]]]) } == .fail)
    }

    // MARK: the preconditions

    @Test func `rejected counts rejections by state and by fault`() throws {
        let instance = Make.reading("{rejected: 2}")

        #expect(try verdict(instance) == .inconclusive)
        #expect(try verdict(instance) { $0.journal[1].response = "token-rejected" } == .inconclusive)
        #expect(
            try verdict(instance) {
                $0.journal[1].response = "token-rejected"
                $0.journal[2].response = "token-expired"
            } == .pass)
    }

    @Test func `fired unmet for a header is not exercised`() throws {
        let rule = "{fault: close, on: {role: accounts, header: {Accept-Encoding: '*gzip*'}}}"
        let instance = Make.reading("{fired: 1}", steps: "[login, \(rule), accounts]")
        let missed = try #require(Make.rule(rule, step: 2))

        #expect(
            try verdict(instance) {
                $0.rules = [missed]
                $0.journal[2].roles = ["accounts"]
            } == .notExercised)
        // It asked for gzip, and the rule did not apply.
        #expect(
            try verdict(instance) {
                $0.rules = [missed]
                $0.journal[2].roles = ["accounts"]
                $0.journal[2].requestHeaders = [.init("accept-encoding", "gzip, deflate")]
            } == .inconclusive)
    }

    @Test func `fired unmet for the attempt is not exercised and else inconclusive`() throws {
        let steps = "[login, {fault: close, on: {role: accounts, attempt: 2}}, accounts]"
        let instance = Make.reading("{fired: 1}", steps: steps)
        let missed = try #require(Make.rule("{fault: close, on: {role: accounts, attempt: 2}}", step: 2))
        let plain = try #require(Make.rule("{fault: close, on: {role: pay}}", step: 2))

        #expect(
            try verdict(instance) {
                $0.rules = [missed]
                $0.journal[2].roles = ["accounts"]
            } == .notExercised)
        #expect(try verdict(instance) { $0.rules = [missed] } == .inconclusive)
        // It met its attempt, and could not apply.
        #expect(
            try verdict(instance) {
                $0.rules = [missed]
                $0.journal[1].roles = ["accounts"]
                $0.journal[1].monoNanoseconds = 310
                $0.journal[2].roles = ["accounts"]
                $0.journal[2].monoNanoseconds = 320
                $0.journal[2].attempt = 2
            } == .inconclusive)
        #expect(try verdict(instance) { $0.rules = [plain] } == .inconclusive)
        let affected = try #require(Make.rule("{fault: close}", applied: 1, step: 2))
        #expect(try verdict(instance) { $0.rules = [affected] } == .pass)
    }

    /// The list of the accounts may have their balances.
    @Test func `a fault for a call of the bank is not exercised by a client that uses another`() throws {
        func judged(path: String?, selecting others: String = "") throws -> Verdict {
            let rule = "{fault: close, on: {path: /accounts/1\(others)}}"
            let missed = try #require(Make.rule(rule, step: 2))
            return try verdict(Make.reading("{fired: 1}", steps: "[login, \(rule), accounts]")) {
                $0.rules = [missed]
                $0.journal.removeLast()
                if let path {
                    $0.journal.append(Make.exchange(3, path: path))
                } else {
                    $0.steps[3]?.outcome = .error("offline", detail: nil)
                }
            }
        }

        #expect(try judged(path: "/accounts") == .notExercised)
        #expect(try judged(path: "/accounts", selecting: ", role: accounts") == .inconclusive)
        #expect(try judged(path: "/accounts/1") == .inconclusive)
        #expect(try judged(path: nil) == .inconclusive)
    }

    /// Such an app has no form for a name and a password; its driver is the browser.
    @Test func `a fault of the sign-in call is not exercised by a client that signs in on the bank's page`() throws {
        let rule = "{fault: {status: {status: 503}}, on: {role: login}}"
        let instance = Make.reading("{fired: 1}", "{step: 3, error: unavailable}", steps: "[login, \(rule), accounts]")
        let missed = try #require(Make.rule(rule, step: 2))
        func judged(_ query: String?, _ form: String, roles: [String] = []) throws -> Verdict {
            try verdict(instance) {
                $0.rules = [missed]
                $0.journal[0].query = query
                $0.journal[1].method = "POST"
                $0.journal[1].requestBody = Array(form.utf8)
                $0.journal[1].roles = roles
            }
        }

        #expect(try judged("response_type=code&client_id=app", "csrf_token=x") == .notExercised)
        #expect(try judged("client_id=web&request_uri=urn:x", "csrf_token=x") == .notExercised)
        #expect(try judged(nil, "grant_type=authorization_code&code=code#1") == .notExercised)
        #expect(try judged(nil, "grant_type=password&username=ava") == .inconclusive)
        #expect(try judged("response_type=code&client_id=app", "grant_type=password", roles: ["login"]) == .inconclusive)
    }

    @Test func `a least number of sign-in calls is not exercised by a client that signs in on the bank's page`() throws {
        let instance = Make.reading("{requests: {role: login, min: 1, max: 1}}")

        #expect(try verdict(instance) == .fail)
        #expect(try verdict(instance) { $0.journal[0].query = "response_type=code&client_id=app" } == .notExercised)
    }

    @Test func `a rule that only helps does not count for the one that the case is about`() throws {
        let steps = "[login, {fault: {status: {status: 503}}, on: {method: GET}}, {fault: close, on: {role: pay}, label: lost}, accounts]"
        let any = Make.reading("{fired: 1}", steps: steps)
        let bound = Make.reading("{fired: {step: lost}}", steps: steps)
        func judged(_ instance: Instance?, helper: Int, lost: Int) throws -> Verdict {
            let rules = try [
                #require(Make.rule("{fault: {status: {status: 503}}, on: {method: GET}}", applied: helper, step: 2)),
                #require(Make.rule("{fault: close, on: {role: pay}}", applied: lost, step: 3)),
            ]
            return try verdict(instance) { $0.rules = rules }
        }

        #expect(try judged(any, helper: 1, lost: 0) == .pass)
        #expect(try judged(bound, helper: 1, lost: 0) == .notExercised)
        #expect(try judged(bound, helper: 0, lost: 0) == .inconclusive)
        #expect(try judged(bound, helper: 0, lost: 1) == .pass)
    }

    @Test(arguments: [
        ("skip: 2", 2, Verdict.notExercised), ("nth: 2", 1, .notExercised), ("every: 2", 1, .notExercised), ("skip: 1", 2, .inconclusive),
    ])
    func `a rule for a later request than the client sends is not exercised`(count: String, requests: Int, expected: Verdict) throws {
        let rule = "{fault: {dialect: {name: token-expired}}, on: {role: accounts}, \(count)}"
        let instance = Make.reading("{fired: 1}", "{rejected: 1}", steps: "[login, \(rule), accounts]")
        let missed = try #require(Make.rule(rule, step: 2))

        let judged = try verdict(instance) {
            $0.rules = [missed]
            for index in [2, 1].prefix(requests) {
                $0.journal[index].roles = ["accounts"]
                $0.journal[index].monoNanoseconds = 310 + Int64(index)
            }
        }

        #expect(judged == expected)
    }

    @Test func `a client that shows nothing of what the case is about does not exercise it`() throws {
        let instance = Make.reading("{control: 2, shows: [accounts.balance]}", "{step: 3, outcome: error}")
        func judged(_ row: JSON) throws -> Verdict { try verdict(instance) { $0.steps[2]?.outcome = .ok(view: ["accounts": [row]]) } }

        #expect(try judged(["id": "1"]) == .notExercised)
        #expect(try judged(["id": "1", "balance": "12.30"]) == .fail)
    }

    // MARK: never

    @Test func `a rejected token may not be sent after its step`() throws {
        let instance = Make.reading("{never: {sends: $rejected, after: {step: 2}}}")

        #expect(try verdict(instance) == .pass)
        #expect(try verdict(instance) { $0.journal[1].response = "token-rejected" } == .fail)
        #expect(
            try verdict(instance) {
                $0.journal[1].response = "token-rejected"
                $0.journal[2].token = "token#2"
            } == .pass)
    }

    @Test(arguments: [(Int64(310), true), (900_000_000, false)])
    func `a rejected token that comes so soon that it may have been on its way is tested again alone`(at: Int64, isAboutTime: Bool) throws {
        let instance = try #require(Make.reading("{never: {sends: $rejected, after: {step: 2}}}"))
        let evidence = Make.allWell {
            $0.journal[1].response = "token-rejected"
            $0.journal[2].monoNanoseconds = at
        }

        let judgement = judge(instance, evidence)

        #expect(judgement.verdict == .fail)
        #expect(judgement.reasons.first?.finding.isAboutTime == isAboutTime)
    }

    @Test func `sending again before the result is read is allowed`() throws {
        let instance = Make.reading("{never: {sends: $rejected, after: {step: 2}}}")

        #expect(
            try verdict(instance) {
                $0.journal[1].response = "token-rejected"
                $0.journal.append(Make.exchange(2, seq: 4, at: 249))
                $0.journal[2].token = nil
            } == .pass)
    }

    @Test(arguments: [
        (StepOutcome.ok(view: [:]), Receipt.End.kept, Verdict.fail), (.error("unavailable", detail: nil), .kept, .pass),
        // Cancelled with the sign-out, and read later.
        (.ok(view: [:]), .clientGone, .pass),
    ])
    func `a token from before a sign-out is not sent even once after it`(signOut: StepOutcome, end: Receipt.End, expected: Verdict) throws {
        var bank = Make.bank
        bank.operations.append(.logout)
        let yaml = "needs: [login, logout, accounts]\nsteps: [login, logout, accounts]\nexpect: [{never: {sends: $rejected}}]"
        let instance = Make.instances(yaml, on: bank).first
        let found = try verdict(instance) {
            $0.steps[2]?.outcome = signOut
            $0.journal[2].receipt.end = end
            $0.journal[2].response = "token-rejected"
            $0.journal[2].durationMicroseconds = 1
        }

        #expect(found == expected)
    }

    @Test func `the rejected request itself, and one beside it, are not sent again`() throws {
        let instance = Make.reading("{never: {sends: $rejected, after: {step: 2}}}")
        func verdict(at time: Int64) throws -> Verdict {
            try self.verdict(instance) {
                $0.journal[2].response = "token-rejected"
                $0.journal[2].durationMicroseconds = 1
                $0.journal.append(Make.exchange(3, seq: 4, at: time))
            }
        }

        #expect(try verdict(at: 900) == .pass)
        #expect(try verdict(at: 2000) == .fail)
    }

    @Test func `a rejection of an empty bearer is not the rejected token`() throws {
        let instance = Make.reading("{never: {sends: $rejected, after: {step: 1}}}")

        #expect(
            try verdict(instance) {
                $0.journal[0] = Make.exchange(1, token: "empty", response: "token-rejected")
            } == .pass)
    }
}
