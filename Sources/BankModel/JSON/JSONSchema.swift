/// A JSON Schema, as far as requests are usually described: `type`, `required`, `properties`, `additionalProperties`, `items`, `enum`,
/// `const`, `pattern`, the bounds of numbers, texts and arrays, `allOf`, `anyOf`, `oneOf`, `not`.
package struct JSONSchema: Sendable, Hashable {
    /// The schema as written.
    package let source: JSON
    /// All must hold.
    private let rules: [Keyword]

    indirect enum Keyword: Sendable, Hashable {
        case never
        case types([String])
        case required([String])
        case properties([String: JSONSchema])
        /// For the members that `properties` does not name.
        case additional(JSONSchema, beside: Set<String>)
        case items(JSONSchema)
        case among([JSON])
        case pattern(TextPattern)
        /// `minimum`, `exclusiveMaximum` and the like.
        case bound(String, JSONNumber)
        /// `minLength`, `maxItems` and the like.
        case count(String, Int)
        case unique
        case all([JSONSchema])
        case any([JSONSchema])
        case one([JSONSchema])
        case not(JSONSchema)
    }

    /// The annotations, which describe a schema and do not limit the document.
    private static let notes: Set<String> = [
        "$schema", "$id", "id", "title", "description", "default", "examples", "format", "$comment", "readOnly", "writeOnly", "deprecated",
    ]

    /// Reads a schema; `path` is its position, for messages. Throws for a keyword that is not supported, or has no meaning.
    package init(_ json: JSON, path: String = "$") throws(JSONSchemaError) {
        source = json
        if let flag = json.bool {
            rules = flag ? [] : [.never]
            return
        }
        guard let object = json.object else { throw JSONSchemaError(path: path, found: json.kindName, expected: "a schema") }
        var rules: [Keyword] = []
        for (key, value) in object.members where !JSONSchema.notes.contains(key) {
            if let rule = try JSONSchema.rule(key, value, object, "\(path).\(key)") { rules.append(rule) }
        }
        self.rules = rules
    }

    private static func rule(_ key: String, _ value: JSON, _ object: JSONObject, _ path: String) throws(JSONSchemaError) -> Keyword? {
        func wrong(_ expected: String) -> JSONSchemaError { JSONSchemaError(path: path, found: value.text, expected: expected) }
        func schemas() throws(JSONSchemaError) -> [JSONSchema] {
            guard let elements = value.array else { throw wrong("a list of schemas") }
            var schemas: [JSONSchema] = []
            for (number, element) in elements.enumerated() { schemas.append(try JSONSchema(element, path: "\(path)[\(number)]")) }
            return schemas
        }
        switch key {
        case "type":
            let names = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
            guard !names.isEmpty else { throw wrong("the name of a type") }
            return .types(names)
        case "required":
            guard let names = value.array?.compactMap(\.string) else { throw wrong("a list of names") }
            return .required(names)
        case "properties":
            var properties: [String: JSONSchema] = [:]
            for (name, schema) in value.object?.members ?? [] { properties[name] = try JSONSchema(schema, path: "\(path).\(name)") }
            return .properties(properties)
        case "additionalProperties":
            return .additional(try JSONSchema(value, path: path), beside: Set(object["properties"]?.object?.keys ?? []))
        case "items": return .items(try JSONSchema(value, path: path))
        case "enum":
            guard let values = value.array else { throw wrong("a list of values") }
            return .among(values)
        case "const": return .among([value])
        case "pattern":
            do throws(PatternError) { return .pattern(try TextPattern(value.string ?? "")) } catch {
                throw wrong("an expression: \(error)")
            }
        case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
            guard let number = value.number else { throw wrong("a number") }
            return .bound(key, number)
        case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
            guard let count = value.int else { throw wrong("a whole number") }
            return .count(key, Int(clamping: count))
        case "uniqueItems": return value == true ? .unique : nil
        case "allOf": return .all(try schemas())
        case "anyOf": return .any(try schemas())
        case "oneOf": return .one(try schemas())
        case "not": return .not(try JSONSchema(value, path: path))
        default: throw JSONSchemaError(path: path, found: "`\(key)`", expected: "a keyword that limits types, members, elements or values")
        }
    }

    /// Whether a document is valid by the schema.
    package func fits(_ value: JSON) -> Bool { rules.allSatisfy { $0.holds(value) } }
}

/// What a schema has that is not supported.
package struct JSONSchemaError: Error, Hashable, CustomStringConvertible {
    package let path: String
    package let found: String
    package let expected: String

    package var description: String { "\(path): found \(found), expected \(expected)" }
}

extension JSONSchema.Keyword {
    fileprivate func holds(_ value: JSON) -> Bool {
        switch self {
        case .never: return false
        case .types(let names): return names.contains { value.isOf(type: $0) }
        case .among(let values): return values.contains(value)
        case .all(let schemas): return schemas.allSatisfy { $0.fits(value) }
        case .any(let schemas): return schemas.contains { $0.fits(value) }
        case .one(let schemas): return schemas.count { $0.fits(value) } == 1
        case .not(let schema): return !schema.fits(value)
        case .required(let names): return value.object.map { object in names.allSatisfy { object[$0] != nil } } ?? true
        case .properties(let properties):
            return value.object?.members.allSatisfy { properties[$0.key]?.fits($0.value) ?? true } ?? true
        case .additional(let schema, let names):
            return value.object?.members.allSatisfy { names.contains($0.key) || schema.fits($0.value) } ?? true
        case .items(let schema): return value.array?.allSatisfy(schema.fits) ?? true
        case .unique: return value.array.map { Set($0).count == $0.count } ?? true
        case .pattern(let pattern): return value.string.map(pattern.isFound) ?? true
        case .bound(let name, let bound): return value.number.map { holds(name, $0, bound) } ?? true
        case .count(let name, let count): return holds(name, count, value)
        }
    }

    private func holds(_ name: String, _ number: JSONNumber, _ bound: JSONNumber) -> Bool {
        switch name {
        case "minimum": number == bound || number.double >= bound.double
        case "maximum": number == bound || number.double <= bound.double
        case "exclusiveMinimum": number != bound && number.double > bound.double
        case "exclusiveMaximum": number != bound && number.double < bound.double
        default: (number.double / bound.double).truncatingRemainder(dividingBy: 1) == 0
        }
    }

    private func holds(_ name: String, _ count: Int, _ value: JSON) -> Bool {
        let found: Int? =
            switch name.dropFirst(3) {
            case "Length": value.string?.unicodeScalars.count
            case "Items": value.array?.count
            default: value.object?.members.count
            }
        guard let found else { return true }
        return name.hasPrefix("min") ? found >= count : found <= count
    }
}

extension JSON {
    fileprivate func isOf(type name: String) -> Bool {
        switch (name, self) {
        case ("null", .null), ("boolean", .bool), ("number", .number), ("string", .string), ("array", .array), ("object", .object): true
        case ("integer", .number(let number)): number.int64 != nil || number.double == number.double.rounded()
        default: false
        }
    }
}
