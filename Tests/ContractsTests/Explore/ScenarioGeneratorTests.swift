import BankModel
import Contracts
import DriverProtocol
import Testing

@testable import Contracts

/// Random scenarios: the same for the same seed, within what client and bank have, and each a case that can be run.
@Suite struct ScenarioGeneratorTests {
    private static let bank = BankFacts(
        name: "toy", customers: [.init(login: "ava", password: "secret"), .init(login: "ben", password: "other")],
        operations: [.login, .logout, .accounts, .balance, .atms, .pay, .resume, .paymentStatus],
        roles: [.login, .accounts, .balance, .atms, .pay].map { (role: $0, calls: []) })

    private static func generator(
        _ operations: [DriverOperation] = DriverOperation.allCases, features: [DriverFeature] = DriverFeature.allCases
    ) -> ScenarioGenerator {
        let hello = DriverHello(
            nonce: "n", client: "c", banks: nil, operations: operations.map(\.rawValue), features: features.map(\.rawValue))
        return ScenarioGenerator(bank, hello, faults: ScenarioGenerator.faults(of: []), views: [.accounts, .balance])
    }

    private static func scenarios(_ generator: ScenarioGenerator, seed: UInt64 = 7) -> [Scenario] {
        (0..<300).compactMap { generator.scenario(seed: seed, number: $0) }
    }

    @Test func `one seed gives the same scenarios, another seed others`() {
        func texts(_ seed: UInt64) -> [String] { Self.scenarios(Self.generator(), seed: seed).map { JSON.array($0.steps).text } }

        #expect(texts(7) == texts(7))
        #expect(texts(7) != texts(8))
        #expect(Set(texts(7)).count > 200)
    }

    @Test func `nearly every draft is a case of 3 to 25 steps and at most 4 rules, before its recovery`() {
        let scenarios = Self.scenarios(Self.generator())

        #expect(scenarios.count > 240)
        #expect(scenarios.allSatisfy { $0.rules <= 4 })
        #expect(scenarios.allSatisfy { 3...40 ~= $0.length })
        #expect(Set(scenarios.map(\.length)).count > 15)
    }

    @Test func `each draft ends, whatever kinds of steps it has chosen`() {
        // Among so many are those that chose one kind alone, of which nothing can be added.
        for seed in 1...20 as ClosedRange<UInt64> {
            #expect(Self.scenarios(Self.generator([.login, .accounts, .pay], features: []), seed: seed).count > 200)
        }
    }

    @Test func `a client is asked only for what it has`() throws {
        let plain = Self.generator([.login, .accounts, .pay], features: [])
        let instances = Self.scenarios(plain).compactMap { $0.instance(on: Self.bank, views: []) }

        #expect(instances.count > 200)
        #expect(Set(instances.flatMap(\.allSteps).compactMap(\.action.asked)) == [.login, .accounts, .pay])
        #expect(instances.allSatisfy { $0.features.isEmpty && $0.given.wireProtocol == .h1 })
    }

    @Test func `a bank without payments or sign-in has scenarios of reads, and one without anything has none`() {
        var open = Self.bank
        open.hasTokens = false
        open.operations = [.atms]
        let hello = DriverHello(nonce: "n", client: "c", banks: nil, operations: ["atms"], features: [])
        let reads = ScenarioGenerator(open, hello, faults: [], views: [.atms])
        open.operations = []

        #expect(reads.hasAnything)
        #expect((0..<30).contains { reads.scenario(seed: 1, number: $0) != nil })
        #expect(!ScenarioGenerator(open, hello, faults: [], views: []).hasAnything)
    }

    @Test func `no scenario pays where the customer authorises payments on a page`() {
        var bank = Self.bank
        let hello = DriverHello(
            nonce: "n", client: "c", banks: nil, operations: DriverOperation.allCases.map(\.rawValue), features: [])
        func pays() -> Bool { !ScenarioGenerator(bank, hello, faults: [], views: []).payments.isEmpty }

        #expect(pays())
        bank.authorisesPayments = true
        #expect(!pays())
    }

    @Test func `an order is taken up again only while its customer is signed in and the client has what it kept`() {
        var (repeated, ended) = (0, 0)
        for scenario in Self.scenarios(Self.generator()) {
            var closed: Set<String> = [], begun: Set<String> = []
            for step in scenario.numbered(on: Self.bank)?.flatMap(\.flattened) ?? [] {
                if let intent = step.action.intent {
                    #expect(!closed.contains(intent), "\(scenario.name)")
                    if !begun.insert(intent).inserted { repeated += 1 }
                }
                let before = closed.count
                switch step.action {
                case .damageDisk, .operation(.logout, _), .browser: closed.formUnion(begun)
                case .operation(.login, let arguments) where arguments.contains { $0.name == "user" }: closed.formUnion(begun)
                case .advance(let time) where time >= .seconds(3600): closed.formUnion(begun)
                default: break
                }
                ended += closed.count - before
            }
        }
        // Without these it would show nothing.
        #expect(repeated > 20)
        #expect(ended > 20)
    }

    @Test(arguments: [
        (#"[{"login": {"user": "ben"}}, PAY, "login", PAY]"#, 0),
        (#"["login", PAY, {"login": {"user": "ben"}}, PAY]"#, 0),
        (#"[{"login": {"user": "ben"}}, PAY, {"login": {"user": "ben"}}, PAY]"#, 1),
        (#"["login", PAY, "login", PAY, {"login": {"user": "ben"}}]"#, 1),
    ])
    func `money is expected to move once for an order that one customer has given`(steps: String, orders: Int) throws {
        let pay = #"{"pay": {"intent": "P1", "amount": "1.25"}}"#
        let steps = try #require(JSON(parsing: Array(steps.replacing("PAY", with: pay).utf8)).array)

        let contract = try #require(Scenario(name: "s", bank: "toy", steps: steps).contract(on: Self.bank, views: []))

        #expect(contract["expect"]?.array?.count { $0["ledger"] != nil } == orders)
    }

    @Test func `displayed data is expected only where nothing may have changed it`() throws {
        let steps: [JSON] = [
            "login", "accounts", ["fault": ["status": ["status": 503]], "times": 1], "balance",
            ["fault": ["corrupt": ["json": "trailing-comma"]]], "accounts",
        ]
        let instance = try #require(Scenario(name: "x", bank: "toy", steps: steps).instance(on: Self.bank, views: [.accounts, .balance]))

        #expect(instance.expectations.compactMap { ($0 as? StepPredicate)?.step } == [2, 4])
    }

    @Test func `a file of contracts has the case that was run`() throws {
        for scenario in Self.scenarios(Self.generator()).prefix(60) {
            let complaints = Complaints()
            let file = try #require(scenario.file(on: Self.bank, views: [.accounts]))
            let suite = try #require(Suite(Node(file), name: Scenario.suite, complaints))
            let read = try #require(suite.cases.first?.instances(on: Self.bank, complaints).first)
            let run = try #require(scenario.instance(on: Self.bank, views: [.accounts]))

            #expect(complaints.errors.isEmpty)
            #expect(read.name == run.name)
            #expect(read.steps.map { "\($0.action)" } == run.steps.map { "\($0.action)" })
            #expect(read.given == run.given)
        }
    }
}
