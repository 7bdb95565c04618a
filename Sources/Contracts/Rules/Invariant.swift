package import BankModel

/// A requirement that applies to every run of every case: no case lists it, and none switches it off without a stated reason. A breach is a
/// separate result, beside that of the case.
package struct Invariant: Sendable {
    /// `invariant.pays-what-was-wished`
    package var id: String
    /// The rule in a sentence.
    package var why: String
    package var level: ContractCase.Level
    /// Its source, such as `RFC 6750 §3.1`.
    package var authority: String?
    /// The condition that must be met, with its settings.
    package var rule: ClientRule
    package var position: SourcePosition

    /// The beginning of every id.
    package static let prefix = "invariant."
    static let suite = "invariant"

    /// The names that two had before 1.0, in files that were written then, and their present ones.
    private static let renamed = [
        "pays-only-wishes": "no-unrequested-payments", "told-as-it-was": "result-shown-as-received",
    ]

    /// The text with present names in place of earlier ones: a name, or a pattern over ids.
    package static func presentName(_ text: String) -> String { renamed.reduce(text) { $0.replacing($1.key, with: $1.value) } }

    /// How many mutants must show that it can be broken.
    package static let leastMutants = 3
}

/// The verdicts of the invariants on one run.
package struct InvariantVerdicts: Sendable {
    /// The invariants that were broken, each with its breaches.
    package var broken: [(invariant: Invariant, unmet: [UnmetExpectation])] = []
    /// The ids of those that applied and were met.
    package var held: [String] = []

    /// Checks a run: a pure function. One that broke down outside the client, or with a step `unsupported`, does not count.
    package init(_ invariants: [Invariant], of instance: Instance, _ evidence: Evidence) {
        guard evidence.harnessTrouble == nil, !evidence.steps.values.contains(where: { $0.outcome == .unsupported }) else { return }
        let scene = Scene(instance, evidence)
        for invariant in invariants where !instance.exempt.contains(where: { $0.invariant == invariant.id }) {
            guard invariant.rule.applies(to: scene) else { continue }
            let result = invariant.rule.result(in: scene)
            if !result.broken.isEmpty {
                broken.append((invariant, result.broken.map { UnmetExpectation(.violation, $0) }))
            } else if result.applied > 0 {
                held.append(invariant.id)
            }
        }
    }
}

extension Instance {
    /// The same run under the name of an invariant that was broken in it.
    package func brokenBy(_ invariant: Invariant) -> Instance {
        var instance = self
        instance.caseID = invariant.id
        instance.why = invariant.why
        instance.bugs = []
        instance.level = invariant.level
        instance.brokenIn = BrokenIn(instance: name, caseID: caseID)
        return instance
    }

    /// The names by which mutants call what must fail them: a case's id, with or without the bank (`data.exact-amounts@bins`), or
    /// `invariant.bounded in retry.bounded`.
    package var provedNames: [String] { brokenIn.map { ["\(caseID) in \($0.caseID)"] } ?? [caseID, "\(caseID)@\(bank.name)"] }
}

extension Invariant {
    /// Reads the file of invariants: `contract: 1`, and under `invariants` each with `id`, `why`, `level`, `authority`, `holds`.
    package static func list(_ node: Node, _ complaints: Complaints) -> [Invariant] {
        let fields = Fields(node, of: fileSchema, complaints)
        _ = fields[Suite.contract]
        let invariants = fields[Key.list]?.elements(complaints)?.compactMap { Invariant($0, complaints) } ?? []
        fields.finish()
        var positions: [String: SourcePosition] = [:]
        for invariant in invariants {
            if let first = positions.updateValue(invariant.position, forKey: invariant.id) {
                complaints.add("the invariant `\(invariant.id)` is declared twice; first at \(first)", at: invariant.position)
            }
        }
        return invariants
    }

    package static let fileSchema = ObjectSchema(
        "a file of invariants", "Requirements that apply to every run of every case, in addition to its own expectations.",
        fields: [Suite.contract, Key.list])

    private enum Key {
        static let list = Field(required: "invariants", .node(.list(.object(schema), atLeast: 0)), "the rules, each listed once")
        static let id = Field(required: "id", .text(), "`invariant.` and a name")
        static let why = Field(required: "why", .text("the rule in a sentence"), "what the client must do")
        static let holds = Field(required: "holds", ClientRule.format, "the condition")
        static let schema = ObjectSchema(
            "an invariant", "One rule. At the level `must` it needs an `authority`.",
            fields: [id, why, ContractCase.level, ContractCase.authority, holds] as [any AnyField])
    }

    private init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: Key.schema, complaints)
        let name = fields[Key.id]
        let why = fields[Key.why]
        level = fields[ContractCase.level] ?? .must
        authority = fields[ContractCase.authority]
        if level == .must, authority == nil {
            complaints.add("`authority` is missing in an invariant of the level must", at: node.position)
        }
        let rule = fields[Key.holds]
        fields.finish()
        if let name, !name.hasPrefix(Invariant.prefix) || name.count == Invariant.prefix.count {
            complaints.add(found: "the id `\(name)`", expected: "`\(Invariant.prefix)` and a name", at: node.position)
        }
        guard let name, let why, let rule else { return nil }
        id = name
        self.why = why
        self.rule = rule
        position = node.position
    }
}

extension ClientRule {
    /// The names by which files call the invariants, those with settings last.
    package static let names = plain.map(\.name) + withSettings.map(\.name)

    private static let plain = invariants.filter { $0.settings == nil }
    private static let withSettings = invariants.filter { $0.settings != nil }

    /// A name, or one with its settings.
    static let format = Format<Self>(
        .anyOf([
            .words(plain.map(\.name)),
            .object(
                ObjectSchema(
                    "a condition with bounds", "One condition, with its settings.", fields: withSettings.compactMap(\.settings?.field),
                    rules: [.exactlyOne(withSettings.map { [$0.name] })],
                    example: "holds: {bounded: {requests: 100, pages: 1000}}")),
        ]), read: { Self($0, $1) })

    /// Reads a name, or `{bounded: {requests: 100, pages: 1000}}`, `{files-private: {mode: "0600"}}`.
    private init?(_ node: Node, _ complaints: Complaints) {
        var name = node
        var settings = Node(.mapping([]), at: node.position)
        if case .mapping(let members) = node.content, members.count == 1 {
            name = members[0].key
            settings = members[0].value
        }
        let found = name.scalar ?? ""
        let rule = Self.invariants.first { $0.name == Invariant.presentName(found) }
        let fields =
            rule?.settings.map { Fields(settings, of: $0.schema, complaints) }
            ?? Fields(settings, of: "the bounds of `\(found)`", complaints)
        defer { fields.finish() }
        guard let rule else {
            complaints.add(
                found: "the predicate `\(name.scalar ?? name.kindName)`",
                expected: oneOf(Self.names) + didYouMean(found, among: Self.names), at: name.position)
            return nil
        }
        guard let given = rule.settings.map({ $0.read(fields) }) ?? rule else { return nil }
        self = given
    }
}

extension [Suite] {
    /// Complains of every exemption from an invariant that there is not: it would exempt from nothing.
    package func checkExemptions(_ invariants: [Invariant], _ complaints: Complaints) {
        let known = invariants.map { String($0.id.dropFirst(Invariant.prefix.count)) }
        for exemption in flatMap(\.cases).flatMap(\.exempt) where !invariants.contains(where: { $0.id == exemption.invariant }) {
            let name = String(exemption.invariant.dropFirst(Invariant.prefix.count))
            let hint = didYouMean(name, among: known)
            complaints.add(found: "the invariant `\(name)`", expected: oneOf(known) + hint, at: exemption.position)
        }
    }
}
