import BankModel
import Contracts
import DriverProtocol
import Testing

/// Payments that the customer authorises on the bank's page: whose they are, and what a client may report about them.
struct PagePaymentTests {
    private static let bank: BankFacts = {
        var bank = BankFacts(
            name: "toy", customers: [.init(login: "ava", password: "secret")],
            operations: [.login, .pay, .authorizeBegin, .authorizeFinish])
        bank.authorisesPayments = true
        return bank
    }()

    private static let order = "pay: {intent: A, amount: \"10.00\"}"

    /// A case that asks for A in step 2, visits its page in step 4, and shows it in step 6.
    private var pays: Instance? { pays(on: Self.bank) }

    private func pays(on bank: BankFacts) -> Instance? {
        let steps = "[login, \(Self.order), authorize_begin, browser: approve, authorize_finish, \(Self.order)]"
        return Make.instances(
            "needs: [login, pay, authorize_begin, authorize_finish]\nsteps: \(steps)\nexpect: [{ledger: {A: 1}}]", on: bank
        ).first
    }

    /// The bank has the payment in step 2, and makes it in the visit.
    private func evidence(_ amount: String = "10.00", _ changes: (inout Evidence) throws -> Void = { _ in }) throws -> Evidence {
        let arguments: JSON = ["amount": "10.00", "currency": "GBP", "from": "1", "to": "2"]
        var evidence = Evidence(
            steps: Make.steps([
                1: .ok(view: ["signed_in": true]), 2: .error("forbidden", detail: nil), 3: .ok(view: ["url": "u"]), 4: .done,
                5: .ok(view: ["signed_in": true]), 6: .ok(view: ["state": "accepted"]),
            ]))
        evidence.arguments = [2: arguments, 6: arguments]
        var initiation = Make.payment(2, key: nil)
        initiation.responseBody = Array(#"{"paymentId":"p-1"}"#.utf8)
        evidence.journal = [
            Make.exchange(1, token: nil), initiation, Make.exchange(4, token: nil, path: "/authorize", query: "payment=p-1"),
            Make.exchange(5, token: nil),
        ]
        evidence.movements = [try Make.movement(key: nil, amount: amount)]
        evidence.visits = [Evidence.PageVisit(step: 4, exchanges: [4], movements: ["m"])]
        try changes(&evidence)
        return evidence
    }

    private func verdict(_ evidence: Evidence) throws -> Verdict { judge(try #require(pays), evidence).verdict }

    @Test func `a payment that was made on the page is that of the request whose id the page names`() throws {
        let made = try evidence()
        let other = try evidence("9.99")

        #expect(try verdict(made) == .pass)
        #expect(try Make.broken(pays, made).isEmpty)
        let broken = try Make.broken(pays, other)
        #expect(broken.count == 1)
        #expect(broken.first?.hasPrefix("pays-what-was-wished: exchange 2 (POST /) moved 9.99 GBP") == true, "\(broken)")
    }

    @Test func `a payment of an unknown request is that of the only order`() throws {
        let made = try evidence { $0.journal[1].responseBody = [] }

        #expect(try verdict(made) == .pass)
        #expect(try Make.broken(pays, made).isEmpty)
    }

    @Test func `money that moved on no page, and under no key, is nobody's order`() throws {
        let stray = try evidence { $0.visits[0].movements = [] }

        #expect(try verdict(stray) == .fail)
    }

    @Test func `what is reported before the customer has decided is not about the payment that is made later`() throws {
        let rejected = StepOutcome.error("rejected", detail: nil)
        let early = try evidence { $0.steps[2] = StepReport(rejected, started: 200, ended: 250) }
        let late = try evidence { $0.steps[6] = StepReport(rejected, started: 600, ended: 650) }

        #expect(try Make.broken(pays, early).isEmpty)
        let broken = try Make.broken(pays, late)
        #expect(broken.count == 1)
        #expect(broken.first?.hasPrefix("result-shown-as-received: step 6 (pay A) reported `rejected`") == true, "\(broken)")
    }

    @Test func `a payment that is not made is no success`() throws {
        let unpaid = try evidence { evidence in
            evidence.movements = []
            evidence.visits[0].movements = []
        }

        #expect(try verdict(unpaid) == .fail)
        #expect(try Make.broken(pays, unpaid).count == 1)
    }

    @Test func `a client may send the payment when the customer comes back`() throws {
        let sent = try evidence { evidence in
            evidence.journal[3] = Make.payment(5, key: "k")
            evidence.movements = [try Make.movement(key: "k", amount: "10.00")]
            evidence.visits[0].movements = []
        }

        #expect(try verdict(sent) == .pass)
        #expect(try Make.broken(pays, sent).isEmpty)
    }

    @Test func `of two orders the client sends the one whose amount the request has`() throws {
        let steps = "[login, \(Self.order), pay: {intent: B, amount: \"12.00\"}, authorize_begin, browser: approve, authorize_finish]"
        let instance = try #require(
            Make.instances(
                "needs: [login, pay, authorize_begin, authorize_finish]\nsteps: \(steps)\nexpect: [{ledger: {A: 1, B: 0}}]", on: Self.bank
            ).first)
        let forbidden = StepOutcome.error("forbidden", detail: nil)
        var evidence = Evidence(
            steps: Make.steps([
                1: .ok(view: ["signed_in": true]), 2: forbidden, 3: forbidden, 4: .ok(view: ["url": "u"]), 5: .done,
                6: .ok(view: ["signed_in": true]),
            ]))
        evidence.arguments = [
            2: ["amount": "10.00", "currency": "GBP", "from": "1", "to": "2"],
            3: ["amount": "12.00", "currency": "GBP", "from": "1", "to": "2"],
        ]
        let payment = Make.payment(6, key: "k")
        evidence.journal = [payment]
        evidence.movements = [try Make.movement(key: "k")]

        #expect(Scene(instance, evidence).intent(of: payment) == "A")
        #expect(try !Make.broken(instance, evidence).contains { $0.hasPrefix("pays-what-was-wished") })
    }

    @Test func `a payment that awaits the customer may be reported as unknown`() throws {
        let doubtful = try evidence {
            $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil)
            $0.journal[1].receipt = Receipt(headBytes: 9, end: .kept)
        }

        #expect(try !Make.broken(pays, doubtful).contains { $0.hasPrefix("result-shown-as-received") })

        // Where the bank makes a payment at once, its response is final.
        var bank = Self.bank
        bank.authorisesPayments = false
        let needless = "result-shown-as-received: step 2 (pay A) reported `outcome_unknown`, although exchange 2 (POST /) was answered 201"
        #expect(try Make.broken(pays(on: bank), doubtful).contains { $0.hasPrefix(needless) })
    }

    @Test func `the page may return without a request of the client`() throws {
        let silent = try evidence { evidence in
            evidence.journal = Array(evidence.journal.dropLast())
        }

        #expect(try verdict(silent) == .pass)

        // Where no payment needs the page, it is that of a sign-in.
        var bank = Self.bank
        bank.authorisesPayments = false
        let signsIn = try #require(pays(on: bank))
        let whole = try evidence()
        #expect(judge(signsIn, whole).verdict == .pass)
        #expect(judge(signsIn, silent).verdict == .fail)
    }
}
