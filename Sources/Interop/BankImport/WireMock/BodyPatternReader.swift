import BankCore
import BankModel

/// Reads what a body must be: one of a mapping's `bodyPatterns`.
struct BodyPatternReader {
    let notes: Notes

    func conditions(_ pattern: LocatedJSON) -> [Condition] {
        if let json = pattern["equalToJson"] {
            notes.unknown(pattern, known: ["equalToJson", "ignoreArrayOrder", "ignoreExtraElements"], .leftOut)
            return equalToJSON(json, pattern)
        }
        if let path = pattern["matchesJsonPath"] {
            notes.unknown(pattern, known: ["matchesJsonPath"], .leftOut)
            return jsonPath(path)
        }
        if let parts = pattern["and"], parts.elements.contains(where: { $0["equalToJson"] != nil || $0["matchesJsonPath"] != nil }) {
            return parts.elements.flatMap(conditions)
        }
        return MatcherReader(notes: notes).wanted(pattern).map { Condition(.text, $0) }
    }

    // MARK: equalToJson

    private func equalToJSON(_ piece: LocatedJSON, _ pattern: LocatedJSON) -> [Condition] {
        guard let wanted = document(piece) else { return [] }
        guard !wanted.text.contains("${json-unit") else { return warn(piece, "placeholders of JsonUnit are not supported") }
        if notes.flag(pattern["ignoreArrayOrder"]), wanted.hasLongArray {
            return warn(piece, "arrays are compared in their order")
        }
        guard notes.flag(pattern["ignoreExtraElements"]) else { return [Condition(.json, .value(wanted))] }
        var conditions: [Condition] = []
        guard wanted.object != nil, collect(wanted, "", &conditions) else {
            return warn(piece, "with ignoreExtraElements, only strings, numbers and booleans are supported")
        }
        return conditions
    }

    private func document(_ piece: LocatedJSON) -> JSON? {
        guard let text = piece.json.string else { return piece.json }
        do throws(JSONError) { return try JSON(parsing: text) } catch {
            notes.complaints.add(
                "\(piece.path): in its text at \(error.line):\(error.column) found \(error.found), expected \(error.expected)",
                at: SourcePosition(file: piece.file, path: piece.path))
            return nil
        }
    }

    /// One condition for each scalar below; false if there is something else.
    private func collect(_ json: JSON, _ path: String, _ conditions: inout [Condition]) -> Bool {
        switch json {
        case .null, .array: return false
        case .bool, .number, .string:
            conditions.append(Condition(.body, path, .value(json)))
            return true
        case .object(let object):
            guard !object.members.isEmpty else { return false }
            for (key, value) in object.members {
                guard !key.isEmpty, !key.contains("."), collect(value, path.isEmpty ? key : "\(path).\(key)", &conditions) else {
                    return false
                }
            }
            return true
        }
    }

    // MARK: matchesJsonPath

    private func jsonPath(_ piece: LocatedJSON) -> [Condition] {
        guard let expression = piece["expression"] else {
            guard let text = notes.text(piece) else { return [] }
            guard let conditions = JSONPath.conditions(text) else { return warn(piece, JSONPath.sayable) }
            if JSONPath.field(text) == nil { notes.cannot(.narrower, piece, JSONPath.looseness) }
            return conditions
        }
        guard let text = notes.text(expression) else { return [] }
        guard let path = JSONPath.field(text) else { return warn(expression, JSONPath.sayable) }
        if piece["absent"].map(notes.flag) == true {
            // Without a body, WireMock matches nothing, not even `absent`.
            return [Condition(.body, path, .absent), Condition(.text, .like(["*"]))]
        }
        note(piece)
        return MatcherReader(notes: notes).wanted(piece, modifiers: ["expression"]).flatMap { wanted in
            // WireMock compares the value's text: "12" is met by 12.
            guard case .value(.string(let text)) = wanted else { return [Condition(.body, path, wanted)] }
            guard !text.contains("*"), !text.isEmpty else { return warn(piece, "in a pattern `*` matches any text, never itself") }
            return [Condition(.body, path, .like([text]))]
        }
    }

    /// Converts the value of a path as WireMock does before it compares a text.
    private func note(_ piece: LocatedJSON) {
        notes.cannot(.narrower, piece, "WireMock compares each element of a list, the bank the list's text")
        for (key, wanted) in piece.members where key != "expression" {
            guard let text = wanted.json.string, text.contains("."), text.contains(where: \.isNumber) else { continue }
            notes.cannot(.approximate, wanted, "numbers are compared by their digits; in WireMock 12.50 equals 12.5")
        }
    }

    private func warn(_ piece: LocatedJSON, _ reason: String) -> [Condition] {
        notes.cannot(.leftOut, piece, reason)
        return []
    }
}

extension JSON {
    /// Whether an array of several elements is in it.
    fileprivate var hasLongArray: Bool {
        switch self {
        case .array(let elements): elements.count > 1 || elements.contains { $0.hasLongArray }
        case .object(let object): object.members.contains { $0.value.hasLongArray }
        default: false
        }
    }
}
