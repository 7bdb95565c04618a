import BankCore
import BankModel

/// A body that a description has an example of.
struct DescribedBody {
    /// The media type.
    var type: String
    /// Nil for a type that is not JSON.
    var json: JSON?
    /// The bytes to send; JSON is indented.
    var bytes: [UInt8]
}

/// Reads `content` of requests and responses.
extension Description {
    /// Whether a media type is JSON, by its name.
    static func isJSON(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }.lowercased()
        return name == "application/json" || name.hasSuffix("+json") || name == "*/*" || name == "application/*"
    }

    /// The media type that is taken of several: JSON before others, then the first.
    func media(_ content: LocatedNode?) -> (type: String, node: LocatedNode)? {
        let types = content?.members ?? []
        guard let taken = types.first(where: { Description.isJSON($0.key) }) ?? types.first else { return nil }
        for other in types where other.key != taken.key {
            warn(.ignored, other.value, "an operation has one content type here; \(taken.key) is used")
        }
        return (taken.key, taken.value)
    }

    /// The example of a response's body; nil where there is none, and none can be made.
    func body(_ content: LocatedNode?) -> DescribedBody? {
        guard let (type, media) = media(content) else { return nil }
        let sent = type.contains("*") ? "application/json" : type
        let written = example(media).flatMap { examples.fitted($0.value, media["schema"], at: $0.location) }
        guard let value = written ?? media["schema"].flatMap(examples.value) else {
            warn(.ignored, media, "it has no example, and none can be generated; the response has no body")
            return nil
        }
        guard Description.isJSON(type) else {
            if let text = value.string, media["schema"]?["format"]?.text != "binary" {
                return DescribedBody(type: sent, bytes: Array(text.utf8))
            }
            warn(.ignored, media, "the example of a \(type) is not text; the response has no body")
            return nil
        }
        return DescribedBody(type: sent, json: value, bytes: Array((value.pretty + "\n").utf8))
    }

    private func example(_ media: LocatedNode) -> (value: JSON, location: LocatedNode)? {
        if let example = media["example"] { return (parsed(example.json, media), example) }
        let several = media["examples"]?.members ?? []
        for (_, written) in several {
            guard let example = resolved(written) else { continue }
            if let other = example["externalValue"] {
                warn(.ignored, other, "external examples are not fetched")
                continue
            }
            guard let value = example["value"] else { continue }
            for other in several where several.count > 1 && other.value.pointer != written.pointer {
                warn(.ignored, other.value, "an operation has one response here; the first example is used")
            }
            return (parsed(value.json, media), value)
        }
        return nil
    }

    /// Many write the JSON of an example as a text.
    private func parsed(_ value: JSON, _ media: LocatedNode) -> JSON {
        guard case .string(let text) = value, media["schema"].flatMap(SchemaExample.type) != "string" else { return value }
        return (try? JSON(parsing: Array(text.utf8))) ?? value
    }
}

/// The checks of a body's fields that a bank can do: the required fields, and the type of each.
struct BodyFields {
    let description: Description
    /// Dotted paths, in the order of the schema.
    private(set) var required: [String] = []
    /// The kinds of fields by their dotted paths, as an operation of a bank writes them.
    private(set) var kinds = JSONObject()
    /// All fields, in the order of the schema.
    private(set) var found: [DescribedField] = []
    /// How many more fields are looked at.
    private var budget = BodyFields.most

    struct DescribedField {
        /// Dotted.
        var path: String
        var schema: LocatedNode
        var kind: Operation.BodyRule.Kind?
        /// Whether it and the objects that it is in are required.
        var isRequired: Bool

        /// Its own name.
        var name: String { path.split(separator: ".").last.map(String.init) ?? path }
    }

    /// Fields in deeper objects are not looked at.
    private static let deepest = 5
    /// The number of fields visited in total.
    private static let most = 2_000
    /// The keywords that constrain a value beyond its type.
    private static let finer: Set<String> = [
        "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        "minItems", "maxItems", "uniqueItems", "not", "format", "additionalProperties",
    ]

    init(description: Description) { self.description = description }

    /// Reads a body's schema.
    mutating func read(_ schema: LocatedNode) { read(schema, path: "", isRequired: true, depth: 0) }

    private mutating func read(_ written: LocatedNode, path: String, isRequired: Bool, depth: Int) {
        guard depth < BodyFields.deepest, let schema = description.resolved(written) else { return }
        for part in schema["allOf"]?.elements ?? [] where isLookedAt(part) {
            read(part, path: path, isRequired: isRequired, depth: depth + 1)
        }
        if let choice = schema["oneOf"] ?? schema["anyOf"] {
            description.warn(.wider, choice, "the fields of a body with alternatives are not checked")
        }
        let needed = Set(schema["required"]?.elements.compactMap(\.text) ?? [])
        for (name, written) in schema["properties"]?.members ?? [] where !name.contains(".") && !name.isEmpty && isLookedAt(written) {
            guard let property = description.resolved(written), property["readOnly"]?.isTrue != true else { continue }
            let inner = path.isEmpty ? name : "\(path).\(name)"
            let isNeeded = isRequired && needed.contains(name)
            let kind = kind(property)
            if !found.contains(where: { $0.path == inner }) {
                found.append(DescribedField(path: inner, schema: property, kind: kind, isRequired: isNeeded))
            }
            if isNeeded, !required.contains(inner) { required.append(inner) }
            if let kind, kinds[inner] == nil { kinds[inner] = .string(kind.rawValue) }
            for (keyword, value) in property.members where BodyFields.finer.contains(keyword) {
                description.warn(.wider, value, "only the types of a body's fields are checked")
            }
            if kind == .object || property["allOf"] != nil { read(property, path: inner, isRequired: isNeeded, depth: depth + 1) }
        }
    }

    private mutating func isLookedAt(_ field: LocatedNode) -> Bool {
        budget -= 1
        if budget == 0 { description.warn(.wider, field, "only the first \(BodyFields.most) fields of a body are checked") }
        return budget > 0
    }

    /// The kind; nil where the schema allows several, or null.
    private func kind(_ schema: LocatedNode) -> Operation.BodyRule.Kind? {
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
