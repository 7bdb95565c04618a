import BankModel

/// Makes values that fit JSON Schemas: of their own examples where they have some, else as plain as can be.
///
/// A schema has one example, made once: schemas that refer to each other twice at each step would else double it at each.
final class SchemaExample {
    private unowned let description: Description

    /// An example, and how many values it has in it.
    private struct Made {
        var value: JSON
        var size: Int
    }

    /// By pointer; and by name, which stands in texts, for what is no object.
    private var made: [String: Made] = [:]

    /// Deeper values are left out.
    private static let deepest = 64
    /// An example leaves out everything that would make it larger.
    private static let largest = 5_000

    init(description: Description) { self.description = description }

    /// The value; nil where the schema leads into a circle, or nowhere.
    func value(_ schema: LocatedNode) -> JSON? { value(schema, name: "", open: [])?.value }

    /// - Parameter open: the pointers of the schemas in which this one stands.
    private func value(_ written: LocatedNode, name: String, open: [String]) -> Made? {
        guard let schema = description.resolved(written), !open.contains(schema.pointer) else { return nil }
        let key = SchemaExample.type(schema) == "object" ? schema.pointer : "\(schema.pointer) \(name)"
        if let known = made[key] { return known }
        guard open.count < SchemaExample.deepest else {
            description.cannot(.approximate, schema, "it is nested in \(SchemaExample.deepest) others, and omitted from their example")
            return nil
        }
        let value = make(schema, name: name, open: open + [schema.pointer])
        made[key] = value
        return value
    }

    private func make(_ schema: LocatedNode, name: String, open: [String]) -> Made? {
        if let example = schema["example"] ?? schema["examples"]?.elements.first ?? schema["const"] ?? schema["default"] {
            let json = example.json
            return Made(value: json, size: json.count)
        }
        if let first = schema["enum"]?.elements.first(where: { !$0.node.isNull }) { return Made(value: first.json, size: 1) }
        if let all = schema["allOf"]?.elements, !all.isEmpty { return merged(all, schema, name: name, open: open) }
        for choice in (schema["oneOf"] ?? schema["anyOf"])?.elements ?? [] {
            if let value = value(choice, name: name, open: open), value.value != .null { return value }
        }
        switch SchemaExample.type(schema) {
        case "object": return object(schema, open: open)
        case "array":
            let inner = schema["items"].flatMap { value($0, name: name, open: open) }
            guard let inner, fits(inner, 1, schema) else { return Made(value: [], size: 1) }
            return Made(value: .array([inner.value]), size: 1 + inner.size)
        case "string": return Made(value: .string(text(schema, name: name)), size: 1)
        case "integer":
            return Made(value: .int(schema["minimum"]?.json.int ?? schema["maximum"]?.json.int.map { min($0, 1) } ?? 1), size: 1)
        case "number": return (schema["minimum"]?.json ?? JSONNumber("1.50").map(JSON.number)).map { Made(value: $0, size: 1) }
        case "boolean": return Made(value: true, size: 1)
        case "null": return Made(value: .null, size: 1)
        default: return Made(value: .object(JSONObject()), size: 1)
        }
    }

    /// The type that is not null; told by the keywords where it is not written.
    static func type(_ schema: LocatedNode) -> String? {
        if let type = schema["type"] { return type.text ?? type.elements.compactMap(\.text).first { $0 != "null" } ?? "null" }
        if schema["properties"] != nil || schema["additionalProperties"] != nil { return "object" }
        if schema["items"] != nil { return "array" }
        return schema["format"] != nil || schema["pattern"] != nil ? "string" : nil
    }

    /// Whether the inner example fits into one that already has `size` values; reports it otherwise.
    private func fits(_ inner: Made, _ size: Int, _ schema: LocatedNode) -> Bool {
        if size + inner.size <= SchemaExample.largest { return true }
        description.cannot(
            .approximate, schema, "an example has at most \(SchemaExample.largest) values here; this one is omitted")
        return false
    }

    // MARK: objects

    private func merged(_ all: [LocatedNode], _ schema: LocatedNode, name: String, open: [String]) -> Made? {
        var object = JSONObject()
        var size = 1
        for part in all {
            guard let inner = value(part, name: name, open: open) else { continue }
            guard case .object(let members) = inner.value else { return inner }
            guard fits(inner, size, part) else { continue }
            size += inner.size
            for member in members.members { object[member.key] = member.value }
        }
        let own = self.object(schema, open: open)
        if case .object(let members) = own.value, fits(own, size, schema) {
            size += own.size
            for member in members.members { object[member.key] = member.value }
        }
        return Made(value: .object(object), size: size)
    }

    private func object(_ schema: LocatedNode, open: [String]) -> Made {
        var members: [(key: String, value: JSON)] = []
        var size = 1
        for (name, property) in schema["properties"]?.members ?? [] where description.resolved(property)?["writeOnly"]?.isTrue != true {
            guard let inner = value(property, name: name, open: open), fits(inner, size, property) else { continue }
            size += inner.size
            members.append((name, inner.value))
        }
        return Made(value: .object(JSONObject(members)), size: size)
    }

    // MARK: texts

    private static let formats = [
        "date-time": "2026-01-12T09:15:00Z", "date": "2026-01-12", "time": "09:15:00Z", "uuid": "3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b10",
        "email": "ava@example.com", "uri": "https://example.com/", "url": "https://example.com/", "hostname": "example.com",
        "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "QXZh", "duration": "P1D",
    ]

    private func text(_ schema: LocatedNode, name: String) -> String {
        if let format = schema["format"]?.text, let text = SchemaExample.formats[format] { return text }
        if let pattern = schema["pattern"] {
            if pattern.text == "^[A-Z]{3,3}$" || pattern.text == "^[A-Z]{3}$" || pattern.text == "[A-Z]{3}" { return "GBP" }
            description.cannot(.approximate, pattern, "no text is generated for a pattern; add an `example` to the schema")
        }
        let plain = name.isEmpty ? "Example" : "Example \(name)"
        let shortest = schema["minLength"]?.json.int.map { Int(clamping: $0) } ?? 0
        let longest = schema["maxLength"]?.json.int.map { Int(clamping: $0) } ?? plain.count
        let padded = plain + String(repeating: "x", count: min(max(0, shortest - plain.count), 1000))
        return String(padded.prefix(max(longest, shortest)))
    }
}

extension JSON {
    /// How many values there are in it, itself too.
    fileprivate var count: Int {
        switch self {
        case .array(let elements): elements.reduce(1) { $0 + $1.count }
        case .object(let object): object.members.reduce(1) { $0 + $1.value.count }
        default: 1
        }
    }
}
