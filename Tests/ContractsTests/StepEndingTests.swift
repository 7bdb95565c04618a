import BankModel
import Contracts
import Testing

/// Endings of steps by what was shown before, by age, by time, by what must not be there.
struct StepEndingTests {
    private let steps = "[login, {accounts: , label: before}, accounts]"

    private func judgement(_ expectation: String, _ outcome: StepOutcome, lasting nanoseconds: Int64 = 50) throws -> Judgement {
        let instance = try #require(Make.reading(expectation, steps: steps))
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .ok(view: ["accounts": [["id": "1", "balance": "12.30"]], "as_of": "2026-01-01T00:00:00Z"])
            $0.steps[3] = StepReport(outcome, started: 300, ended: 300 + nanoseconds)
        }
        return judge(instance, evidence)
    }

    private let old: JSON = ["accounts": [["id": "1", "balance": "12.30"]], "stale": true, "as_of": "2026-01-01T00:00:01Z"]

    @Test func `old data must be the data that were shown before`() throws {
        #expect(try judgement("{step: 3, view: as before}", .ok(view: old)).verdict == .pass)
        #expect(try judgement("{step: 3, view: as before, stale: true}", .ok(view: old)).verdict == .pass)
        #expect(try judgement("{step: 3, view: as before}", .ok(view: ["accounts": [], "stale": true])).verdict == .fail)
    }

    @Test func `a view that is cut still shows its marks`() {
        let id = String(repeating: "1", count: 400)
        let long: JSON = ["accounts": [["id": .string(id)]], "complete": false, "stale": true]

        #expect("\(StepOutcome.ok(view: long))".hasSuffix("… with complete: false, stale: true"))
        #expect(!"\(StepOutcome.ok(view: old))".contains(" with "))
    }

    @Test func `old data must say that they are old`() throws {
        let unmarked: JSON = ["accounts": [["id": "1", "balance": "12.30"]]]

        let judged = try judgement("{step: 3, view: as before, stale: true}", .ok(view: unmarked))

        #expect(judged.reasons.first?.seen == "step 3 (accounts) ended with ok and showed the data without marking it as old (`stale`)")
        #expect(try judgement("{step: 3, view: as before, stale: false}", .ok(view: old)).verdict == .fail)
        #expect(try judgement("{step: 3, view: as before, stale: false}", .ok(view: unmarked)).verdict == .pass)
    }

    @Test func `a view is compared only with endings of the same outcome`() throws {
        let expectation = "{step: 3, any: [{error: decode}, {error: offline}]}"
        let mixed = "{step: 3, any: [{error: decode}, {view: as before, stale: true}]}"

        #expect(try judgement(expectation, .ok(view: ["x": 1])).reasons.first?.seen == #"step 3 (accounts) ended with ok {"x":1}"#)
        #expect(try judgement(mixed, .error("offline", detail: nil)).reasons.first?.seen == "step 3 (accounts) ended with error offline")
        let result = try judgement(mixed, .ok(view: ["accounts": [["id": "1", "balance": "12.30"]]]))
        #expect(result.reasons.first?.seen == "step 3 (accounts) ended with ok and showed the data without marking it as old (`stale`)")
        #expect(result.reasons.first?.expected == "it must end with error decode, or ok and the data of step 2, marked as old")
    }

    @Test func `a view is compared with endings of the step's own operation`() throws {
        let expectation = "{step: 3, any: [{view: {balance: '9.00'}}, {view: {accounts: [{id: '7', name: A}, {id: '8', name: B}]}}]}"

        let result = try judgement(expectation, .ok(view: ["accounts": [["id": "7", "name": "A"], ["id": "8", "name": "C"]]]))

        #expect(result.reasons.first?.seen == #"step 3 (accounts) ended with ok and showed accounts[1].name "C" instead of "B""#)
        #expect(result.reasons.first?.expected.contains("9.00") == false)
        #expect(try judgement("{step: 3, view: {balance: '9.00'}}", .ok(view: ["accounts": []])).verdict == .fail)
    }

    @Test func `of the views of several banks a report names the nearest one`() throws {
        let expectation =
            "{step: 3, any: [{error: decode}, {view: {accounts: [{id: '7', name: A}]}}, {view: {accounts: [{id: '8', name: B}]}}]}"

        let result = try judgement(expectation, .ok(view: ["accounts": [["id": "8", "name": "C"]]]))

        #expect(result.reasons.first?.seen == #"step 3 (accounts) ended with ok and showed accounts[0].name "C" instead of "B""#)
        #expect(
            result.reasons.first?.expected == #"it must end with error decode, or ok and data like {"accounts":[{"id":"8","name":"B"}]}"#)
    }

    @Test(arguments: [
        ("toy.case", #"{"accounts":[{"id":"1"}],"next_cursor":"c2"}"#, ["1"], Verdict.notExercised),
        ("pages.case", #"{"accounts":[{"id":"1"}],"next_cursor":"c2"}"#, ["1"], .fail),
        ("toy.case", #"{"accounts":[{"id":"1"}]}"#, ["1"], .fail),
        ("toy.case", #"{"accounts":[{"id":"1"}],"next_cursor":"c2"}"#, ["9"], .fail),
        ("toy.case", #"{"accounts":[{"id":"1"}],"next_cursor":"c2"}"#, [], .fail),
    ])
    func `a client that shows only the first page is reported for nothing else`(
        id: String, response: String, ids: [String], expected: Verdict
    ) throws {
        var instance = try #require(Make.reading("{step: 3, view: {accounts: [{id: '1'}, {id: '2'}]}}", steps: steps))
        instance.caseID = id
        let evidence = Make.allWell {
            $0.steps[3] = StepReport(.ok(view: ["accounts": .array(ids.map { ["id": .string($0)] })]), started: 300, ended: 350)
            $0.journal[2].roles = ["accounts"]
            $0.journal[2].monoNanoseconds = 320
            $0.journal[2].status = 200
            $0.journal[2].responseBody = Array(response.utf8)
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test func `the first rows of a list may be all that a client shows, if it marks them as incomplete`() throws {
        var instance = try #require(Make.reading("{step: 3, view: {accounts: [{id: '1'}, {id: '2'}]}}", steps: steps))
        instance.caseID = "pages.case"
        let evidence = Make.allWell {
            $0.steps[3] = StepReport(.ok(view: ["accounts": [["id": "1"]], "complete": false]), started: 300, ended: 350)
            $0.journal[2].roles = ["accounts"]
            $0.journal[2].monoNanoseconds = 320
            $0.journal[2].status = 200
            $0.journal[2].responseBody = Array(#"{"accounts":[{"id":"1"}],"next_cursor":"c2"}"#.utf8)
        }

        #expect(judge(instance, evidence).verdict == .notExercised)
    }

    @Test(arguments: [
        ("12.31", Finding.Mistake.amount), ("12.3", .digits), ("12.300", .digits), ("", .amount), ("twelve", .amount),
    ])
    func `another amount differs in value`(shown: String, expected: Finding.Mistake?) throws {
        let result = try judgement("{step: 3, view: as before}", .ok(view: ["accounts": [["id": "1", "balance": .string(shown)]]]))

        #expect(result.verdict == .fail)
        #expect(result.reasons.first?.finding.mistake == expected)
    }

    @Test func `what must not be shown is seen in any row`() throws {
        let view: JSON = ["accounts": [["id": "1"], ["id": "2", "balance": "1.00"]]]

        #expect(try judgement("{step: 3, absent: [accounts.balance]}", .ok(view: view)).verdict == .fail)
        #expect(try judgement("{step: 3, absent: [accounts.name]}", .ok(view: view)).verdict == .pass)
    }

    @Test func `a step must end in time`() throws {
        let late = try judgement("{step: 3, within: 2s}", .error("timeout", detail: nil), lasting: 2_500_000_000)

        #expect(late.verdict == .fail)
        #expect(late.reasons.first?.seen == "step 3 (accounts) ended with error timeout after 2500ms")
        #expect(try judgement("{step: 3, within: 2s}", .error("timeout", detail: nil), lasting: 1_900_000_000).verdict == .pass)
        #expect(try judgement("{step: 3, within: 2s, error: offline}", .error("timeout", detail: nil)).verdict == .fail)
    }

    @Test func `an error that is not shown is asked for by the suite errors, and judged as that error elsewhere`() throws {
        func verdict(_ caseID: String, _ expectation: String, _ outcome: StepOutcome) throws -> Judgement {
            var instance = try #require(Make.reading(expectation, steps: steps))
            instance.caseID = caseID
            return judge(instance, Make.allWell { $0.steps[3] = StepReport(outcome, started: 300, ended: 350) })
        }
        let known = StepOutcome.silent(error: "timeout")

        #expect(try verdict("toy.case", "{step: 3, error: timeout}", known).verdict == .pass)
        #expect(try verdict("toy.case", "{step: 3, outcome: error}", known).verdict == .pass)
        #expect(try verdict("toy.case", "{step: 3, outcome: silent}", known).verdict == .fail)
        #expect(try verdict("toy.case", "{step: 3, error: offline}", known).reasons.first?.finding.mistake == nil)
        let unseen = try verdict("errors.case", "{step: 3, error: timeout}", known)
        #expect(unseen.verdict == .fail)
        #expect(unseen.reasons.first?.finding.mistake == .silence)
        #expect(
            unseen.reasons.first?.seen
                == "step 3 (accounts) ended with silent (the client showed nothing, neither data nor an error; its code received the error timeout)"
        )
        let unknown = try verdict("toy.case", "{step: 3, error: timeout}", .silent())
        #expect(unknown.reasons.first?.finding.mistake == .silence)
    }

    @Test func `nothing shown is neither data nor an error`() throws {
        #expect(try judgement("{step: 3, outcome: error}", .silent()).verdict == .fail)
        #expect(try judgement("{step: 3, outcome: ok}", .silent()).verdict == .fail)
        #expect(try judgement("{step: 3, outcome: silent}", .silent()).verdict == .pass)
        #expect(try judgement("{step: 3, outcome: silent}", .ok(view: [:])).verdict == .fail)
    }

    @Test func `a view that was never shown proves nothing`() throws {
        let instance = try #require(Make.reading("{step: 3, view: as before}", steps: steps))
        let evidence = Make.allWell { $0.steps[2]?.outcome = .error("offline", detail: nil) }

        #expect(judge(instance, evidence).verdict == .inconclusive)
    }

    @Test(arguments: [
        ("[login, {accounts: , label: 2}, accounts]", "{control: 2}", "a label: one word that is not a number"),
        ("[login, {accounts: , label: a}, {accounts: , label: a}]", "{control: a}", "the label `a` already names step 2"),
        ("[login, {accounts: , label: a}]", "{control: b}", "expected a step's number from 1 to 2, or a label, a"),
        (
            "[login, {accounts: , label: first}]", "{control: frist}",
            "expected a step's number from 1 to 2, or a label, first; did you mean `first`?"
        ),
        ("[login, {accounts: , label: a}]", "{step: a, view: like before}", "expected `expected`, `as` and a step's label"),
        ("[login, {accounts: , label: a}]", "{step: a, error: decode, stale: true}", "cannot end both in success and with an error"),
    ])
    func `a slip is reported with its position`(steps: String, expectation: String, expected: String) {
        let found = Make.complaints(
            "contract: 1\nsuite: toy\ncases:\n- {id: toy.a, why: w, level: should, needs: [login, accounts], steps: \(steps), expect: [\(expectation)]}"
        )

        #expect(found.contains { $0.contains(expected) && $0.hasPrefix("t.yaml:4:") }, "\(found)")
    }
}
