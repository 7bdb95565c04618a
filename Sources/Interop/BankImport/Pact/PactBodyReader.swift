import BankCore
import BankModel

/// Reads what a JSON body must be: one whole, or field by field where rules leave some of it open.
struct PactBodyReader {
    let notes: Notes
    let rules: PactRules

    func conditions(_ body: LocatedJSON) -> [Condition] {
        guard rules.hasRule(below: []) else { return [Condition(.json, .value(body.json))] }
        guard body.json.object != nil else {
            let rule = rules.rule([])
            notes.cannot(.wider, rule?.piece ?? body, "any body is accepted if it is not an object")
            return [Condition(.json, .like(["*"]))]
        }
        notes.cannot(.wider, body, "where rules allow any value, further fields are accepted")
        return fields(body, [], "")
    }

    private func fields(_ object: LocatedJSON, _ place: [PactRules.Step], _ path: String) -> [Condition] {
        object.json.object?.keys.flatMap { key -> [Condition] in
            let value = object.member(key)
            guard !key.isEmpty, !key.contains(".") else {
                notes.cannot(.leftOut, value, "a field whose name contains a dot, or is empty")
                return []
            }
            return conditions(value, place + [.name(key)], path.isEmpty ? key : "\(path).\(key)")
        } ?? []
    }

    private func conditions(_ piece: LocatedJSON, _ place: [PactRules.Step], _ path: String) -> [Condition] {
        switch piece.json {
        case .object(let object) where !object.members.isEmpty && isOpen(place): return fields(piece, place, path)
        case .object, .array:
            guard let rule = rules.rule(place) ?? rules.rules.first(where: { rules.hasRule(below: place) && $0.category == "body" }),
                isOpen(place)
            else { return [Condition(.body, path, .value(piece.json))] }
            notes.cannot(.wider, rule.piece, "any list that is not empty is accepted")
            return [Condition(.body, path, .like(["*"]))]
        default:
            return PactMatcherReader(notes: notes).wanted(rules.rule(place), example: piece.json).map { Condition(.body, path, $0) }
        }
    }

    /// Whether rules leave something of what stands there open.
    private func isOpen(_ place: [PactRules.Step]) -> Bool {
        if rules.hasRule(below: place) { return true }
        return rules.rule(place)?.matchers.contains { PactRules.name($0) != "equality" } ?? false
    }
}
