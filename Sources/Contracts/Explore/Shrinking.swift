import BankModel

/// Makes a scenario smaller as long as the same failure stays, large parts first (delta debugging, Zeller and Hildebrandt 2002).
package struct Shrinking: Sendable {
    /// The smallest scenario so far that fails in the same way.
    package private(set) var smallest: Scenario
    /// How many scenarios were tried.
    package private(set) var tried = 0
    /// The most that are tried.
    private let most: Int

    package init(_ scenario: Scenario, most: Int = 400) {
        smallest = scenario
        self.most = most
    }

    /// Shrinks until nothing more can be removed or the time is over; `fails` is whether a scenario fails in the same way, each time.
    package mutating func run(isOver: () -> Bool = { false }, fails: (Scenario) async -> Bool) async {
        var changed = true
        while changed {
            changed = await removeSteps(isOver, fails)
            changed = await simplify(isOver, fails) || changed
        }
    }

    private mutating func attempt(_ candidate: Scenario, _ isOver: () -> Bool, _ fails: (Scenario) async -> Bool) async -> Bool {
        guard tried < most, !isOver() else { return false }
        tried += 1
        guard await fails(candidate) else { return false }
        smallest = candidate
        return true
    }

    /// Removes stretches of steps, from the end, first half of them, finally one.
    private mutating func removeSteps(_ isOver: () -> Bool, _ fails: (Scenario) async -> Bool) async -> Bool {
        var changed = false
        var size = max(1, smallest.steps.count / 2)
        while true {
            var end = smallest.steps.count
            while end > 0, smallest.steps.count > 1 {
                let start = max(0, end - size)
                var candidate = smallest
                candidate.steps.removeSubrange(start..<end)
                if !candidate.steps.isEmpty, await attempt(candidate, isOver, fails) { changed = true }
                end = min(start, smallest.steps.count)
            }
            guard size > 1 else { return changed }
            size = max(1, size / 2)
        }
    }

    private mutating func simplify(_ isOver: () -> Bool, _ fails: (Scenario) async -> Bool) async -> Bool {
        var changed = false
        var position = 0
        // Each that succeeds has simpler candidates.
        while true {
            let candidates = smallest.simplified
            guard position < candidates.count else { return changed }
            if await attempt(candidates[position], isOver, fails) { changed = true } else { position += 1 }
        }
    }
}

extension Scenario {
    /// The scenarios without one part: a precondition, the members of a `together` or one of them, the kill in an operation, a setting of a
    /// rule.
    var simplified: [Scenario] {
        let preconditions = given.members.map { member in changed { $0.given[member.key] = nil } }
        return preconditions
            + steps.indices.flatMap { index in
                ScenarioStep.simpler(steps[index]).map { replacement in
                    changed { $0.steps.replaceSubrange(index...index, with: replacement) }
                }
            }
    }

    private func changed(_ change: (inout Scenario) -> Void) -> Scenario {
        var scenario = self
        change(&scenario)
        return scenario
    }
}

/// The simpler forms of one step.
private enum ScenarioStep {
    /// Each form is the steps that take its place.
    static func simpler(_ step: JSON) -> [[JSON]] {
        guard case .object(let object) = step else { return [] }
        if let members = object["together"]?.array { return together(members) }
        if let during = object["kill"]?["during"] { return [[during]] }
        guard object["fault"] != nil else { return [] }
        var forms = object.keys.filter { $0 != "fault" }.map { object.with($0, nil) }
        if let times = object["times"]?.int, times > 1 { forms.append(object.with("times", 1)) }
        if let on = object["on"]?.object, on.members.count > 1 {
            forms += on.keys.map { object.with("on", .object(on.with($0, nil))) }
        }
        return (forms + settings(object)).map { [.object($0)] }
    }

    /// All members one after the other, or without one of them.
    private static func together(_ members: [JSON]) -> [[JSON]] {
        let fewer = members.indices.map { index -> [JSON] in
            let rest = Array(members[..<index] + members[(index + 1)...])
            return rest.isEmpty ? [] : rest.count == 1 ? rest : [["together": .array(rest)]]
        }
        return [members] + fewer
    }

    /// The rule with one setting of its fault less.
    private static func settings(_ rule: JSONObject) -> [JSONObject] {
        guard let fault = rule["fault"]?.object else { return [] }
        return fault.members.flatMap { kind, value -> [JSONObject] in
            guard let settings = value.object else { return [] }
            return settings.keys.map { key in rule.with("fault", .object(fault.with(kind, .object(settings.with(key, nil))))) }
        }
    }
}

extension JSONObject {
    /// The object with another value of that member, or without it.
    fileprivate func with(_ key: String, _ value: JSON?) -> JSONObject {
        var object = self
        object[key] = value
        return object
    }
}
