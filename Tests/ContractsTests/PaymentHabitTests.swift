import BankModel
import Contracts
import DriverProtocol
import Testing

/// What a client may do by its own design instead of sending a payment, or of requesting a quote.
struct PaymentHabitTests {
    /// Attempts in step 2 that the bank answered 503.
    private func failed(_ number: Int, roles: [String], key: String? = nil) -> [JournalEntry] {
        (1...number).map { (n: Int) in Make.exchange(2, seq: n, at: 210 + Int64(n), roles: roles, key: key, status: 503) }
    }

    @Test(arguments: [
        (", connection: warm", 410, ", because none before for payment order A was as the rule selects: on a warm connection"),
        ("", 260, ", which the client sent before any for payment order A"), ("", 410, ""),
    ])
    func `a fault that was applied to another payment order is reported with the reason`(
        selector: String, time: Int, reason: String
    ) throws {
        let rule = "{fault: close, on: {role: pay\(selector)}}"
        let steps = "[login, \(rule), pay: {intent: A, amount: \"10.00\"}, pay: {intent: B, amount: \"10.00\"}]"
        let instance = try #require(Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{fired: 1}]").first)
        let armed = try #require(Make.rule(rule, applied: 1, step: 2))
        // On a warm connection; the payment of A was on a cold one.
        var other = Make.exchange(4, at: Int64(time), roles: ["pay"], key: "b", connection: 2)
        other.faults = [FaultRecord(rule: armed.id, kind: "close", point: "request", applied: true)]
        let evidence = Make.allWell {
            $0.steps[4] = StepReport(.ok(view: [:]), started: 255, ended: 450)
            $0.rules = [armed]
            $0.journal = [Make.signIn, Make.exchange(3, roles: ["pay"], key: "a"), other]
        }

        let seen = judge(instance, evidence).reasons.map(\.finding.seen.text)

        #expect(seen.contains("the fault of step 2 was applied to a request for payment order B\(reason)"))
    }

    @Test(arguments: [
        ("unavailable", 3, "", Verdict.notExercised), ("unavailable", 2, "", .fail), ("unavailable", 3, "{wait: 1s}, ", .fail),
        ("tls", 3, "", .fail), ("decode", 3, "", .fail),
    ])
    func `a client may send no new payment for a moment after several failures`(
        error: String, failures: Int, between: String, expected: Verdict
    ) throws {
        let last = between.isEmpty ? 3 : 4
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, \(between)pay: {intent: B, amount: \"10.00\"}]"
        let expectations = "[{ledger: {A: 0, B: 1}}, {step: \(last), outcome: ok}]"
        let instance = try #require(Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: \(expectations)").first)
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil)
            $0.steps[last] = StepReport(.error(error, detail: nil), started: 400, ended: 450)
            $0.journal = [Make.signIn] + failed(failures, roles: ["pay"], key: "a")
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test(arguments: [("outcome_unknown", 3, Verdict.notExercised), ("outcome_unknown", 2, .fail), ("unavailable", 3, .fail)])
    func `a client may ask nothing about a payment that was begun for a moment after several failures`(
        error: String, failures: Int, expected: Verdict
    ) throws {
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, pay: {intent: A, amount: \"10.00\"}]"
        let instance = try #require(
            Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{step: 3, outcome: ok}]").first)
        var begun = Make.exchange(2, seq: 9, at: 205, roles: ["pay"], status: 201)
        begun.receipt = Receipt(headBytes: 9, end: .kept)
        let evidence = Make.allWell {
            $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil)
            $0.steps[3]?.outcome = .error(error, detail: nil)
            $0.journal = [Make.signIn, begun] + failed(failures, roles: ["payment_status"])
        }

        #expect(judge(instance, evidence).verdict == expected)
    }

    @Test func `a client may send no new payment for as long as the bank has asked it to wait`() throws {
        let instance = try #require(Make.paying("{step: 3, outcome: ok}"))
        var closed = Make.exchange(2, roles: ["pay"], key: "a", status: 503)
        closed.receipt = Receipt(headBytes: 9, end: .kept)
        closed.responseHeaders = [JournalEntry.Header("Retry-After", "120")]
        var evidence = Make.allWell {
            $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil)
            $0.steps[3]?.outcome = .error("unavailable", detail: nil)
            $0.journal = [Make.signIn, closed]
        }
        #expect(judge(instance, evidence).verdict == .notExercised)

        evidence.journal[1].responseHeaders = []
        #expect(judge(instance, evidence).verdict == .fail)
    }

    @Test(arguments: [(true, Verdict.pass), (false, .fail)])
    func `a quote that the client requested when the one before had expired is shown later`(isRequested: Bool, expected: Verdict) throws {
        var bank = Make.bank
        bank.operations.append(.quote)
        let quote = "{quote: {intent: A, amount: \"10.00\", target: EUR}}"
        let steps = "[login, \(quote), {pay: {intent: A, amount: \"10.00\"}}, \(quote)]"
        let yaml = "needs: [login, pay, quote]\nsteps: \(steps)\nexpect: [{step: 4, outcome: ok}]"
        let instance = try #require(Make.instances(yaml, on: bank).first)
        func quoted(_ n: Int, seq: Int) -> JournalEntry {
            var entry = Make.exchange(n, seq: seq, at: Int64(n * 100 + 30), roles: ["quote"], status: 201)
            entry.receipt = Receipt(headBytes: 9, end: .kept)
            return entry
        }
        let evidence = Make.allWell {
            $0.steps[3]?.outcome = .error("rejected", detail: nil)
            $0.steps[4] = StepReport(.ok(view: ["rate": "1.1"]), started: 1_000_000_000, ended: 1_000_000_050)
            $0.journal = [Make.signIn, quoted(2, seq: 1), Make.exchange(3, seq: 2, roles: ["pay"], key: "a", status: 422)]
            if isRequested { $0.journal.append(quoted(3, seq: 3)) }
        }

        #expect(judge(instance, evidence).verdict == expected)
    }
}
