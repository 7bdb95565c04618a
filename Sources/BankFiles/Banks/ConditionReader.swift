import BankCore
import BankModel

/// Reads `when`: the conditions that distinguish an operation from others with the same method and path.
struct ConditionReader {
    let parameters: [String]
    let complaints: Complaints

    /// The conditions in the order of the file.
    func conditions(_ node: Node) -> [Condition] {
        let parts = Fields(node, of: "when", complaints).all
        if parts.isEmpty, case .mapping = node.content {
            complaints.add(found: "no condition", expected: oneOf(Condition.Part.allCases.map(\.rawValue)), at: node.position)
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
                complaints.add(found: "the path's `\(name)`", expected: expected, at: keyNode.position)
            }
            return wanted(value, part).map { Condition(part, name, $0) }
        }
    }

    private func wanted(_ node: Node, _ part: Condition.Part) -> Condition.Wanted? {
        if node.isNull { return .absent }
        switch node.content {
        case .scalar: return value(node, part)
        case .list where part.isJSON: return .value(node.json)
        case .mapping(let members)
        where members.count == 1 && members.allSatisfy { ConditionKeys.object.keys.contains($0.key.scalar ?? "") }:
            return directive(Fields(node, of: ConditionKeys.object, complaints), part)
        case .list, .mapping:
            return node.wrong(
                complaints, "a value, null for none, {like: \"a*\"}, {matches: \"[0-9]+\"}" + (part.isJSON ? " or {is: {…}}" : ""))
        }
    }

    private func directive(_ fields: Fields, _ part: Condition.Part) -> Condition.Wanted? {
        if let node = fields[ConditionKeys.like] { return patterns(node) }
        if let node = fields[ConditionKeys.matches] { return expression(node) }
        if let node = fields[ConditionKeys.any] { return several(node, part).map(Condition.Wanted.any) }
        if let node = fields[ConditionKeys.all] { return several(node, part).map(Condition.Wanted.all) }
        if let node = fields[ConditionKeys.not] { return wanted(node, part).map { .not($0) } }
        if let node = fields[ConditionKeys.include] { return several(node, part).map { .values($0, exactly: false) } }
        if let node = fields[ConditionKeys.exactly] { return several(node, part).map { .values($0, exactly: true) } }
        if let node = fields[ConditionKeys.at] { return paths(node) }
        if let node = fields[ConditionKeys.alike] { return likeness(node) }
        if let node = fields[ConditionKeys.schema] { return schema(node) }
        return fields[ConditionKeys.json].flatMap { value($0, part) }
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

    private func expression(_ node: Node) -> Condition.Wanted? {
        guard let text = node.text(complaints) else { return nil }
        do throws(PatternError) { return .matches(try TextPattern(text)) } catch {
            complaints.add("in the expression `\(text)` \(error)", at: node.position)
            return nil
        }
    }

    private func several(_ node: Node, _ part: Condition.Part) -> [Condition.Wanted]? {
        guard case .list(let elements) = node.content, !elements.isEmpty else { return node.wrong(complaints, "a list of conditions") }
        return elements.compactMap { wanted($0, part) }
    }

    private func paths(_ node: Node) -> Condition.Wanted? {
        let parts = Fields(node, of: "`at`", complaints).all.compactMap { name, keyNode, value -> Condition.Wanted? in
            do throws(PatternError) {
                let path = try JSONPath(name)
                return wanted(value, .text).map { .at(path, $0) }
            } catch {
                complaints.add("in the path `\(name)` \(error)", at: keyNode.position)
                return nil
            }
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private func likeness(_ node: Node) -> Condition.Wanted? {
        let fields = Fields(node, of: LikenessKeys.schema, complaints)
        let document = fields[LikenessKeys.document]
        let (more, order) = (fields[LikenessKeys.more] ?? false, fields[LikenessKeys.order] ?? false)
        fields.finish()
        return document.map { .alike(JSONLikeness($0.json, allowsMore: more, anyOrder: order)) }
    }

    private func schema(_ node: Node) -> Condition.Wanted? {
        do throws(JSONSchemaError) { return .schema(try JSONSchema(node.json)) } catch {
            complaints.add("in the schema \(error)", at: node.position)
            return nil
        }
    }
}
