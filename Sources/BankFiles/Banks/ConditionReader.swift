import BankCore
import BankModel

/// Reads `when`: the conditions that distinguish an operation from others with the same method and path.
struct ConditionReader {
    /// The parameters of the path.
    let parameters: [String]
    let complaints: Complaints

    /// The conditions in the order of the file.
    func conditions(_ node: Node) -> [Condition] {
        let parts = Fields(node, of: "when", complaints).all
        if parts.isEmpty, case .mapping = node.content {
            complaints.add(found: "no condition", expected: oneOf(Condition.Part.allCases.map(\.rawValue)), at: node.place)
        }
        return parts.flatMap { _, keyNode, value in
            keyNode.choice(of: Condition.Part.self, complaints).map { conditions(of: $0, value) } ?? []
        }
    }

    private func conditions(of part: Condition.Part, _ node: Node) -> [Condition] {
        if part == .json { return [Condition(part, .value(node.json))] }
        if part.isWhole { return wanted(node, part).map { [Condition(part, $0)] } ?? [] }
        return Fields(node, of: "`\(part.rawValue)`", complaints).all.compactMap { name, keyNode, value in
            if part == .path, !parameters.contains(name) {
                let expected = parameters.isEmpty ? "none: the path has no parameter" : expectation(parameters, for: name)
                complaints.add(found: "the path's `\(name)`", expected: expected, at: keyNode.place)
            }
            return wanted(value, part).map { Condition(part, name, $0) }
        }
    }

    private func wanted(_ node: Node, _ part: Condition.Part) -> Condition.Wanted? {
        if node.isNull { return .absent }
        switch node.content {
        case .scalar: return value(node, part)
        case .list where part.isJSON: return .value(node.json)
        case .mapping(let members) where members.count == 1 && members[0].key.scalar == "like": return patterns(members[0].value)
        case .mapping(let members) where members.count == 1 && members[0].key.scalar == "is": return value(members[0].value, part)
        case .list, .mapping:
            return node.wrong(complaints, "a value, null for none, {like: \"a*\"}" + (part.isJSON ? " or {is: {…}}" : ""))
        }
    }

    private func value(_ node: Node, _ part: Condition.Part) -> Condition.Wanted? {
        if part.isJSON { return .value(node.json) }
        guard let text = node.scalar else { return node.wrong(complaints, "a text") }
        return .value(.string(text))
    }

    private func patterns(_ node: Node) -> Condition.Wanted? {
        guard case .list = node.content else { return node.text(complaints).map { .like([$0]) } }
        guard let texts = node.texts(complaints), !texts.isEmpty else { return node.wrong(complaints, "at least one pattern") }
        return .like(texts)
    }
}
