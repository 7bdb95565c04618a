import BankModel

/// Makes values that fit JSON Schemas: from their examples if they have some, otherwise as plain as possible.
///
/// A schema has one example, made once: schemas that refer to each other twice at each step would else double it at each.
final class SchemaExample {
    private unowned let description: Description

    /// An example, and how many values it has in it: counted once, as many schemas may refer to it.
    private typealias CountedExample = (value: JSON, size: Int)

    /// By pointer; and by name, which stands in texts, for what is not an object.
    private var made: [String: CountedExample] = [:]

    /// Deeper values are left out.
    private static let deepest = 64
    /// An example leaves out everything that would make it larger.
    private static let largest = 5_000

    init(description: Description) { self.description = description }

    /// The value; nil where the schema leads into a circle, or nowhere.
    func value(_ schema: LocatedNode) -> JSON? { value(schema, name: "") }

    private func value(_ schema: LocatedNode, name: String, open: [String] = []) -> JSON? {
        example(schema, name: name, open: open)?.value
    }

    /// - Parameter open: the pointers of the schemas in which this one stands.
    private func example(_ written: LocatedNode, name: String, open: [String]) -> CountedExample? {
        guard let schema = description.resolved(written), !open.contains(schema.pointer) else { return nil }
        let key = SchemaExample.type(schema) == "object" ? schema.pointer : "\(schema.pointer) \(name)"
        if let known = made[key] { return known }
        guard open.count < SchemaExample.deepest else {
            description.warn(.approximate, schema, "it is nested in \(SchemaExample.deepest) others, and omitted from their example")
            return nil
        }
        guard let value = make(schema, name: name, open: open + [schema.pointer]) else { return nil }
        let example = (value: value, size: value.flattened.count)
        made[key] = example
        return example
    }

    private func make(_ schema: LocatedNode, name: String, open: [String]) -> JSON? {
        if let constant = schema["const"] { return constant.json }
        if let example = schema["example"] ?? schema["examples"]?.elements.first ?? schema["default"], !example.node.isNull {
            if let json = fitted(example.json, schema, name: name, at: example) { return json }
        }
        if let first = schema["enum"]?.elements.first(where: { !$0.node.isNull }) { return first.typedJSON(schema) }
        if let all = schema["allOf"]?.elements, !all.isEmpty { return merged(all, schema, name: name, open: open) }
        for choice in (schema["oneOf"] ?? schema["anyOf"])?.elements ?? [] {
            if let value = value(choice, name: name, open: open), value != .null { return value }
        }
        switch SchemaExample.type(schema) {
        case "object": return object(schema, open: open)
        case "array":
            let inner = schema["items"].flatMap { example($0, name: name, open: open) }
            guard let inner, fits(inner.size, 1, schema) else { return [] }
            let count = min(max(schema["minItems"]?.json.int.map { Int(clamping: $0) } ?? 1, 1), 10)
            return .array(Array(repeating: inner.value, count: count))
        case "string": return .string(text(schema, name: name))
        case "integer": return SchemaScalar(schema: schema, name: name).number(isWhole: true)
        case "number": return SchemaScalar(schema: schema, name: name).number(isWhole: false)
        case "boolean": return true
        case "null": return .null
        default: return [:]
        }
    }

    /// The type that is not null; inferred from the keywords where it is not written.
    static func type(_ schema: LocatedNode) -> String? {
        if let type = schema["type"] { return type.text ?? type.elements.compactMap(\.text).first { $0 != "null" } ?? "null" }
        if schema["properties"] != nil || schema["additionalProperties"] != nil { return "object" }
        if schema["items"] != nil { return "array" }
        return schema["format"] != nil || schema["pattern"] != nil ? "string" : nil
    }

    /// Whether an inner example of that many values fits into one that already has `size`; reports it otherwise.
    private func fits(_ inner: Int, _ size: Int, _ schema: LocatedNode) -> Bool {
        if size + inner <= SchemaExample.largest { return true }
        description.warn(.approximate, schema, "an example has at most \(SchemaExample.largest) values here; this one is omitted")
        return false
    }

    // MARK: objects

    private func merged(_ all: [LocatedNode], _ schema: LocatedNode, name: String, open: [String]) -> JSON? {
        var object = JSONObject()
        var size = 1
        for part in all {
            guard let inner = example(part, name: name, open: open) else { continue }
            guard case .object(let members) = inner.value else { return inner.value }
            guard fits(inner.size, size, part) else { continue }
            size += inner.size
            for member in members.members { object[member.key] = member.value }
        }
        let own = self.object(schema, open: open)
        if case .object(let members) = own, fits(own.flattened.count, size, schema) {
            for member in members.members { object[member.key] = member.value }
        }
        return .object(object)
    }

    private func object(_ schema: LocatedNode, open: [String]) -> JSON {
        var members: [(key: String, value: JSON)] = []
        var size = 1
        let properties = schema["properties"]?.members ?? []
        let hasCurrency = properties.contains { DescribedName.plain($0.key).hasPrefix("currency") }
        for (name, property) in properties where description.resolved(property)?["writeOnly"]?.isTrue != true {
            // `{"currencyCode": "GBP", "value": "12.30"}`
            let meaning = hasCurrency && name == "value" ? "amount" : name
            guard let inner = example(property, name: meaning, open: open), fits(inner.size, size, property) else { continue }
            size += inner.size
            members.append((name, inner.value))
        }
        return .object(JSONObject(members))
    }

    // MARK: scalars

    private func text(_ schema: LocatedNode, name: String) -> String {
        let (text, isGuess) = SchemaScalar(schema: schema, name: name).text()
        if isGuess, let pattern = schema["pattern"] {
            description.warn(.approximate, pattern, "no text is generated for this pattern; add an `example` to the schema")
        }
        return text
    }

    // MARK: examples

    /// The example with everything that its schema does not allow replaced: values of another type are converted, others and members
    /// that are missing are generated, and members that may not be there are left out; each is listed. Nil if all of it must be.
    ///
    /// - Parameters:
    ///   - location: the position of the example, for notes.
    ///   - depth: of the value in it.
    func fitted(_ value: JSON, _ written: LocatedNode?, name: String = "", at location: LocatedNode, depth: Int = 0) -> JSON? {
        guard depth < SchemaExample.deepest, let written, let schema = description.resolved(written) else { return value }
        if schema["oneOf"] != nil || schema["anyOf"] != nil { return value }
        let scalar = SchemaScalar(schema: schema, name: name)
        if let misfit = scalar.misfit(value) {
            if let converted = scalar.converted(value) {
                note(location, "an example of another type than its schema's is converted")
                return converted
            }
            note(location, "an example that does not fit its schema is replaced (\(misfit))")
            return nil
        }
        switch value {
        case .object(let object): return fitted(object, schema, at: location, depth: depth)
        case .array(let elements):
            let fitting = elements.compactMap { fitted($0, schema["items"], name: name, at: location, depth: depth + 1) }
            return .array(fitting)
        default: return value
        }
    }

    private func fitted(_ object: JSONObject, _ schema: LocatedNode, at location: LocatedNode, depth: Int) -> JSON {
        let parts = parts(of: schema)
        var made = JSONObject()
        let properties = parts.flatMap { $0["properties"]?.members ?? [] }
        let isClosed = parts.contains { $0["additionalProperties"]?.text == "false" }
        for member in object.members {
            guard let property = properties.first(where: { $0.key == member.key })?.value else {
                if isClosed {
                    note(location, "a member that the schema of the example does not allow is left out")
                } else {
                    made[member.key] = member.value
                }
                continue
            }
            let inner = fitted(member.value, property, name: member.key, at: location, depth: depth + 1)
            made[member.key] = inner ?? value(property, name: member.key)
        }
        for name in parts.flatMap({ $0["required"]?.elements.compactMap(\.text) ?? [] }) where made[name] == nil {
            guard let property = properties.first(where: { $0.key == name })?.value,
                description.resolved(property)?["writeOnly"]?.isTrue != true, let value = value(property, name: name)
            else { continue }
            note(location, "a required member that the example lacks is generated")
            made[name] = value
        }
        return .object(made)
    }

    /// The schema, and those of its `allOf`.
    private func parts(of schema: LocatedNode, depth: Int = 0) -> [LocatedNode] {
        guard depth < 8 else { return [schema] }
        return [schema] + (schema["allOf"]?.elements ?? []).compactMap(description.resolved).flatMap { parts(of: $0, depth: depth + 1) }
    }

    private func note(_ location: LocatedNode, _ reason: String) { description.warn(.approximate, location, reason) }
}
