import BankModel
import Contracts
import Testing

@Suite struct JudgeTests {
    @Test func `passes when all expectations are met`() throws {
        let instance = try #require(Make.reading("{step: 2, outcome: ok}", "{control: 2}"))

        #expect(judge(instance, Make.allWell()).verdict == .pass)
    }

    @Test func `a success that is reported before its request is named so`() throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        func seen(_ change: (inout Evidence) -> Void) -> [String] { judge(instance, Make.allWell(change)).reasons.map(\.seen) }

        let late = seen {
            $0.journal[2].roles = ["accounts"]
            $0.journal[2].monoNanoseconds = ($0.steps[3]?.ended ?? 0) + 700_000
        }
        let other = seen {
            $0.journal[2].roles = ["pay"]
            $0.journal[2].monoNanoseconds = ($0.steps[3]?.ended ?? 0) + 700_000
        }

        #expect(late == ["step 3 (accounts) reported ok 700 µs before its request, exchange 3 (GET /), reached the bank"])
        #expect(other == ["step 3 (accounts) reported ok, but the bank received no request"])
    }

    @Test func `a client that has read ahead may show the response that was on its way`() throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        func verdict(_ earlier: JournalEntry) -> Verdict {
            let evidence = Make.allWell { $0.journal = [Make.exchange(1), Make.exchange(2, roles: ["accounts"]), earlier] }
            return judge(instance, evidence).verdict
        }

        #expect(verdict(Make.exchange(2, seq: 3, at: 270, roles: ["accounts"])) == .pass)
        #expect(verdict(Make.exchange(2, seq: 3, at: 240, roles: ["accounts"])) == .fail)
        #expect(verdict(Make.exchange(2, seq: 3, at: 270, roles: ["balance"])) == .fail)

        let later = Make.allWell {
            $0.steps[3] = StepReport(.ok(view: [:]), started: 1_000_000_000, ended: 1_000_000_050)
            $0.journal = [Make.exchange(1), Make.exchange(2, roles: ["accounts"]), Make.exchange(2, seq: 3, at: 270, roles: ["accounts"])]
        }
        #expect(judge(instance, later).verdict == .fail, "the response came long before the step")
    }

    @Test(arguments: [("/", true, Verdict.pass), ("/", false, .fail), ("/other", true, .fail)])
    func `a request that a step sends again after its response is one that reads ahead`(
        path: String, isAnswered: Bool, expected: Verdict
    ) throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        var first = Make.exchange(2, roles: ["accounts"], path: path)
        first.receipt = Receipt(headBytes: isAnswered ? 9 : 0, end: .kept)
        let evidence = Make.allWell {
            $0.journal = [Make.exchange(1), first, Make.exchange(2, seq: 3, at: 240, roles: ["accounts"])]
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test func `violated never outranks inconclusive`() throws {
        let instance = try #require(Make.reading("{control: 2}", "{rejected: 1}", "{never: {sends: empty-bearer}}"))
        let evidence = Make.allWell {
            $0.steps = Make.steps([1: .ok(view: [:]), 2: .error("offline", detail: nil), 3: .ok(view: [:])])
            $0.journal[1].token = "empty"
        }

        let judgement = judge(instance, evidence)

        #expect(judgement.verdict == .fail)
        #expect(judgement.reasons.first?.weight == .violation)
        #expect(judgement.reasons.count == 3)
    }

    @Test(arguments: [nil, "latency", "dialect"])
    func `a client that the bank's own limit stopped is not at fault`(_ fault: String?) throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        func verdict(_ outcome: StepOutcome) -> Verdict {
            let evidence = Make.allWell {
                $0.steps = Make.steps([1: .ok(view: [:]), 2: .ok(view: [:]), 3: outcome])
                $0.journal[2].response = "rate-limited"
                $0.journal[2].status = 429
                if let fault { $0.journal[2].faults = [FaultRecord(rule: "rule-1", kind: fault, point: "request", applied: true)] }
            }
            return judge(instance, evidence).verdict
        }

        #expect(verdict(.error("rate_limited", detail: nil)) == (fault == "dialect" ? .fail : .inconclusive))
        #expect(verdict(.ok(view: [:])) == .pass)
    }

    @Test func `a failure of any kind is inconclusive if the machine's clock was set meanwhile`() throws {
        let instance = try #require(Make.reading("{step: 3, error: offline}", "{never: {sends: empty-bearer}}"))
        let failures = [
            Make.allWell(), Make.allWell { $0.journal[1].token = "empty" }, Make.allWell { $0.clientTrouble = "the client hung in step 2" },
        ]
        for failure in failures {
            var evidence = failure
            evidence.clockWasSet = .seconds(1)
            let failed = judge(instance, evidence)
            evidence.clockWasSet = .milliseconds(1001)
            let undecided = judge(instance, evidence)

            #expect(failed.verdict == .fail)
            #expect(undecided.verdict == .inconclusive)
            #expect(undecided.reasons.first?.seen == "the machine's clock was set by about 1 s while the case ran")
            #expect(Array(undecided.reasons.dropFirst()) == failed.reasons)
        }
    }

    @Test func `no other verdict changes if the machine's clock was set`() throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}", "{control: 2, otherwise: not-exercised}"))
        func judgement(_ set: Duration, _ change: (inout Evidence) -> Void) -> Judgement {
            var evidence = Make.allWell(change)
            evidence.clockWasSet = set
            return judge(instance, evidence)
        }
        let changes: [(inout Evidence) -> Void] = [
            { _ in }, { $0.steps[2] = nil }, { $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil) },
            { $0.steps[2]?.outcome = .unsupported }, { $0.harnessTrouble = "the driver violates the protocol" },
        ]

        let judgements = changes.map { judgement(.seconds(3600), $0) }

        #expect(judgements.map(\.verdict) == [.pass, .inconclusive, .notExercised, .unsupported, .harnessError])
        #expect(judgements == changes.map { judgement(.zero, $0) })
    }

    @Test func `a control that a client need not be able to do leaves the case not exercised`() throws {
        let instance = try #require(Make.reading("{step: 3, error: unauthorized}", "{control: 2, otherwise: not-exercised}"))
        func verdict(_ change: (inout Evidence) -> Void) -> Verdict { judge(instance, Make.allWell(change)).verdict }

        #expect(verdict { _ in } == .fail)
        #expect(verdict { $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil) } == .notExercised)
        #expect(verdict { $0.steps[2] = nil } == .inconclusive)
        #expect(Make.reading("{step: 3, outcome: ok}", "{control: 2, otherwise: pass}") == nil)
    }

    @Test func `what follows a step that a client need not be able to do is not exercised`() throws {
        let steps = "[login, accounts, {fault: close, on: {role: accounts}}, accounts]"
        let instance = try #require(
            Make.reading("{control: 2, otherwise: not-exercised}", "{control: 4}", "{fired: 1}", "{step: 4, outcome: ok}", steps: steps))
        func verdict(_ second: StepOutcome?) -> Verdict {
            judge(
                instance,
                Make.allWell {
                    $0.rules = []
                    $0.steps[2]?.outcome = second ?? .ok(view: ["accounts": []])
                    $0.steps[3] = nil
                    $0.steps[4] = nil
                }
            ).verdict
        }

        #expect(verdict(.error("nothing_to_do", detail: nil)) == .notExercised)
        #expect(verdict(nil) == .inconclusive)
    }

    @Test func `a control that shows old data proves nothing`() throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}", "{control: 2}"))
        let evidence = Make.allWell { $0.steps[2]?.outcome = .ok(view: ["accounts": [], "stale": true]) }

        #expect(judge(instance, evidence).verdict == .inconclusive)
    }

    @Test func `inconclusive outranks not exercised`() throws {
        let steps = "[login, {fault: close, on: {role: accounts, attempt: 2}}, accounts]"
        let instance = try #require(Make.reading("{control: 3}", "{fired: 1}", steps: steps))
        let rule = try #require(Make.rule("{fault: close, on: {role: accounts, attempt: 2}}", step: 2))
        var evidence = Make.allWell {
            $0.rules = [rule]
            $0.journal[2].roles = ["accounts"]
        }

        #expect(judge(instance, evidence).verdict == .notExercised)
        evidence.steps[3]?.outcome = .error("offline", detail: nil)
        #expect(judge(instance, evidence).verdict == .inconclusive)
    }

    @Test func `a step that failed before a fault decides alone, although the fault met no request`() throws {
        let steps = "[login, accounts, {fault: close, on: {role: accounts}}, accounts]"
        let instance = try #require(Make.reading("{step: 2, outcome: ok}", "{fired: 1}", "{step: 4, error: offline}", steps: steps))
        let rule = try #require(Make.rule("{fault: close, on: {role: accounts}}", step: 3))
        func judgement(_ second: StepOutcome) -> Judgement {
            let evidence = Make.allWell {
                $0.steps = Make.steps([1: .ok(view: [:]), 2: second, 3: .done, 4: .error("unauthorized", detail: nil)])
                $0.rules = [rule]
            }
            return judge(instance, evidence)
        }
        let failed = judgement(.error("failed", detail: nil))

        #expect(failed.verdict == .fail)
        #expect(failed.reasons.map(\.weight) == [.failure, .undecided, .undecided])
        #expect(failed.reasons.first?.finding.seen.text.contains("step 2") == true)
        #expect(judgement(.ok(view: [:])).verdict == .inconclusive)
    }

    @Test func `a fault that never met its attempt hides what follows from it and not a broken rule`() throws {
        let steps = "[login, {fault: close, on: {role: pay, attempt: 2}}, pay: {intent: A, amount: \"1.00\"}]"
        let yaml = "needs: [login, pay]\nsteps: \(steps)\nexpect:\n- {fired: 1}\n- {step: 3, error: offline}\n- {key: {format: uuid}}"
        let instance = try #require(Make.instances(yaml).first)
        let rule = try #require(Make.rule("{fault: close, on: {role: pay, attempt: 2}}", step: 2))
        func judgement(key: String) -> Judgement {
            judge(
                instance,
                Make.allWell {
                    $0.rules = [rule]
                    $0.journal[2] = Make.exchange(3, roles: ["pay"], key: key)
                })
        }

        #expect(judgement(key: "0f4e6a52-9d1c-4b1e-8a55-3c2f7d6b9e01").reasons.map(\.weight) == [.notExercised, .failure])
        #expect(judgement(key: "0f4e6a52-9d1c-4b1e-8a55-3c2f7d6b9e01").verdict == .notExercised)
        #expect(judgement(key: "nine").reasons.map(\.weight) == [.breach, .notExercised, .failure])
        #expect(judgement(key: "nine").verdict == .fail)
    }

    @Test func `dropped entries make a pass inconclusive and not a violation`() throws {
        let instance = try #require(Make.reading("{never: {sends: empty-bearer}}"))
        var evidence = Make.allWell { $0.dropped = 3 }

        #expect(judge(instance, evidence).verdict == .inconclusive)
        evidence.journal[2].token = "empty"
        #expect(judge(instance, evidence).verdict == .fail)
    }

    /// With all exchanges of the case dropped, what each predicate would say of an empty journal.
    @Test(arguments: [
        "{requests: {min: 1}}", "{order: [login, accounts]}", "{rejected: 1}", "{gap: {min: 1s}}", "{key: {format: uuid, role: accounts}}",
        "{step: 3, outcome: ok}",
    ])
    func `nothing is concluded from an exchange that may have been dropped`(_ expectation: String) throws {
        let instance = try #require(Make.reading(expectation))
        let evidence = Make.allWell {
            $0.journal = []
            $0.dropped = 3
        }

        let judgement = judge(instance, evidence)

        #expect(judgement.verdict == .inconclusive)
        #expect(judgement.reasons.map(\.seen) == ["the journal dropped 3 entries (journal limit reached)"])
    }

    @Test func `success without a request is a false report only in a whole journal`() throws {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}"))
        func verdict(dropped: Int) -> Verdict {
            let evidence = Make.allWell {
                $0.journal = []
                $0.dropped = dropped
            }
            return judge(instance, evidence).verdict
        }

        #expect(verdict(dropped: 0) == .fail)
        #expect(verdict(dropped: 1) == .inconclusive)
    }

    @Test func `the ledger of a payment whose exchange was dropped blames nobody`() throws {
        let instance = try #require(Make.paying("{ledger: {A: 1, B: 1}}", "{same: [key], within: intent}"))
        let evidence = try Make.allWell {
            $0.journal = []
            $0.dropped = 1
            $0.movements = [try Make.movement(key: "first")]
        }

        let judgement = judge(instance, evidence)

        #expect(judgement.verdict == .inconclusive)
        #expect(judgement.reasons.count == 1)
    }

    @Test func `a hung or crashed client fails even when nothing else is conclusive`() throws {
        let instance = try #require(Make.reading("{control: 3}"))
        let evidence = Make.allWell {
            $0.steps[3] = StepReport(.hung, started: 300, ended: 350)
            $0.clientTrouble = "the client hung in step 3"
        }

        let judgement = judge(instance, evidence)

        #expect(judgement.verdict == .fail)
        #expect(judgement.reasons.first?.seen == "the client hung in step 3")
    }

    @Test func `a step answered unsupported is unsupported`() throws {
        let instance = try #require(Make.reading("{control: 2}"))
        let evidence = Make.allWell { $0.steps[2]?.outcome = .unsupported }

        #expect(judge(instance, evidence).verdict == .unsupported)
    }

    // MARK: false reports

    @Test func `ok without a request fails and outranks an unmet control`() throws {
        let instance = try #require(Make.reading("{rejected: 1}"))
        let evidence = Make.allWell { $0.journal.remove(at: 2) }

        let judgement = judge(instance, evidence)

        #expect(judgement.verdict == .fail)
        #expect(judgement.reasons.first?.seen.contains("step 3 (accounts)") == true)
    }

    @Test func `a connection without a request makes no success true`() throws {
        let instance = try #require(Make.reading("{control: 2}"))

        #expect(judge(instance, Make.allWell { $0.journal[2].method = nil }).verdict == .fail)
        #expect(judge(instance, Make.allWell()).verdict == .pass)
    }

    @Test(arguments: [["stale": true], ["from_cache": true]] as [JSON])
    func `cached data that is marked needs no request`(view: JSON) throws {
        let instance = try #require(Make.reading("{control: 2}"))
        let evidence = Make.allWell {
            $0.journal.remove(at: 2)
            $0.steps[3]?.outcome = .ok(view: view)
        }

        #expect(judge(instance, evidence).verdict == .pass)
    }

    @Test func `a login with a token handed over needs no request`() throws {
        var bank = Make.bank
        bank.hasLoginCall = false
        let instance = try #require(Make.instances("needs: [login]\nsteps: [login]\nexpect: [{control: 1}]", on: bank).first)
        var evidence = Make.allWell { $0.journal = [] }

        #expect(judge(instance, evidence).verdict == .pass)
        bank.hasLoginCall = true
        evidence.steps = Make.steps([1: .ok(view: [:])])
        let withCall = try #require(Make.instances("needs: [login]\nsteps: [login]\nexpect: [{control: 1}]", on: bank).first)
        #expect(judge(withCall, evidence).verdict == .fail)
    }

    @Test func `a double tap on a payment needs one request for both`() throws {
        let pays = "[login, pay: {intent: A, amount: \"1.00\"}, pay: {intent: A, amount: \"1.00\"}]"
        let instance = try #require(Make.instances("needs: [login, pay]\nsteps: \(pays)\nexpect: [{control: 2}]").first)
        let evidence = Make.allWell { $0.journal = [Make.exchange(1), Make.exchange(2, roles: ["pay"], key: "k1")] }

        #expect(judge(instance, evidence).verdict == .pass)
    }

    @Test func `a request of a step at once counts for all of them`() throws {
        let steps = "[login, together: [accounts, accounts]]"
        let instance = try #require(Make.reading("{control: 2}", steps: steps))
        let evidence = Make.allWell {
            $0.steps[3] = StepReport(.ok(view: [:]), started: 220, ended: 260)
            $0.journal.remove(at: 2)
        }

        #expect(judge(instance, evidence).verdict == .pass)
    }
}
