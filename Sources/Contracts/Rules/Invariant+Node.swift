package import BankModel

extension Invariant {
    /// Reads the file of invariants: `contract: 1`, and under `invariants` each with `id`, `why`, `level`, `authority`, `holds`.
    ///
    /// Every rule must be there once; an unknown one is reported with its position.
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
