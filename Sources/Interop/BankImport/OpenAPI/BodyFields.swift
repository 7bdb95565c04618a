import BankCore
import BankModel

/// What a schema says of a body's fields, as far as a bank checks it: which must be there, and of what kind each is.
struct BodyFields {
    let description: Description
    /// Dotted paths, in the order of the schema.
    private(set) var required: [String] = []
    private(set) var kinds: [(path: String, kind: Operation.BodyRule.Kind)] = []
    private var requiredPaths: Set<String> = []
    private var kindPaths: Set<String> = []
    /// How many more fields are looked at.
    private var budget = BodyFields.most

    /// Fields in deeper objects are not looked at.
    private static let deepest = 5
    /// Nor further ones than so many.
    private static let most = 2_000
    /// What a value must be besides its kind.
    private static let finer: Set<String> = [
        "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        "minItems", "maxItems", "uniqueItems", "not", "format", "additionalProperties",
    ]

    init(description: Description) { self.description = description }

    /// Reads a body's schema.
    mutating func read(_ schema: Spot) { read(schema, path: "", isRequired: true, depth: 0) }

    private mutating func read(_ written: Spot, path: String, isRequired: Bool, depth: Int) {
        guard depth < BodyFields.deepest, let schema = description.resolved(written) else { return }
        for part in schema["allOf"]?.elements ?? [] where isLookedAt(part) {
            read(part, path: path, isRequired: isRequired, depth: depth + 1)
        }
        if let choice = schema["oneOf"] ?? schema["anyOf"] {
            description.cannot(.wider, choice, "of a body that may be one of several things no field is looked at")
        }
        let needed = Set(schema["required"]?.elements.compactMap(\.text) ?? [])
        for (name, written) in schema["properties"]?.members ?? [] where !name.contains(".") && !name.isEmpty && isLookedAt(written) {
            guard let property = description.resolved(written), property["readOnly"]?.isTrue != true else { continue }
            let inner = path.isEmpty ? name : "\(path).\(name)"
            let isNeeded = isRequired && needed.contains(name)
            let kind = kind(property)
            if isNeeded, requiredPaths.insert(inner).inserted { required.append(inner) }
            if let kind, kindPaths.insert(inner).inserted { kinds.append((inner, kind)) }
            for (keyword, value) in property.members where BodyFields.finer.contains(keyword) {
                description.cannot(.wider, value, "of a body's fields only the kinds are looked at")
            }
            if kind == .object || property["allOf"] != nil { read(property, path: inner, isRequired: isNeeded, depth: depth + 1) }
        }
    }

    private mutating func isLookedAt(_ field: Spot) -> Bool {
        budget -= 1
        if budget == 0 { description.cannot(.wider, field, "of a body the first \(BodyFields.most) fields are looked at") }
        return budget > 0
    }

    /// The kind; nil where the schema allows several, or null.
    private func kind(_ schema: Spot) -> Operation.BodyRule.Kind? {
        if schema["nullable"]?.isTrue == true || schema["type"]?.elements.isEmpty == false { return nil }
        return switch SchemaExample.type(schema) {
        case "string": .text
        case "integer": .whole
        case "number": .number
        case "boolean": .flag
        case "array": .list
        case "object": .object
        default: nil
        }
    }
}
