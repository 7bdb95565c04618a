import BankModel
import Contracts
import Testing

@testable import Contracts

/// Shrinking, with an oracle that looks at the steps alone.
@Suite struct ShrinkingTests {
    private static let pay: JSON = ["pay": ["intent": "P1", "amount": "1.20"]]
    private static let rule: JSON = [
        "fault": ["lose-reply": ["by": "close"]], "on": ["role": "pay", "attempt": 1], "times": 3,
    ]

    private static func shrunk(_ steps: [JSON], given: JSONObject = JSONObject(), fails: (Scenario) -> Bool) async -> Scenario {
        var shrinking = Shrinking(Scenario(name: "x", bank: "toy", given: given, steps: steps))
        await shrinking.run { fails($0) }
        return shrinking.smallest
    }

    @Test func `only the steps stay without which the failure goes`() async {
        let noise: [JSON] = ["accounts", "balance", "restart", ["advance": "5s"]]
        let steps = ["login"] + noise + noise + [Self.rule] + noise + [Self.pay, "balance", Self.pay] + noise

        let scenario = await Self.shrunk(steps) { candidate in
            let (rule, pays) = (candidate.steps.contains { $0["fault"] != nil }, candidate.steps.filter { $0["pay"] != nil })
            return rule && pays.count >= 2
        }

        #expect(scenario.steps.count == 3)
        #expect(scenario.steps[1...].allSatisfy { $0 == Self.pay })
    }

    @Test func `rules, preconditions and together lose what is not needed`() async {
        let together: JSON = ["together": [Self.pay, Self.pay]]
        let given = JSONObject([("protocol", "h1s"), ("timeouts", ["total_ms": 700])])

        let scenario = await Self.shrunk(["login", Self.rule, together], given: given) { candidate in
            let loses = candidate.steps.contains { (step: JSON) -> Bool in step["fault"]?["lose-reply"] != nil }
            let pays = candidate.steps.contains { (step: JSON) -> Bool in step["pay"] != nil || step["together"] != nil }
            return loses && pays && candidate.given["protocol"] != nil
        }

        #expect(scenario.given == JSONObject([("protocol", "h1s")]))
        #expect(scenario.steps == [["fault": ["lose-reply": [:]]], Self.pay])
    }

    @Test func `a kill that the failure does not need becomes its operation`() async {
        let scenario = await Self.shrunk(["login", ["kill": ["during": Self.pay, "at": "commit"]]]) { candidate in
            candidate.steps.contains { (step: JSON) -> Bool in step["pay"] != nil || step["kill"] != nil }
        }

        #expect(scenario.steps == [Self.pay])
    }

    @Test func `a failure that goes with anything that is removed stays as it was found`() async {
        let steps: [JSON] = ["login", Self.rule, Self.pay]
        let scenario = await Self.shrunk(steps) { $0.steps == steps }

        #expect(scenario.steps == steps)
    }

    @Test func `it ends when the time is over, with the smallest so far`() async {
        var shrinking = Shrinking(Scenario(name: "x", bank: "toy", steps: Array(repeating: "accounts", count: 16)))
        var tries = 0
        await shrinking.run(isOver: { tries >= 2 }) { _ in
            tries += 1
            return true
        }

        #expect(shrinking.tried == 2)
        #expect(shrinking.smallest.steps.count < 16)
    }

    @Test func `no more than the given number are tried`() async {
        var shrinking = Shrinking(Scenario(name: "x", bank: "toy", steps: Array(repeating: "accounts", count: 40)), most: 7)
        await shrinking.run { _ in false }

        #expect(shrinking.tried == 7)
    }
}
