package import BankModel

extension Invariant {
    /// Reads the file of invariants: `contract: 1`, and under `invariants` each with `id`, `why`, `level`, `authority`, `holds`.
    ///
    /// Every rule must be there once; one that is not known is a complaint with its place.
    package static func list(_ node: Node, _ complaints: Complaints) -> [Invariant] {
        let fields = Fields(node, of: "a file of invariants", complaints)
        if let version = fields.required("contract"), version.scalar != String(Suite.version) {
            complaints.add(found: version.kindName, expected: "\(Suite.version), the version of contract files", at: version.place)
        }
        let invariants = fields.required("invariants")?.elements(complaints)?.compactMap { Invariant($0, complaints) } ?? []
        fields.finish()
        var places: [String: Place] = [:]
        for invariant in invariants {
            if let first = places.updateValue(invariant.place, forKey: invariant.id) {
                complaints.add("the invariant `\(invariant.id)` is declared twice; first at \(first)", at: invariant.place)
            }
        }
        return invariants
    }

    private init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "an invariant", complaints)
        let name = fields.required("id")?.text(complaints)
        let why = fields.required("why")?.text(complaints, expected: "the rule in a sentence")
        level = fields["level"].flatMap { $0.choice(of: ContractCase.Level.self, complaints) } ?? .must
        authority = fields["authority"]?.text(complaints, expected: "the rule that it rests on, such as RFC 6750 §3.1")
        if level == .must, authority == nil { complaints.add("`authority` is missing in an invariant of the level must", at: node.place) }
        let rule = fields.required("holds").flatMap { Rule($0, complaints) }
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
    package static let names = plain.map(\.name) + ["files-private", "bounded"]

    private static let plain: [(name: String, rule: Self)] = [
        ("pays-what-was-wished", .paysWhatWasWished), ("pays-only-wishes", .paysOnlyWishes), ("own-token-only", .ownTokenOnly),
        ("own-data-only", .ownDataOnly), ("no-secret-in-address", .noSecretInAddress),
        ("no-secret-on-disk-in-clear", .noSecretOnDiskInClear), ("no-secret-in-log", .noSecretInLog), ("tls-stays-tls", .tlsStaysTLS),
        ("same-wish-same-body", .sameWishSameBody), ("other-wish-other-key", .otherWishOtherKey), ("never-hangs", .neverHangs),
        ("never-dies", .neverDies), ("told-as-it-was", .toldAsItWas), ("no-foreign-host", .noForeignHost),
    ]

    /// Reads a name, or `{bounded: {requests: 100, pages: 1000}}`, `{files-private: {mode: "0600"}}`.
    init?(_ node: Node, _ complaints: Complaints) {
        let name: Node
        var settings = Node(.mapping([]), at: node.place)
        switch node.content {
        case .mapping(let members) where members.count == 1:
            name = members[0].key
            settings = members[0].value
        default: name = node
        }
        let fields = Fields(settings, of: "the bounds of `\(name.scalar ?? "")`", complaints)
        switch name.scalar {
        case "bounded":
            let requests = fields.required("requests")?.int(in: 1...1_000_000, complaints)
            let pages = fields.required("pages")?.int(in: 1...1_000_000, complaints)
            fields.finish()
            guard let requests, let pages else { return nil }
            self = .bounded(requests: requests, pages: pages)
        case "files-private":
            let mode = fields.required("mode").flatMap { DiskPredicate.mode($0, complaints) }
            fields.finish()
            guard let mode else { return nil }
            self = .filesPrivate(mode: mode)
        default:
            fields.finish()
            guard let rule = Self.plain.first(where: { $0.name == name.scalar })?.rule else {
                let hint = nearestName(to: name.scalar ?? "", among: Self.names).map { "; did you mean `\($0)`?" } ?? ""
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
            let hint = nearestName(to: name, among: known).map { "; did you mean `\($0)`?" } ?? ""
            complaints.add(found: "the invariant `\(name)`", expected: oneOf(known) + hint, at: exemption.place)
        }
    }
}
