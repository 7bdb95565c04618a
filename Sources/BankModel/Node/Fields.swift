/// Reads one mapping by a schema: each known key is asked for once; what is left over is unknown.
///
///     let fields = Fields(node, of: "a rule", complaints)
///     let ttl = fields["ttl"]?.duration(complaints)
///     fields.finish()      // complains of every key nobody asked for, with the nearest known one
package final class Fields {
    package let node: Node
    private let what: String
    private let complaints: Complaints
    private let members: [(key: Node, value: Node)]
    private var asked: [String] = []

    /// The fields of a mapping. If the node is something else, a complaint is made and every field is missing.
    ///
    /// - Parameter what: what the mapping describes, for messages: `a rule`.
    package init(_ node: Node, of what: String, _ complaints: Complaints) {
        (self.node, self.what, self.complaints) = (node, what, complaints)
        guard case .mapping(let members) = node.content else {
            complaints.add(found: node.kindName, expected: "\(what), a mapping", at: node.place)
            self.members = []
            return
        }
        self.members = members
        var seen: Set<String> = []
        for (key, _) in members where !seen.insert(key.scalar ?? "").inserted {
            complaints.add("the key `\(key.scalar ?? "")` is declared twice", at: key.place)
        }
    }

    /// The keys in order.
    package var keys: [String] { members.compactMap(\.key.scalar) }

    /// All members in order, for mappings whose keys are names of the file's own; none counts as unknown afterwards.
    package var all: [(key: String, keyNode: Node, value: Node)] {
        asked += keys
        return members.compactMap { member in member.key.scalar.map { ($0, member.key, member.value) } }
    }

    /// The value of an optional key.
    package subscript(_ key: String) -> Node? {
        asked.append(key)
        return members.first { $0.key.scalar == key }?.value
    }

    /// The value of a key that must be there; a complaint if it is not.
    package func required(_ key: String) -> Node? {
        if let value = self[key] { return value }
        guard case .mapping = node.content else { return nil }
        complaints.add("`\(key)` is missing in \(what)", at: node.place)
        return nil
    }

    /// Complains of every key that nobody asked for.
    package func finish() {
        for (key, _) in members {
            let name = key.scalar ?? key.kindName
            guard !asked.contains(name) else { continue }
            let hint = nearestName(to: name, among: asked).map { "did you mean `\($0)`?" }
            let known = asked.isEmpty ? "none is known" : "known are \(asked.joined(separator: ", "))"
            complaints.add("unknown key `\(name)` in \(what); \(hint ?? known)", at: key.place)
        }
    }
}
