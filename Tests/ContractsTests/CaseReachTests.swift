import BankModel
import Contracts
import DriverProtocol
import Faults
import Testing

/// How many cases apply to a bank is counted by cases, not by instances, and what would add more is named.
@Suite struct CaseReachTests {
    private static func contract(_ id: String, _ rest: String) -> String {
        "- {id: toy.\(id), why: because, \(rest), expect: [{control: 1}]}"
    }

    private static let suites: [Suite] = {
        let cases = [
            contract("reads", "needs: [login, read], steps: [login, read], matrix: {by: [a, b]}"),
            contract("pays", "needs: [login, move], steps: [login, move: {intent: A, amount: \"1.00\"}]"),
            contract("shows-atms", "needs: [atms], steps: [atms]"),
            contract("shows-atms-after-reading", "needs: [read, atms], steps: [read, atms]"),
            contract("elsewhere", "banks: [other], needs: [login], steps: [login]"),
        ]
        let text = (["contract: 1", "suite: toy", "cases:"] + cases).joined(separator: "\n")
        return [Suite(Make.node(text), name: "toy", Complaints())].compactMap(\.self)
    }()

    private let reader = BankFacts(name: "toy", operations: [.login, .accounts])

    @Test func `cases that apply are those with an instance on the bank`() {
        let reach = CaseReach(reader, Self.suites)
        let withInstances = Self.suites.flatMap(\.cases).filter { !$0.instances(on: reader, Complaints()).isEmpty }

        #expect(reach.applying == withInstances.count)
        #expect(reach.applying == 1)
        #expect(reach.total == 5)
        #expect(reach.others == 1)
    }

    @Test func `operations that the bank lacks are named with what each would add, the most first`() {
        let reach = CaseReach(reader, Self.suites)

        #expect(reach.text == "toy: 1 of 5 cases apply; more with atms (+2), pay (+1), round_up (+1)")
    }

    @Test func `a bank that has everything gets no further advice`() {
        let reach = CaseReach(BankFacts(name: "toy", operations: DriverOperation.allCases), Self.suites)

        #expect(reach.text == "toy: 4 of 5 cases apply")
    }

    @Test func `a line has at most 80 characters`() {
        let long = BankFacts(name: String(repeating: "b", count: 30), operations: [.login])
        let reach = CaseReach(long, Self.suites)

        #expect(reach.more.count == 6)
        #expect(reach.text.hasSuffix(": 0 of 5 cases apply; more with accounts (+1)"))
        #expect(reach.text.count <= 80)
    }

    @Test func `a case that names a customer whom the bank does not have is none of its cases`() {
        let named = "needs: [login]\ngiven: {customer: nils}\nsteps: [login]\nexpect: [{step: 1, outcome: ok}]"
        let other = named.replacing("given: {customer: nils}\n", with: "").replacing(
            "[login]\nexpect", with: "[login: {user: nils}]\nexpect")
        var bank = BankFacts(name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login])

        #expect(Make.instances(named, on: bank).isEmpty)
        #expect(Make.instances(other, on: bank).isEmpty)
        bank.locked = ["nils"]
        #expect(Make.instances(other, on: bank).count == 1)
    }

    @Test func `another customer is one whom the case has not, and a bank with one customer has none`() throws {
        let yaml = "needs: [login]\nsteps: [login: {user: $other}]\nexpect: [{step: 1, outcome: ok}]"
        var bank = BankFacts(name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login])
        func others(_ yaml: String) -> [String] { Make.instances(yaml, on: bank).flatMap(\.otherCustomers).map(\.login) }

        #expect(Make.instances(yaml, on: bank).isEmpty)
        bank.customers.append(.init(login: "ben", password: "staple"))
        #expect(others(yaml) == ["ben"])
        #expect(others("given: {customer: ben}\n" + yaml) == ["ava"])
        #expect(others("matrix: {customer: [ava, ben]}\n" + yaml) == ["ben", "ava"])
        #expect(others(yaml.replacing("$other", with: "ava")) == [])
        #expect(others(yaml.replacing("steps: [", with: "steps: [login, login: {user: ben}, ")) == ["ben"])
    }

    @Test func `a case with a fault that could never apply is none of the bank's cases`() {
        let faulty =
            "needs: [login, pay]\nsteps: [login, fault: business-failure, pay: {intent: A, amount: \"1.00\"}]\nexpect: [{control: 1}]"
        var bank = Make.bank

        #expect(Make.instances(faulty, on: bank).count == 1)
        bank.unmet = [.businessFailure]
        #expect(Make.instances(faulty, on: bank).isEmpty)
    }
}
