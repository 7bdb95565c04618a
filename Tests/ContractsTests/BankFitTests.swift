import BankModel
import Contracts
import DriverProtocol
import Testing

/// Which cases say something on a bank: not those about a distinction that the bank does not make, nor those for which it has no row.
@Suite struct BankFitTests {
    private let two = BankFacts(
        name: "toy", customers: [.init(login: "ava", password: "secret"), .init(login: "ben", password: "staple")],
        operations: [.login, .accounts, .pay, .roundUp])

    private func hello(_ operations: DriverOperation...) -> DriverHello {
        DriverHello(nonce: "", client: "c", banks: nil, operations: operations.map(\.rawValue), features: [])
    }

    @Test(arguments: ["fault: {dialect: {name: consent-expired}}", "tokens: downscope"])
    func `a case about a response that means two things is none of the bank's cases`(_ step: String) {
        let about = "needs: [login, accounts]\nsteps: [login, accounts, \(step), accounts]\nexpect: [{control: 2}]"
        var bank = two

        #expect(Make.instances(about, on: bank).count == 1)
        bank.indistinct = [.consentExpired, .scopeRefused]
        #expect(Make.instances(about, on: bank).isEmpty)
        bank.indistinct = [.stepUp, .keyInFlight]
        #expect(Make.instances(about, on: bank).count == 1)
    }

    @Test func `a 403 whose words say nothing is forbidden, and no expired consent`() {
        #expect(DialectResponseName.consentExpired.contrary.isSuperset(of: [.scopeRefused, .stepUp]))
        #expect(DialectResponseName.scopeRefused.contrary.isDisjoint(with: [.consentExpired, .stepUp]))
    }

    @Test func `a customer without a second account is asked for no payment`() throws {
        let steps = "needs: [login, pay]\nsteps: [login, {login: {user: $other}}, {pay: {intent: A, amount: \"1.00\"}}]"
        var bank = two
        bank.unfilled = [(login: "ben", operation: .pay, argument: "to")]
        func reason(_ yaml: String) throws -> String? {
            try #require(Make.instances(yaml + "\nexpect: [{step: 1, outcome: ok}]", on: bank).first).unsupported(by: hello(.login, .pay))
        }

        #expect(try reason(steps)?.hasPrefix("the customer ben of the bank toy has no second account or payee") == true)
        #expect(try reason(steps.replacing("amount:", with: "to: a2, amount:")) == nil)
        #expect(try reason(steps.replacing("{login: {user: $other}}, ", with: "")) == nil)
    }

    @Test func `where customers authorise payments on a page, only a case in which they visit one pays`() {
        let order = "pay: {intent: A, amount: \"1.00\"}"
        let pays = "needs: [login, pay]\nsteps: [login, \(order)]\nexpect: [{ledger: {A: 1}}]"
        let visits =
            "needs: [login, pay, authorize_begin, authorize_finish]\n"
            + "steps: [login, \(order), authorize_begin, browser: approve, authorize_finish]\nexpect: [{ledger: {A: 1}}]"
        var bank = two
        bank.operations += [.authorizeBegin, .authorizeFinish]

        #expect(Make.instances(pays, on: bank).count == 1)
        bank.authorisesPayments = true
        #expect(Make.instances(pays, on: bank).isEmpty)
        #expect(Make.instances(visits, on: bank).count == 1)
    }

    /// How many digits a client shows is the currency's to say.
    @Test(arguments: [("{view: expected}", "24.5"), ("{view: {balance: \"24.50\"}}", "24.5"), ("{view: expected}", "24.51")])
    func `without a currency amounts are compared by value`(_ ending: String, _ shown: String) throws {
        let yaml = "needs: [login, balance]\nsteps: [login, balance]\nexpect: [{step: 2, any: [\(ending)]}]"
        let instance = try #require(Make.instances(yaml).first)
        func verdict(_ expected: JSON) -> Verdict {
            judge(
                instance,
                Make.allWell {
                    $0.steps[2]?.outcome = .ok(view: ["balance": .string(shown)])
                    $0.expected = [.balance: expected]
                }
            ).verdict
        }

        #expect(verdict(["balance": "24.50"]) == (shown == "24.5" ? .pass : .fail))
        #expect(verdict(["balance": "24.50", "currency": "GBP"]) == .fail)
    }

    @Test func `a client without a sign-in reads what the bank shows to anyone`() throws {
        let reading = "needs: [accounts]\nsteps: [login, accounts]\nexpect: [{step: 2, view: expected}]"
        var bank = two
        func fitting(_ yaml: String) throws -> Instance { try #require(Make.instances(yaml, on: bank).first).fitting(hello(.accounts)) }

        #expect(try fitting(reading).unsupported(by: hello(.accounts)) == "the client does not support the operation `login`")
        bank.isOpen = true
        #expect(try fitting(reading).unsupported(by: hello(.accounts)) == nil)
        #expect(try fitting(reading).bank.hasTokens == false)
        #expect(try fitting(reading).customer?.login == "ava")
        #expect(Make.instances(reading, on: bank).first?.fitting(hello(.login, .accounts)).bank.hasTokens == true)
    }

    @Test(arguments: [
        "needs: [login, accounts]\nsteps: [login, accounts]", "needs: [accounts]\ngiven: {customer: ben}\nsteps: [login, accounts]",
        "needs: [accounts]\nsteps: [login, {login: {user: $other}}, accounts]",
    ])
    func `a case about a sign-in or another customer needs one`(_ yaml: String) throws {
        var bank = two
        bank.isOpen = true
        let instance = try #require(Make.instances(yaml + "\nexpect: [{step: 2, outcome: ok}]", on: bank).first).fitting(hello(.accounts))

        #expect(instance.unsupported(by: hello(.accounts)) == "the client does not support the operation `login`")
    }
}
