import BankModel

/// A rule that a journal alone can show broken: whenever its trigger is met, its obligation holds.
///
/// The rules are a closed set in Swift and no data in `Contracts/*.yaml`: hardly two of them differ in data only, each groups
/// the exchanges in its own way, and a bank that is served judges its journal without any contract file at hand. Those that
/// do differ in data only (the six about `Retry-After`) are a table. Each has the id and the level of the case it stands for, or of
/// an invariant.
package struct AttachedRule: Sendable {
    /// The catalogue's case: `auth.no-empty-bearer`.
    package let id: String
    package let level: ContractCase.Level
    /// The rule in a sentence, with its source.
    package let why: String
    /// The event that the rule needs to be exercised.
    package let trigger: String
    let check: @Sendable (Scene) -> Findings

    init(
        _ id: String, level: ContractCase.Level = .must, why: String, trigger: String,
        check: @escaping @Sendable (Scene) -> Findings
    ) {
        self.id = id
        self.level = level
        self.why = why
        self.trigger = trigger
        self.check = check
    }

    /// All rules, by suite.
    package static let all: [AttachedRule] =
        tokenRules + refreshRules + paymentRules + refusalRules + retryAfterRules + boundRules + hostRules + invariantRules

    /// The part of the id before its first dot.
    package var suite: String { String(id.prefix { $0 != "." }) }
}
