import BankModel
import Contracts
import DriverProtocol
import Testing

/// Payments match their intents, exist only for intents, and are reported correctly.
struct MovementInvariantTests {
    private let pays = Make.paying("{ledger: {A: 1, B: 1}}")

    /// A and B were paid, each under its own key, B as the movement shows.
    private func paid(_ second: Movement) throws -> Evidence {
        try Make.orders {
            $0.journal = [Make.payment(2, key: "a"), Make.payment(3, key: "b")]
            $0.movements = [try Make.movement(key: "a"), second]
        }
    }

    @Test func `what was ordered is paid`() throws {
        let evidence = try paid(Make.movement(key: "b"))

        #expect(try Make.broken(pays, evidence).isEmpty)
        #expect(try Set(Make.held(pays, evidence)).isSuperset(of: ["pays-what-was-wished", "no-unrequested-payments"]))
    }

    @Test(arguments: [("offline", 0), ("outcome_unknown", 0), ("rejected", 2), ("cancelled", 2)])
    func `an order that was stored may be sent later, unless its user was told that it has ended`(error: String, count: Int) throws {
        let evidence = try Make.orders {
            $0.steps[2]?.outcome = .error(error, detail: nil)
            var later = Make.payment(9, key: "a")
            later.monoNanoseconds = 1_000_000_000
            $0.journal = [Make.payment(3, key: "b"), later]
            $0.movements = [try Make.movement(key: "a"), try Make.movement(key: "b")]
        }
        let broken = try Make.broken(pays, evidence)

        #expect(broken.count == count, "\(broken)")
    }

    @Test func `a payment of a waiting order is not the round-up that runs`() throws {
        let bank = BankFacts(name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .pay, .roundUp])
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, round_up: {intent: R}]"
        let instance = try #require(
            Make.instances("needs: [login, pay, round_up]\nsteps: \(steps)\nexpect: [{ledger: {A: 1}}]", on: bank).first)
        let payment = Make.payment(3, key: "a")
        let evidence = Make.orders {
            $0.steps[2]?.outcome = .error("offline", detail: nil)
            $0.journal = [payment]
        }

        #expect(Scene(instance, evidence).intent(of: payment) == "A")
        // The sum of the round-up may be the amount of the order that waits.
        var shown = evidence
        shown.steps[3]?.outcome = .ok(view: ["amount": "10.00", "currency": "GBP", "payment": "a"])
        #expect(Scene(instance, shown).intent(of: payment) == "R")
        shown.steps[3]?.outcome = .ok(view: ["amount": "10.00", "currency": "GBP", "payment": "b"])
        #expect(Scene(instance, shown).intent(of: payment) == "A")
    }

    @Test func `a payment whose exchange was dropped has no result`() throws {
        var evidence = try paid(Make.movement(key: "b", amount: "9.99"))
        evidence.journal.removeLast()
        #expect(!(try Make.broken(pays, evidence).isEmpty))

        evidence.dropped = 1

        #expect(try Make.broken(pays, evidence).isEmpty)
        #expect(try Make.held(pays, evidence).contains("same-wish-same-body"))
        evidence.journal[0].query = "access_token=token#1"
        #expect(try Make.broken(pays, evidence).map { $0.prefix(20) } == ["no-secret-in-address"])
    }

    @Test(arguments: [
        ("9.99", "GBP", "1", "2"), ("10.01", "GBP", "1", "2"), ("10.00", "EUR", "1", "2"), ("10.00", "GBP", "3", "2"),
        ("10.00", "GBP", "1", "4"),
    ])
    func `amount, currency, source and payee must be those of the payment order`(
        amount: String, currency: String, from: String, to: String
    ) throws {
        let broken = try Make.broken(pays, try paid(Make.movement(key: "b", amount: amount, currency: currency, from: from, to: to)))

        #expect(broken.count == 1)
        #expect(broken.first?.hasPrefix("pays-what-was-wished: exchange 3 (POST /) moved \(amount)") == true, "\(broken)")
    }

    @Test func `a corrected payment order is paid in its last form`() throws {
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, pay: {intent: A, amount: \"12.00\"}]"
        let instance = Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{ledger: {A: 1}}]").first
        func evidence(_ amount: String) throws -> Evidence {
            try Make.orders {
                $0.steps[2]?.outcome = .error("rejected", detail: nil)
                $0.arguments[3] = ["amount": "12.00", "currency": "GBP", "from": "1", "to": "2"]
                $0.journal = [Make.payment(3, key: "b")]
                $0.movements = [try Make.movement(key: "b", amount: amount)]
            }
        }

        #expect(try Make.broken(instance, try evidence("12.00")).isEmpty)
        #expect(try Make.broken(instance, try evidence("10.00")).contains { $0.hasPrefix("pays-what-was-wished") })
    }

    @Test(arguments: [("outcome_unknown", "10.00", true), ("outcome_unknown", "11.00", false), ("rejected", "10.00", false)])
    func `a payment that may have been made is finished in the form in which it was sent`(
        first: String, amount: String, isAsOrdered: Bool
    ) throws {
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, pay: {intent: A, amount: \"12.00\"}]"
        let instance = Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{step: 1, outcome: ok}]").first
        let evidence = try Make.orders {
            $0.steps[2]?.outcome = .error(first, detail: nil)
            $0.steps[3]?.outcome = .error("outcome_unknown", detail: nil)
            $0.arguments[3] = ["amount": "12.00", "currency": "GBP", "from": "1", "to": "2"]
            $0.journal = [Make.payment(2, key: "a"), Make.payment(3, key: "a")]
            $0.journal[0].committed = false
            $0.journal[0].customer = nil
            $0.journal[1].receipt = Receipt(headBytes: 9, end: .kept)
            $0.movements = [try Make.movement(key: "a", amount: amount)]
        }

        let broken = try Make.broken(instance, evidence)

        #expect(broken.contains { $0.hasPrefix("pays-what-was-wished") } != isAsOrdered, "\(broken)")
        // What the bank has answered is not the order that the second step asks for.
        #expect(!broken.contains { $0.hasPrefix("result-shown-as-received") }, "\(broken)")
    }

    @Test(arguments: [("12.00", true), ("11.00", false)])
    func `a key that two customers have sent is a payment of each`(amount: String, isAsOrdered: Bool) throws {
        let customers = [BankFacts.Customer(login: "ava", password: "secret"), BankFacts.Customer(login: "ben", password: "secret")]
        let bank = BankFacts(name: "toy", customers: customers, operations: [.login, .pay])
        let pays = ["10.00", "12.00"].map { "pay: {intent: A, amount: \"\($0)\"}" }
        let steps = "[login, \(pays[0]), login: {user: ben}, \(pays[1])]"
        let instance = Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{step: 1, outcome: ok}]", on: bank).first
        let evidence = try Make.orders {
            $0.steps = Make.steps([1: .ok(view: [:]), 2: .ok(view: [:]), 3: .ok(view: [:]), 4: .ok(view: [:])])
            $0.arguments[3] = nil
            $0.arguments[4] = ["amount": "12.00", "currency": "GBP", "from": "1", "to": "2"]
            $0.journal = [Make.payment(2, key: "a"), Make.payment(4, key: "a")]
            $0.journal[1].customer = "ben"
            $0.movements = [try Make.movement(key: "a"), try Make.movement(key: "a", amount: amount)]
            $0.movements[1].customer = "ben"
        }

        let broken = try Make.broken(instance, evidence).filter { $0.hasPrefix("pays-what-was-wished") }

        #expect(broken.isEmpty == isAsOrdered, "\(broken)")
        #expect(broken.allSatisfy { $0.hasPrefix("pays-what-was-wished: exchange 4 (POST /) moved 11.00") }, "\(broken)")
    }

    @Test(arguments: [("4.44", true), ("2.30", false)])
    func `two customers may have a round-up of one name`(amount: String, isAsShown: Bool) throws {
        let customers = [BankFacts.Customer(login: "ava", password: "secret"), BankFacts.Customer(login: "ben", password: "secret")]
        let bank = BankFacts(name: "toy", customers: customers, operations: [.login, .roundUp])
        let steps = "[login: {user: ben}, round_up: {intent: A}, login, round_up: {intent: A}]"
        let instance = Make.instances("needs: [login, round_up]\nsteps: \(steps)\nexpect: [{step: 1, outcome: ok}]", on: bank).first
        let evidence = try Make.orders {
            $0.steps = Make.steps([
                1: .ok(view: [:]), 2: .ok(view: ["amount": "2.30", "currency": "GBP"]), 3: .ok(view: [:]),
                4: .ok(view: ["amount": "4.44", "currency": "GBP"]),
            ])
            $0.arguments = [2: ["account": "1", "goal": "2"], 4: ["account": "1", "goal": "2"]]
            $0.journal = [Make.payment(2, key: "a"), Make.payment(4, key: "b")]
            $0.journal[0].customer = "ben"
            $0.movements = [try Make.movement(key: "a", amount: "2.30"), try Make.movement(key: "b", amount: amount)]
            $0.movements[0].customer = "ben"
        }

        let broken = try Make.broken(instance, evidence)

        #expect(broken.contains { $0.hasPrefix("pays-what-was-wished") } != isAsShown, "\(broken)")
    }

    @Test func `a round-up moves the sum that was shown`() throws {
        let bank = BankFacts(name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .roundUp])
        let instance = Make.instances(
            "needs: [login, round_up]\nsteps: [login, round_up: {intent: A}]\nexpect: [{ledger: {A: 1}}]", on: bank
        ).first
        func evidence(_ amount: String) throws -> Evidence {
            try Make.orders {
                $0.steps[2]?.outcome = .ok(view: ["amount": "1.58", "currency": "GBP"])
                $0.steps[3] = nil
                $0.arguments = [2: ["account": "1", "goal": "2"]]
                $0.journal = [Make.payment(2, key: "a")]
                $0.movements = [try Make.movement(key: "a", amount: amount)]
            }
        }

        #expect(try Make.broken(instance, try evidence("1.58")).isEmpty)
        #expect(try Make.broken(instance, try evidence("1.57")).first?.hasPrefix("pays-what-was-wished") == true)
    }

    @Test func `money that nobody ordered is reported`() throws {
        let evidence = try Make.orders {
            $0.journal = [Make.payment(1, key: "x"), Make.payment(2, key: "a"), Make.payment(3, key: "b")]
            $0.movements = try ["x", "a", "b"].map { try Make.movement(key: $0) }
        }

        #expect(
            try Make.broken(pays, evidence) == [
                "no-unrequested-payments: exchange 1 (POST /) moved 10.00 GBP to 2 without a payment order of the case"
            ])
    }

    /// The client has waited long enough, and its request is still on its way.
    @Test func `a request that the bank reads after the step has failed belongs to its order`() throws {
        var evidence = try Make.orders {
            $0.journal = [Make.payment(3, key: "b"), Make.payment(2, seq: 4, key: "a")]
            $0.journal[1].monoNanoseconds = 100_000_000
            $0.movements = try ["b", "a"].map { try Make.movement(key: $0) }
        }
        let reported = "no-unrequested-payments: exchange 4 (POST /) moved 10.00 GBP to 2 without a payment order of the case"
        #expect(try Make.broken(pays, evidence).contains(reported))

        evidence.steps[2]?.outcome = .error("outcome_unknown", detail: nil)
        #expect(try !Make.broken(pays, evidence).contains(reported))

        // A client with an outbox may send an order for the first time at any time later.
        evidence.journal[1].monoNanoseconds = 1_000_000_000
        #expect(try !Make.broken(pays, evidence).contains(reported))

        evidence.journal[1].monoNanoseconds = 100_000_000
        evidence.journal[1].requestBody = Array(#"{"amount":"3.00"}"#.utf8)
        #expect(try Make.broken(pays, evidence).contains(reported), "another order's amount")
    }

    @Test func `a late request that the bank reads during the next payment belongs to its order`() throws {
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, pay: {intent: B, amount: \"12.00\"}]"
        let instance = Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{ledger: {A: 1, B: 1}}]").first
        var evidence = try Make.orders {
            $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil)
            $0.arguments[3] = ["amount": "12.00", "currency": "GBP", "from": "1", "to": "2"]
            $0.journal = [Make.payment(3, key: "a"), Make.payment(3, seq: 4, key: "b", body: #"{"amount":"12.00"}"#)]
            $0.movements = [try Make.movement(key: "a"), try Make.movement(key: "b", amount: "12.00")]
        }
        let reported = "no-unrequested-payments: the client paid payment order B 2 times"
        #expect(try !Make.broken(instance, evidence).contains { $0.hasPrefix(reported) || $0.hasPrefix("pays-what-was-wished") })

        evidence.steps[2]?.outcome = .ok(view: [:])
        #expect(try Make.broken(instance, evidence).contains { $0.hasPrefix(reported) }, "a step that has its result awaits no request")
    }

    /// A request that does not name the amount belongs to an order only if a step of that order has just failed.
    @Test(
        arguments: [
            ("{\"amount\":\"10.00\"}", "outcome_unknown", 240_000_000, true), ("{}", "outcome_unknown", 240_000_000, true),
            ("{}", nil, 240_000_000, false), ("{}", "outcome_unknown", 1_000_000_000, false),
        ] as [(String, String?, Int64, Bool)])
    func `a late request of a resumed payment belongs to its order`(body: String, error: String?, at: Int64, isOfOrder: Bool) throws {
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, resume: {intent: A}]"
        let bank = BankFacts(name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .pay, .resume])
        let instance = Make.instances("needs: [login, pay, resume]\nsteps: \(steps)\nexpect: [{ledger: {A: 1}}]", on: bank).first
        let evidence = try Make.orders {
            $0.steps[2]?.outcome = .error("offline", detail: nil)
            if let error { $0.steps[3]?.outcome = .error(error, detail: nil) }
            $0.arguments[3] = [:]
            $0.journal = [Make.payment(3, key: "a", body: body)]
            $0.journal[0].monoNanoseconds = at
            $0.movements = [try Make.movement(key: "a")]
        }

        let broken = try Make.broken(instance, evidence)

        #expect(broken.contains { $0.hasPrefix("no-unrequested-payments") } != isOfOrder, "\(broken)")
    }

    @Test func `a payment order that moves money twice is reported`() throws {
        let evidence = try Make.orders {
            $0.journal = [Make.payment(2, key: "a"), Make.payment(2, seq: 4, key: "c"), Make.payment(3, key: "b")]
            $0.movements = try ["a", "c", "b"].map { try Make.movement(key: $0) }
        }

        #expect(try Make.broken(pays, evidence) == ["no-unrequested-payments: the client paid payment order A 2 times, under 2 keys"])
    }

    @Test(arguments: [(2, false), (3, true)])
    func `of round-ups at once each may have one of the payments`(count: Int, isReported: Bool) throws {
        let bank = BankFacts(name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .roundUp])
        let steps = "[login, together: [round_up: {intent: A}, round_up: {intent: B}]]"
        let instance = Make.instances("needs: [login, round_up]\nsteps: \(steps)\nexpect: [{ledger: {A: 1, B: 1}}]", on: bank).first
        let keys = ["a", "b", "c"].prefix(count)
        let evidence = try Make.orders {
            $0.steps[3] = $0.steps[2]
            $0.journal = keys.enumerated().map { Make.payment(2, seq: $0 + 2, key: $1) }
            $0.movements = try keys.map { try Make.movement(key: $0) }
        }

        let broken = try Make.broken(instance, evidence)

        #expect(broken.contains { $0.hasPrefix("no-unrequested-payments") } == isReported, "\(broken)")
        #expect(!broken.contains { $0.hasPrefix("result-shown-as-received") }, "\(broken)")
    }

    @Test func `success without a movement is a false report`() throws {
        let evidence = try Make.orders {
            $0.journal = [Make.payment(2, key: "a")]
            $0.movements = [try Make.movement(key: "a")]
        }

        #expect(
            try Make.broken(pays, evidence) == [
                "result-shown-as-received: step 3 (pay B) reported success, but the bank did not execute payment order B"
            ])
    }

    @Test(arguments: ["rejected", "cancelled", "offline", "tls"])
    func `what was carried out is never reported as rejected or unsent`(error: String) throws {
        var evidence = try paid(Make.movement(key: "b"))
        evidence.steps[3]?.outcome = .error(error, detail: nil)

        #expect(
            try Make.broken(pays, evidence) == [
                "result-shown-as-received: step 3 (pay B) reported `\(error)`, but 10.00 GBP moved in exchange 3 (POST /)"
            ])
    }

    @Test func `a final answer is never reported as unknown`() throws {
        var evidence = try paid(Make.movement(key: "b"))
        evidence.steps[3]?.outcome = .error("outcome_unknown", detail: nil)
        evidence.journal[1].receipt.headBytes = 100
        let doubted = try Make.broken(pays, evidence)
        evidence.journal[1].receipt.end = .rst
        let torn = try Make.broken(pays, evidence)
        evidence.journal[1].receipt.end = .goaway
        let announced = try Make.broken(pays, evidence)
        evidence.journal[1].receipt.end = .kept
        evidence.journal[1].durationMicroseconds = 1
        let answeredLater = try Make.broken(pays, evidence)

        #expect(
            doubted == [
                "result-shown-as-received: step 3 (pay B) reported `outcome_unknown`, although exchange 3 (POST /) was answered 201"
            ])
        #expect(torn.isEmpty)
        #expect(announced.isEmpty)
        #expect(answeredLater.isEmpty, "an outbox sends it while the step ends")
    }

    @Test func `a payment that the user cancelled may be reported as unknown, whatever the bank sent`() throws {
        let pays = "pay: {intent: A, amount: \"10.00\"}, together: [pay: {intent: B, amount: \"10.00\"}, cancel: 3]"
        let instance = Make.instances("needs: [login, pay]\nsteps: [login, \(pays)]\nexpect: [{ledger: {A: 1, B: 1}}]").first
        var evidence = try paid(Make.movement(key: "b"))
        evidence.steps[3]?.outcome = .error("outcome_unknown", detail: nil)
        evidence.journal[1].receipt.headBytes = 100
        let doubted = try Make.broken(instance, evidence)
        evidence.steps[3]?.outcome = .error("rejected", detail: nil)
        let denied = try Make.broken(instance, evidence)

        #expect(doubted.isEmpty)
        #expect(denied.count == 1, "the bank made it")
    }

    @Test(arguments: [("write", 0, true), ("nothing", 0, false), ("write", 1, false)])
    func `a client whose files fail may lose a final answer`(what: String, later: Int64, mayDoubt: Bool) throws {
        let pays = "pay: {intent: A, amount: \"10.00\"}, together: [pay: {intent: B, amount: \"10.00\"}, disk: {refuses: \(what)}]"
        let instance = Make.instances("needs: [login, pay]\nsteps: [login, \(pays)]\nexpect: [{ledger: {A: 1, B: 1}}]").first
        var evidence = try paid(Make.movement(key: "b"))
        evidence.journal[1].receipt.headBytes = 100
        evidence.steps[4] = evidence.steps[3]
        let ended = try #require(evidence.steps[3]?.ended)
        evidence.steps[4]?.started = ended + later
        evidence.steps[3]?.outcome = .error("outcome_unknown", detail: nil)

        #expect(try Make.broken(instance, evidence).isEmpty == mayDoubt)
    }

    @Test func `a client need not know the state in the response to an optional payment`() throws {
        var evidence = try paid(Make.movement(key: "b"))
        evidence.steps[3]?.outcome = .error("outcome_unknown", detail: nil)
        evidence.journal[1].receipt.headBytes = 100
        let optional = try Make.broken(Make.paying("{control: 3, otherwise: not-exercised}"), evidence)
        let needed = try Make.broken(Make.paying("{control: 3}"), evidence)
        evidence.steps[3]?.outcome = .error("rejected", detail: nil)
        let denied = try Make.broken(Make.paying("{control: 3, otherwise: not-exercised}"), evidence)

        #expect(optional.isEmpty)
        #expect(needed.count == 1)
        #expect(denied.count == 1, "the bank made it")
    }

    @Test(arguments: ["no-unrequested-payments", "pays-only-wishes"])
    func `an exempt case is not tested, also under the name of before`(invariant: String) throws {
        let yaml = "needs: [login]\nsteps: [login]\nexpect: [{step: 1, outcome: ok}]"
        let exempt = Make.instances("exempt: [\(invariant), \"two are meant\"]\n\(yaml)").first
        let evidence = try Make.orders {
            $0.journal = [Make.payment(1, key: "x")]
            $0.movements = [try Make.movement(key: "x")]
        }

        #expect(try Make.broken(exempt, evidence).isEmpty)
        let broken = try Make.broken(Make.instances(yaml).first, evidence)
        #expect(broken.count == 1)
        #expect(broken.first?.hasPrefix("no-unrequested-payments") == true, "\(broken)")
    }
}
