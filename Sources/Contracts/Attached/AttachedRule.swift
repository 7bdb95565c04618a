import BankModel

/// A rule that a journal alone can show broken: whenever its trigger is met, its obligation holds.
///
/// The rules are a closed set in Swift and no data in `Contracts/*.yaml`: hardly two of them differ in data only, each groups
/// the exchanges in its own way, and a bank that is served judges its journal without any contract file at hand. Those that
/// do differ in data only (the six about `Retry-After`) are a table. Each has the id and the level of the case it stands for.
package struct AttachedRule: Sendable {
    /// The catalogue's case: `auth.no-empty-bearer`.
    package let id: String
    package let level: ContractCase.Level
    /// The rule in a sentence, with its source.
    package let why: String
    /// What must have happened for the rule to say anything.
    package let trigger: String
    let check: @Sendable (AttachedScene) -> AttachedFinding

    init(
        _ id: String, level: ContractCase.Level = .must, why: String, trigger: String,
        check: @escaping @Sendable (AttachedScene) -> AttachedFinding
    ) {
        (self.id, self.level, self.why, self.trigger, self.check) = (id, level, why, trigger, check)
    }

    /// All rules, by suite.
    package static let all: [AttachedRule] = tokenRules + refreshRules + paymentRules + refusalRules + retryAfterRules + boundRules

    /// What stands before the id's first dot.
    package var suite: String { String(id.prefix { $0 != "." }) }
}

/// What a rule found in a journal.
package struct AttachedFinding: Sendable, Hashable {
    /// How often the trigger was met.
    package var met = 0
    package var violations: [AttachedViolation] = []

    /// Counts a trigger and keeps the violation it led to, if any.
    mutating func meet(_ violation: AttachedViolation? = nil) {
        met += 1
        if let violation { violations.append(violation) }
    }
}

/// One broken obligation.
package struct AttachedViolation: Sendable, Hashable {
    package var expected: String
    package var seen: String
    /// The numbers of the exchanges that show it, the trigger's first.
    package var exchanges: [Int]
}
