import BankModel

/// The file of a dialect, and those of the dialects that it `extends`, as one node.
///
/// A dialect that extends another names only what differs. Maps of settings are merged by key; every other value, such as a
/// body, a list or a text, replaces the other's as a whole; `~` removes it. This is JSON Merge Patch (RFC 7396), except that
/// the map of a body or of a source is one value. `dialect` and `about` are never inherited.
extension BankLoader {
    /// The longest chain of dialects, the first and the last counted.
    private static let longestChain = 8

    /// The dialect's settings, with all that it inherits; nil, and complaints, if a file of the chain cannot be read.
    func settings(ofDialect name: String) -> Node? { settings(ofDialect: name, extending: []) }

    /// - Parameter chain: the dialects that led here, the first one first.
    private func settings(ofDialect name: String, extending chain: [String]) -> Node? {
        guard let root = yaml(library.path(ofDialect: name), what: "the dialect") else { return nil }
        guard case .mapping(let members) = root.content, let node = members.first(where: { $0.key.scalar == "extends" })?.value else {
            return root
        }
        guard let base = node.text(complaints), isNew(base, in: chain + [name], at: node.position),
            knows(dialect: base, at: node.position)
        else { return nil }
        return settings(ofDialect: base, extending: chain + [name]).map { root.laid(over: $0.inheritable, as: .dialect) }
    }

    /// Complains of a chain that comes back to itself, or is too long.
    private func isNew(_ base: String, in chain: [String], at position: SourcePosition) -> Bool {
        let way = (chain + [base]).map { "`\($0)`" }.joined(separator: " extends ")
        if chain.contains(base) {
            complaints.add(found: "the dialect `\(base)`, but \(way)", expected: "a dialect that does not extend this one", at: position)
            return false
        }
        guard chain.count < BankLoader.longestChain else {
            complaints.add(
                found: "\(chain.count + 1) dialects that extend each other, \(way)", expected: "at most \(BankLoader.longestChain)",
                at: position)
            return false
        }
        return true
    }
}

/// Which values of a map are maps of settings, to be merged by key. All others are replaced as a whole.
private struct Layers {
    var named: [String: Layers] = [:]
    /// Every member's that `named` does not have.
    var others: [Layers] = []
    /// Whether keys are the names of headers, which are the same in any case (RFC 9110 §5.1).
    var isHeaders = false

    static let headers = Layers(isHeaders: true)
    static let dialect = Layers(named: [
        "headers": headers, "idempotency": Layers(), "rate_limit": Layers(),
        "magic": Layers(named: ["amounts": Layers(), "payees": Layers()]),
        "replies": Layers(others: [Layers(named: ["headers": headers])]),
    ])

    subscript(_ key: String) -> Layers? { named[key] ?? others.first }

    func id(_ key: String) -> String { isHeaders ? key.lowercased() : key }
}

extension Node {
    /// Without what a dialect has for itself alone.
    fileprivate var inheritable: Node {
        guard case .mapping(let members) = content else { return self }
        return Node(.mapping(members.filter { !["dialect", "about", "extends"].contains($0.key.scalar) }), at: position)
    }

    /// This map over another: the other's members in their order, those of this one in their place or after them.
    fileprivate func laid(over base: Node, as layers: Layers) -> Node {
        guard case .mapping(let own) = content, case .mapping(let inherited) = base.content else { return self }
        var mine: [String: Int] = [:]
        for (index, member) in own.enumerated() { mine[layers.id(member.key.scalar ?? "")] = index }
        var members: [(key: Node, value: Node)] = []
        var used: Set<Int> = []
        for member in inherited {
            let key = member.key.scalar ?? ""
            guard let index = mine[layers.id(key)] else {
                members.append(member)
                continue
            }
            used.insert(index)
            let value = layers[key].map { own[index].value.laid(over: member.value, as: $0) } ?? own[index].value
            if !own[index].value.isNull { members.append((key: own[index].key, value: value)) }
        }
        for (index, (key, value)) in own.enumerated() where !used.contains(index) && !value.isNull {
            let nothing = Node(.mapping([]), at: value.position)
            members.append((key: key, value: layers[key.scalar ?? ""].map { value.laid(over: nothing, as: $0) } ?? value))
        }
        return Node(.mapping(members), at: position)
    }
}
