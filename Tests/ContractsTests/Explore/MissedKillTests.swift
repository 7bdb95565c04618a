import BankModel
import Contracts
import DriverProtocol
import Testing

/// A kill for which no request came: the run was that of the operation alone.
@Suite struct MissedKillTests {
    private static let bank = BankFacts(
        name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .accounts, .pay])

    private static func pay(_ intent: String) -> JSON { ["pay": ["intent": .string(intent), "amount": "2.50"]] }
    private static func kill(_ intent: String) -> JSON { ["kill": ["during": pay(intent), "at": "commit"]] }

    @Test func `the kill becomes its operation, and every step keeps its number`() throws {
        let steps: [JSON] = ["login", ["together": ["accounts", "accounts"]], Self.kill("P1"), Self.kill("P2")]
        let scenario = Scenario(name: "x", bank: "toy", steps: steps)
        let changed = scenario.without(kills: [5], on: Self.bank)
        let run = try #require(scenario.instance(on: Self.bank, views: []))
        let plain = try #require(changed.instance(on: Self.bank, views: []))
        func texts(_ instance: Instance) -> [String] { instance.allSteps.map { "\($0.n) \($0.action)" } }

        #expect(changed.steps == Array(steps.dropLast()) + [Self.pay("P2")])
        #expect(texts(run.without(kills: [5])) == texts(plain))
        #expect(texts(run.without(kills: [])) == texts(run))
        #expect(texts(plain) != texts(run))
    }

    @Test func `the rest of the run is tested as without the kill`() throws {
        let scenario = Scenario(name: "x", bank: "toy", steps: ["login", Self.kill("P1"), "accounts"])
        let instance = try #require(scenario.instance(on: Self.bank, views: []))
        var evidence = Make.allWell()
        evidence.steps[2]?.outcome = .error("offline", detail: nil)

        #expect(judge(instance, evidence).verdict == .inconclusive)
        #expect(judge(instance.without(kills: [2]), evidence) == Judgement(.pass))
        evidence.clientTrouble = "the client crashed in step 3 (accounts)"
        #expect(judge(instance.without(kills: [2]), evidence).verdict == .fail)
    }
}
