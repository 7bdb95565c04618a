package import BankModel

/// A session's rules, in the order in which they were set, and how often each has matched and struck.
package struct RuleBook: Sendable {
    package private(set) var rules: [ArmedRule] = []
    private var nextIndex = 0

    /// A rule that is set.
    package struct ArmedRule: Sendable {
        /// `rule#1`
        package let id: String
        package let rule: Rule
        let index: Int
        /// By the machine's monotonic clock, in nanoseconds.
        let expires: Int64?
        package fileprivate(set) var matched = 0
        package fileprivate(set) var fired = 0
    }

    /// A rule's decision to strike.
    package struct Decision: Sendable {
        package let ruleID: String
        package let rule: Rule

        package var record: FaultRecord {
            FaultRecord(rule: ruleID, kind: rule.kind, point: rule.point.rawValue, applied: true)
        }
    }

    package init() {}

    package var isEmpty: Bool { rules.isEmpty }

    /// Sets a rule behind those that are set.
    ///
    /// - Returns: its id.
    package mutating func set(_ rule: Rule, monoNow: Int64) -> String {
        nextIndex += 1
        let id = "rule#\(nextIndex)"
        let expires = rule.timeToLive.map { monoNow + $0.nanoseconds }
        rules.append(ArmedRule(id: id, rule: rule, index: nextIndex, expires: expires))
        return id
    }

    /// Removes the rule; false if there is none of that id.
    package mutating func remove(_ id: String) -> Bool {
        let before = rules.count
        rules.removeAll { $0.id == id }
        return rules.count < before
    }

    package mutating func removeAll() { rules.removeAll() }

    /// The first rule that strikes this exchange at this point; every rule consulted on the way counts its match.
    package mutating func decide(at point: FaultPoint, _ exchange: ExchangeFacts, seed: UInt64, monoNow: Int64) -> Decision? {
        rules.removeAll { $0.expires.map { $0 <= monoNow } ?? false }
        for position in rules.indices where rules[position].rule.point == point {
            let armed = rules[position]
            guard armed.rule.on.matches(exchange) else { continue }
            rules[position].matched += 1
            guard armed.rule.count.strikes(n: armed.matched + 1, fired: armed.fired, seed: seed, index: armed.index) else { continue }
            rules[position].fired += 1
            return Decision(ruleID: armed.id, rule: armed.rule)
        }
        return nil
    }
}
