import BankModel

/// Makes a value that fits a JSON Schema: of its own examples where it has some, else as plain as can be.
struct SchemaExample {
    let description: Description

    /// Deeper values are left out.
    private static let deepest = 24

    /// The value; nil where the schema leads into a circle, or nowhere.
    func value(_ schema: Spot) -> JSON? { value(schema, name: "", open: []) }

    /// - Parameter open: the pointers of the schemas in which this one stands.
    private func value(_ written: Spot, name: String, open: [String]) -> JSON? {
        guard let schema = description.resolved(written), !open.contains(schema.pointer), open.count < SchemaExample.deepest else {
            return nil
        }
        let open = open + [schema.pointer]
        if let example = schema["example"] ?? schema["examples"]?.elements.first ?? schema["const"] ?? schema["default"] {
            return example.json
        }
        if let first = schema["enum"]?.elements.first(where: { !$0.node.isNull }) { return first.json }
        if let all = schema["allOf"]?.elements, !all.isEmpty { return merged(all, schema, name: name, open: open) }
        for choice in (schema["oneOf"] ?? schema["anyOf"])?.elements ?? [] {
            if let value = value(choice, name: name, open: open), value != .null { return value }
        }
        switch SchemaExample.type(schema) {
        case "object": return object(schema, open: open)
        case "array":
            guard let items = schema["items"] else { return [] }
            return .array([value(items, name: name, open: open)].compactMap(\.self))
        case "string": return .string(text(schema, name: name))
        case "integer": return .int(schema["minimum"]?.json.int ?? schema["maximum"]?.json.int.map { min($0, 1) } ?? 1)
        case "number": return schema["minimum"]?.json ?? JSONNumber("1.50").map(JSON.number)
        case "boolean": return true
        case "null": return .null
        default: return .object(JSONObject())
        }
    }

    /// The type that is not null; told by the keywords where it is not written.
    static func type(_ schema: Spot) -> String? {
        if let type = schema["type"] { return type.text ?? type.elements.compactMap(\.text).first { $0 != "null" } ?? "null" }
        if schema["properties"] != nil || schema["additionalProperties"] != nil { return "object" }
        if schema["items"] != nil { return "array" }
        return schema["format"] != nil || schema["pattern"] != nil ? "string" : nil
    }

    private func merged(_ all: [Spot], _ schema: Spot, name: String, open: [String]) -> JSON? {
        var object = JSONObject()
        for part in all {
            guard let value = value(part, name: name, open: open) else { continue }
            guard case .object(let members) = value else { return value }
            for member in members.members { object[member.key] = member.value }
        }
        if case .object(let own) = self.object(schema, open: open) { for member in own.members { object[member.key] = member.value } }
        return .object(object)
    }

    private func object(_ schema: Spot, open: [String]) -> JSON {
        var object = JSONObject()
        for (name, property) in schema["properties"]?.members ?? [] where description.resolved(property)?["writeOnly"]?.isTrue != true {
            if let value = value(property, name: name, open: open) { object[name] = value }
        }
        return .object(object)
    }

    // MARK: texts

    private static let formats = [
        "date-time": "2026-01-12T09:15:00Z", "date": "2026-01-12", "time": "09:15:00Z", "uuid": "3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b10",
        "email": "ava@example.com", "uri": "https://example.com/", "url": "https://example.com/", "hostname": "example.com",
        "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "QXZh", "duration": "P1D",
    ]

    private func text(_ schema: Spot, name: String) -> String {
        if let format = schema["format"]?.text, let text = SchemaExample.formats[format] { return text }
        if let pattern = schema["pattern"] {
            if pattern.text == "^[A-Z]{3,3}$" || pattern.text == "^[A-Z]{3}$" || pattern.text == "[A-Z]{3}" { return "GBP" }
            description.cannot(.approximate, pattern, "no text is made for a pattern; give the schema an `example`")
        }
        let plain = name.isEmpty ? "Example" : "Example \(name)"
        let shortest = schema["minLength"]?.json.int.map { Int(clamping: $0) } ?? 0
        let longest = schema["maxLength"]?.json.int.map { Int(clamping: $0) } ?? plain.count
        let padded = plain + String(repeating: "x", count: min(max(0, shortest - plain.count), 1000))
        return String(padded.prefix(max(longest, shortest)))
    }
}
