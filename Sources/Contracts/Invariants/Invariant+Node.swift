package import BankModel

extension Invariant {
    /// Reads the file of invariants: `contract: 1`, and under `invariants` each with `id`, `why`, `level`, `authority`, `holds`.
    ///
    /// Every rule must be there once; one that is not known is a complaint with its place.
    package static func list(_ node: Node, _ complaints: Complaints) -> [Invariant] {
        let fields = Fields(node, of: fileSchema, complaints)
        _ = fields[Suite.contract]
        let invariants = fields[Key.list]?.elements(complaints)?.compactMap { Invariant($0, complaints) } ?? []
        fields.finish()
        var places: [String: Place] = [:]
        for invariant in invariants {
            if let first = places.updateValue(invariant.place, forKey: invariant.id) {
                complaints.add("the invariant `\(invariant.id)` is declared twice; first at \(first)", at: invariant.place)
            }
        }
        return invariants
    }

    /// The file of invariants.
    package static let fileSchema = ObjectSchema(
        "a file of invariants", "Rules that bind in every run of every case, beside what the case itself expects.",
        fields: [Suite.contract, Key.list])

    private enum Key {
        static let list = Field(required: "invariants", .node(.list(.object(schema), atLeast: 0)), "each rule once")
        static let id = Field(required: "id", .text(), "`invariant.` and a name")
        static let why = Field(required: "why", .text("the rule in a sentence"), "what the client must do")
        static let holds = Field(required: "holds", Rule.format, "the condition")
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
        if level == .must, authority == nil { complaints.add("`authority` is missing in an invariant of the level must", at: node.place) }
        let rule = fields[Key.holds]
        fields.finish()
        if let name, !name.hasPrefix(Invariant.prefix) || name.count == Invariant.prefix.count {
            complaints.add(found: "the id `\(name)`", expected: "`\(Invariant.prefix)` and a name", at: node.place)
        }
        guard let name, let why, let rule else { return nil }
        id = name
        self.why = why
        self.rule = rule
        place = node.place
    }
}

extension Invariant.Rule {
    /// The names by which files call them.
    package static let names = plain.map(\.name) + [files.key, bounds.key]

    /// A name, or one with its bounds.
    static let format = Format<Self>(
        .anyOf([
            .words(plain.map(\.name)),
            .object(
                ObjectSchema(
                    "a condition with bounds", "One condition with what it needs.", fields: [files, bounds],
                    rules: [.exactlyOne([[files.key], [bounds.key]])], example: "holds: {bounded: {requests: 100, pages: 1000}}")),
        ]), read: { Self($0, $1) })

    private static let files = Field(
        "files-private", .node(.object(fileBounds)), "a file with a secret in it can be read by its owner alone")
    private static let bounds = Field("bounded", .node(.object(counts)), "no step causes more than this")
    private static let mode = Field(required: "mode", DiskPredicate.modeFormat, "the permission bits that such a file may have")
    private static let requests = Field(required: "requests", .int(in: 1...1_000_000), "the requests that a step may cause")
    private static let pages = Field(required: "pages", .int(in: 1...1_000_000), "those of a list that comes in pages")
    private static let fileBounds = ObjectSchema("the bounds of `files-private`", fields: [mode])
    private static let counts = ObjectSchema("the bounds of `bounded`", fields: [requests, pages])

    /// Reads a name, or `{bounded: {requests: 100, pages: 1000}}`, `{files-private: {mode: "0600"}}`.
    private init?(_ node: Node, _ complaints: Complaints) {
        let name: Node
        var settings = Node(.mapping([]), at: node.place)
        switch node.content {
        case .mapping(let members) where members.count == 1:
            name = members[0].key
            settings = members[0].value
        default: name = node
        }
        switch name.scalar {
        case Self.bounds.key:
            let fields = Fields(settings, of: Self.counts, complaints)
            let requests = fields[Self.requests]
            let pages = fields[Self.pages]
            fields.finish()
            guard let requests, let pages else { return nil }
            self = Self.bounded(requests: requests, pages: pages)
        case Self.files.key:
            let fields = Fields(settings, of: Self.fileBounds, complaints)
            let mode = fields[Self.mode]
            fields.finish()
            guard let mode else { return nil }
            self = Self.filesPrivate(mode: mode)
        default:
            Fields(settings, of: "the bounds of `\(name.scalar ?? "")`", complaints).finish()
            guard let rule = Self.plain.first(where: { $0.name == name.scalar.map(Invariant.presentName) }) else {
                let hint = didYouMean(name.scalar ?? "", among: Self.names)
                complaints.add(
                    found: "the predicate `\(name.scalar ?? name.kindName)`", expected: "\(oneOf(Self.names))\(hint)", at: name.place)
                return nil
            }
            self = rule
        }
    }
}

extension [Suite] {
    /// Complains of every exemption from an invariant that there is not: it would exempt from nothing.
    package func checkExemptions(_ invariants: [Invariant], _ complaints: Complaints) {
        let known = invariants.map { String($0.id.dropFirst(Invariant.prefix.count)) }
        for exemption in flatMap(\.cases).flatMap(\.exempt) where !invariants.contains(where: { $0.id == exemption.invariant }) {
            let name = String(exemption.invariant.dropFirst(Invariant.prefix.count))
            let hint = didYouMean(name, among: known)
            complaints.add(found: "the invariant `\(name)`", expected: oneOf(known) + hint, at: exemption.place)
        }
    }
}
