import BankModel
import Contracts
import DriverProtocol
import Testing

@Suite struct PaymentPredicateTests {
    /// The verdict on a run in which A (step 2) and B (step 3) made these exchanges and movements.
    private func verdict(_ instance: Instance?, _ exchanges: [JournalEntry], _ movements: [Movement] = []) throws -> Verdict {
        let evidence = Make.allWell {
            $0.journal = [Make.exchange(1)] + exchanges
            $0.movements = movements
        }
        return judge(try #require(instance), evidence).verdict
    }

    private func pay(_ step: Int, _ key: String?, sha: String = "s", at offset: Int64 = 10, seq: Int) -> JournalEntry {
        Make.exchange(step, seq: seq, at: Int64(step * 100) + offset, roles: ["pay"], key: key, sha: sha)
    }

    @Test func `attempts of one intent share key and bytes`() throws {
        let instance = Make.paying("{same: [key, body_sha256], within: intent}")

        #expect(try verdict(instance, [pay(2, "k1", seq: 2), pay(2, "k1", at: 20, seq: 3), pay(3, "k2", seq: 4)]) == .pass)
        #expect(try verdict(instance, [pay(2, "k1", seq: 2), pay(2, "k9", at: 20, seq: 3), pay(3, "k2", seq: 4)]) == .fail)
        #expect(try verdict(instance, [pay(2, "k1", seq: 2), pay(2, "k1", sha: "t", at: 20, seq: 3), pay(3, "k2", seq: 4)]) == .fail)
    }

    @Test func `bodies of which the journal has too little to compare them are undecided`() throws {
        let instance = Make.paying("{same: [key, body], within: intent}")
        func verdict(_ change: (inout JournalEntry) -> Void) throws -> Verdict {
            var attempts = [pay(2, "k1", sha: "s", seq: 2), pay(2, "k1", sha: "t", at: 20, seq: 3)]
            for index in attempts.indices {
                attempts[index].requestBody = Array("{\"n\":\(index)}".utf8)
                attempts[index].bodyBytes = attempts[index].requestBody.count
                change(&attempts[index])
            }
            return try self.verdict(instance, attempts + [pay(3, "k2", seq: 4)])
        }

        #expect(try verdict { _ in } == .fail)
        #expect(try verdict { $0.bodyBytes = JournalEntry.storedBodyBytes + 1 } == .inconclusive)
        #expect(try verdict { $0.requestBody = Array("{\"pin\":\"\(SecretFields.mark)\"}".utf8) } == .inconclusive)
        #expect(try verdict { $0.requestHeaders = [JournalEntry.Header("Content-Encoding", "gzip")] } == .inconclusive)
    }

    @Test func `intents do not share a key`() throws {
        let instance = Make.paying("{distinct: [key], across: intent}")

        #expect(try verdict(instance, [pay(2, "k1", seq: 2), pay(3, "k2", seq: 3)]) == .pass)
        #expect(try verdict(instance, [pay(2, "k1", seq: 2), pay(3, "k1", seq: 3)]) == .fail)
        #expect(try verdict(instance, [pay(2, nil, seq: 2), pay(3, "k2", seq: 3)]) == .fail)
    }

    @Test func `money moves once for each intent`() throws {
        let instance = Make.paying("{ledger: {A: 1, B: 0..1}}")
        let exchanges = [pay(2, "k1", seq: 2), pay(3, "k2", seq: 3)]

        #expect(try verdict(instance, exchanges, [try Make.movement(key: "k1"), try Make.movement(key: "k2")]) == .pass)
        #expect(try verdict(instance, exchanges, [try Make.movement(key: "k1")]) == .pass)
        #expect(try verdict(instance, exchanges, [try Make.movement(key: "k2")]) == .fail)
        #expect(try verdict(instance, exchanges, [try Make.movement(key: "k1"), try Make.movement(key: "k1")]) == .fail)
        #expect(try verdict(instance, exchanges, [try Make.movement(key: "k1"), try Make.movement(key: "k1", state: .rejected)]) == .pass)
    }

    @Test func `a payment too many is named for what it is`() throws {
        func mistake(_ allowed: String, _ keys: [String]) throws -> Finding.Mistake? {
            let exchanges = keys.enumerated().map { pay(2, $1, seq: $0 + 2) }
            let evidence = try Make.allWell {
                $0.journal = [Make.exchange(1)] + exchanges + [pay(3, "kB", seq: 9)]
                $0.movements = try keys.map { try Make.movement(key: $0) }
            }
            return try judge(#require(Make.paying("{ledger: {A: \(allowed)}}")), evidence).reasons.first?.finding.mistake
        }

        #expect(try mistake("1", ["k1", "k9"]) == .newKey)
        #expect(try mistake("1", ["k1", "k1"]) == .paidTwice)
        #expect(try mistake("0", ["k1", "k9"]) == .newKey)
        // One payment where the case allows none is none too many of the same.
        #expect(try mistake("0", ["k1"]) == nil)
        #expect(try mistake("1", []) == nil)
    }

    @Test func `money that moves for no intent fails`() throws {
        let instance = Make.paying("{ledger: {A: 1}}")

        #expect(
            try verdict(
                instance, [pay(2, "k1", seq: 2), pay(3, "k2", seq: 3)], [try Make.movement(key: "k1"), try Make.movement(key: nil)])
                == .fail)
    }

    @Test func `a second attempt under a new key still counts for the intent`() throws {
        let instance = Make.paying("{ledger: {A: 1, B: 1}}")
        let exchanges = [pay(2, "k1", seq: 2), pay(2, "k9", at: 20, seq: 3), pay(3, "k2", seq: 4)]

        #expect(
            try verdict(instance, exchanges, [try Make.movement(key: "k1"), try Make.movement(key: "k9"), try Make.movement(key: "k2")])
                == .fail)
    }

    @Test func `a case about a rejected payment is not exercised if the bank by itself executes it`() throws {
        let instance = Make.paying("{step: 3, error: rejected}", "{ledger: {A: 1, B: 0}}")
        let exchanges = [pay(2, "k1", seq: 2), pay(3, "k2", seq: 3)]
        let movements = try ["k1", "k2"].map { try Make.movement(key: $0) }

        #expect(try verdict(instance, exchanges, movements) == .notExercised)
        // The bank rejected it, and the client shows it as paid.
        #expect(try verdict(instance, exchanges, [try Make.movement(key: "k1")]) == .fail)
        #expect(try verdict(Make.paying("{step: 3, error: outcome_unknown}"), exchanges, movements) == .fail)
    }

    @Test func `a payment that the case makes the bank reject must not be shown as paid`() throws {
        let rejection = "{fault: {dialect: {name: insufficient-funds}}, on: {role: pay}, times: 1}"
        let steps = "[login, \(rejection), pay: {intent: A, amount: \"10.00\"}]"
        let instance = try #require(
            Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{step: 3, error: rejected}]").first)
        let armed = try #require(Make.rule(rejection, applied: 1, step: 2))
        let evidence = try Make.allWell {
            $0.rules = [armed]
            $0.journal = [Make.exchange(1), pay(3, "k1", seq: 2)]
            $0.movements = [try Make.movement(key: "k1")]
        }

        #expect(judge(instance, evidence).verdict == .fail)
    }

    @Test(arguments: ["7.50", #"\u0037.50"#]) func `intents at once are distinguished by amount`(written: String) throws {
        let steps = "[login, together: [pay: {intent: A, amount: \"10.00\"}, pay: {intent: B, amount: \"7.50\"}]]"
        let instance = try #require(
            Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{ledger: {A: 1, B: 1}}]").first)
        var first = pay(2, "kB", at: 30, seq: 2)
        var second = pay(2, "kA", at: 40, seq: 3)
        first.requestBody = Array(#"{"amount":{"amount":"\#(written)"}}"#.utf8)
        second.requestBody = Array(#"{"minorUnits":1000}"#.utf8)
        let evidence = try Make.allWell {
            $0.steps[3] = StepReport(.ok(view: [:]), started: 210, ended: 250)
            $0.journal = [Make.exchange(1), first, second]
            $0.movements = [try Make.movement(key: "kA"), try Make.movement(key: "kB")]
        }

        let scene = Scene(instance, evidence)

        #expect(scene.intent(of: first) == "B")
        #expect(scene.intent(of: second) == "A")
        #expect(judge(instance, evidence).verdict == .pass)
    }

    /// A (step 2) and B (step 3) run at once.
    private func together(
        _ orders: [String], _ exchanges: [JournalEntry], _ ledger: String = "{A: 1, B: 1}", _ changes: (inout Evidence) throws -> Void
    ) throws -> Verdict {
        var bank = Make.bank
        bank.operations.append(.roundUp)
        let steps = "[login, together: [\(orders.joined(separator: ", "))]]"
        let yaml = "needs: [login, pay, round_up]\nsteps: \(steps)\nexpect: [{ledger: \(ledger)}, {same: [key], within: intent}]"
        let instance = try #require(Make.instances(yaml, on: bank).first)
        let evidence = try Make.allWell {
            $0.steps[3] = StepReport(.ok(view: [:]), started: 210, ended: 250)
            $0.journal = [Make.exchange(1)] + exchanges
            $0.movements = try exchanges.map { try Make.movement(key: $0.key) }
            try changes(&$0)
        }
        return judge(instance, evidence).verdict
    }

    private let pays = ["pay: {intent: A, amount: \"10.00\"}", "pay: {intent: B, amount: \"11.00\"}"]
    private let roundUps = ["round_up: {intent: A}", "round_up: {intent: B}"]

    private func pay(_ key: String, body: String, at offset: Int64, seq: Int) -> JournalEntry {
        var payment = pay(2, key, at: offset, seq: seq)
        payment.requestBody = Array(body.utf8)
        return payment
    }

    @Test(arguments: [
        // The numbers of a date are no amounts.
        (#"{"amount":"10.00","day":"2026-11-10"}"#, #"{"amount":"11.00","day":"2026-11-10"}"#),
        (#"{"minorUnits":1000.0}"#, #"{"minorUnits":1.1e3}"#),
        // What the bank has moved tells them apart.
        (#"{"amount":"10.00","from":"10","to":"11"}"#, #"{"amount":"11.00","from":"10","to":"11"}"#),
        ("unreadable", "unreadable"),
    ])
    func `orders at once are distinguished however a client writes their amounts`(first: String, second: String) throws {
        let payments = [pay("kA", body: first, at: 30, seq: 2), pay("kB", body: second, at: 40, seq: 3)]

        let verdict = try together(pays, payments) {
            $0.movements[1].amount = try Money(major: "11.00", currency: $0.movements[0].amount.currency)
        }

        #expect(verdict == .pass)
    }

    @Test func `which of two round-ups at once was paid too often is undecided, unless a step shows its payment`() throws {
        let body = #"{"amount":"10.00"}"#
        var payments = [pay("kA", body: body, at: 30, seq: 2), pay("kB", body: body, at: 35, seq: 3)]
        payments[1].responseBody = Array(#"{"id":"p2"}"#.utf8)

        #expect(try together(roundUps, payments) { _ in } == .pass)
        #expect(try together(roundUps, payments, "{A: 2, B: 0}") { _ in } == .inconclusive)
        #expect(try together(roundUps, payments, "{A: 2, B: 0}") { $0.steps[3]?.outcome = .ok(view: ["payment": "p2"]) } == .fail)
        #expect(try together(roundUps, [payments[0]]) { _ in } == .fail)
        payments.append(pay("kC", body: body, at: 40, seq: 4))
        #expect(try together(roundUps, payments) { _ in } == .fail)
    }

    @Test func `a key of an order that may be another one is not its second key`() throws {
        let payments = ["kA", "kB", "kC"].enumerated().map { pay($1, body: #"{"amount":"10.00"}"#, at: 30 + Int64($0), seq: $0 + 2) }

        #expect(try together(roundUps, payments) { $0.movements.removeLast() } == .inconclusive)
        #expect(try together(pays, payments) { $0.movements.removeLast() } == .fail)
    }

    @Test(arguments: [(2, Verdict.inconclusive), (3, .fail)])
    func `a waiting order may be sent while another with its amount runs`(count: Int, expected: Verdict) throws {
        let payments = (1...count).map { (n: Int) -> JournalEntry in
            var payment = pay(3, "k\(n)", at: 10 + Int64(n), seq: n + 1)
            payment.requestBody = Array(#"{"amount":"10.00"}"#.utf8)
            return payment
        }
        let evidence = try Make.allWell {
            $0.steps[2]?.outcome = .error("offline", detail: nil)
            $0.journal = [Make.exchange(1)] + payments
            $0.movements = try payments.map { try Make.movement(key: $0.key) }
        }

        let verdict = judge(try #require(Make.paying("{ledger: {A: 0, B: 2}}")), evidence).verdict

        #expect(verdict == expected)
    }
}
