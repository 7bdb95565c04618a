extension Schema {
    /// The schema as a JSON Schema for editors (draft 7, which yaml-language-server and check-jsonschema both take). It is stricter than the
    /// readers: numbers and truth values stand without quotes.
    package func document(title: String, about: String) -> JSON {
        var document = JSONObject([
            ("$schema", "http://json-schema.org/draft-07/schema#"), ("title", .string(title)), ("description", .string(about)),
            ("allOf", [json()]),
        ])
        document["definitions"] = .object(definitions)
        return .object(document)
    }

    /// Every mapping with known keys in the schema, by its name.
    var definitions: JSONObject {
        var definitions: [(key: String, value: JSON)] = []
        var seen: Set<String> = []
        collectDefinitions(&definitions, &seen, parameters: false)
        return JSONObject(definitions)
    }

    /// The schema in JSON; mappings with known keys are named and stand under `definitions`.
    ///
    /// - Parameter parameters: whether the name of a parameter may stand in place of any value.
    func json(parameters: Bool = false) -> JSON {
        let plain = plain(parameters)
        switch self {
        case .integer, .number, .numberBelow, .bool, .words, .list, .object, .map: break
        case .text(let text) where text.pattern != nil: break
        default: return plain
        }
        return parameters ? ["anyOf": [plain, Schema.parameter]] : plain
    }

    fileprivate static let parameterName = "^\\$[a-z_0-9]+$"
    private static let parameter: JSON = ["type": "string", "pattern": .string(parameterName)]

    private func plain(_ parameters: Bool) -> JSON {
        switch self {
        case .text(let text): text.json
        case .integer(let range):
            .object(JSONObject([("type", "integer"), ("minimum", .int(range.lowerBound))] + maximum(range.upperBound)))
        case .number(let range):
            ["type": "number", "minimum": number(range.lowerBound), "maximum": number(range.upperBound)]
        case .numberBelow(let range):
            ["type": "number", "minimum": number(range.lowerBound), "exclusiveMaximum": number(range.upperBound)]
        case .bool: ["type": "boolean"]
        case .words(let words): ["enum": .array(words.flatMap(Schema.spellings(of:)))]
        case .list(let element, let atLeast):
            .object(
                JSONObject(
                    [("type", "array"), ("items", element.json(parameters: parameters))]
                        + (atLeast > 0 ? [("minItems", .int(atLeast))] : [])))
        case .map(_, let value): ["type": "object", "additionalProperties": value.json(parameters: parameters)]
        case .object(let object): ["$ref": .string("#/definitions/\(object.name)")]
        case .anyOf(let schemas): ["anyOf": .array(schemas.map { $0.json(parameters: parameters) })]
        case .any: [:]
        case .nothing: ["type": "null"]
        case .named(let name, _): ["$ref": .string("#/definitions/\(name)")]
        case .withParameters(let schema): schema.json(parameters: true)
        }
    }

    private func maximum(_ value: Int) -> [(String, JSON)] { value == .max ? [] : [("maximum", .int(value))] }

    private func number(_ value: Double) -> JSON {
        Int(exactly: value).map { .int($0) } ?? Format<Double>.double(in: 0...1).write?(value) ?? .null
    }

    /// A word as editors read it: `0` and `true` are not texts in YAML, but the readers accept them.
    private static func spellings(of word: String) -> [JSON] {
        let plain = Node(.scalar(word, quoted: false), at: SourcePosition()).json
        return plain == .string(word) ? [plain] : [plain, .string(word)]
    }

    private func collectDefinitions(_ definitions: inout [(key: String, value: JSON)], _ seen: inout Set<String>, parameters: Bool) {
        switch self {
        case .list(let inner, _), .map(_, let inner): inner.collectDefinitions(&definitions, &seen, parameters: parameters)
        case .anyOf(let schemas):
            for schema in schemas { schema.collectDefinitions(&definitions, &seen, parameters: parameters) }
        case .object(let object):
            guard seen.insert(object.name).inserted else { return }
            definitions.append((object.name, object.json(parameters)))
            for field in object.fields { field.schema.collectDefinitions(&definitions, &seen, parameters: parameters) }
            object.others?.collectDefinitions(&definitions, &seen, parameters: parameters)
        case .named(let name, let schema):
            guard seen.insert(name).inserted else { return }
            definitions.append((name, schema().json(parameters: parameters)))
            schema().collectDefinitions(&definitions, &seen, parameters: parameters)
        case .withParameters(let schema): schema.collectDefinitions(&definitions, &seen, parameters: true)
        default: break
        }
    }
}

extension TextSchema {
    fileprivate var json: JSON {
        if let pattern { return ["type": "string", "pattern": .string("^(\(pattern))$")] }
        return ["type": ["string", "number", "boolean"], "minLength": 1]
    }
}

extension ObjectSchema {
    fileprivate func json(_ parameters: Bool) -> JSON {
        var object = JSONObject([("type", "object")])
        if !about.isEmpty { object["description"] = .string(about) }
        object["properties"] = .object(JSONObject(fields.map { ($0.key, isInherited ? $0.removable(parameters) : $0.json(parameters)) }))
        let required = fields.filter { $0.isRequired && !isInherited }.map { JSON.string($0.key) }
        if !required.isEmpty { object["required"] = .array(required) }
        // A key can be a parameter too: `- $by: {intent: A}`.
        if parameters { object["patternProperties"] = .object([Schema.parameterName: [:]]) }
        object["additionalProperties"] = others?.json(parameters: parameters) ?? false
        if !rules.isEmpty { object["allOf"] = .array(rules.map { $0.json(parameters) }) }
        return .object(object)
    }
}

extension FieldSchema {
    /// As ``json(_:)``, or null, which removes what is inherited.
    fileprivate func removable(_ parameters: Bool) -> JSON {
        ["anyOf": [schema.json(parameters: parameters), ["type": "null"]], "description": .string(help)]
    }

    /// The value's schema with the help beside it, which editors show.
    fileprivate func json(_ parameters: Bool) -> JSON {
        var object = schema.json(parameters: parameters).object ?? JSONObject()
        object["description"] = .string(help)
        object["default"] = standard
        return .object(object)
    }
}

extension KeyRule {
    fileprivate func json(_ parameters: Bool) -> JSON {
        guard parameters, case .exactlyOne(let groups) = self else { return json }
        return ["anyOf": [json, ["minProperties": 1, "not": ["anyOf": .array(groups.joined().map { ["required": [.string($0)]] })]]]]
    }

    private var json: JSON {
        func having(_ keys: [String]) -> JSON { ["required": .array(keys.map(JSON.string))] }
        func only(_ group: [String], of all: [String]) -> JSON {
            let others = all.filter { !group.contains($0) }
            return ["required": .array(group.map(JSON.string)), "not": ["anyOf": .array(others.map { having([$0]) })]]
        }
        switch self {
        case .exactlyOne(let groups):
            if groups.allSatisfy({ $0.count == 1 }) { return ["oneOf": .array(groups.map(having))] }
            return ["oneOf": .array(groups.map { group in only(group, of: Array(groups.joined())) })]
        case .atMostOne(let keys):
            let pairs = keys.indices.flatMap { first in keys[(first + 1)...].map { having([keys[first], $0]) } }
            return ["not": ["anyOf": .array(pairs)]]
        case .atLeastOne(let keys): return ["anyOf": .array(keys.map { having([$0]) })]
        }
    }
}

extension Schema {
    /// The schema as it stands in an OpenAPI document: mappings with known keys are references to its components.
    package var component: JSON { json().withComponents }

    /// The components of these schemas, by name: every mapping with known keys in them (OpenAPI 3.1 §4.8.7).
    package static func components(of schemas: [Schema]) -> JSON { JSON.object(Schema.anyOf(schemas).definitions).withComponents }
}

extension JSON {
    /// The same with references to an OpenAPI document's components in place of those to `definitions`.
    fileprivate var withComponents: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.withComponents))
        case .object(let object):
            .object(
                JSONObject(
                    unique: object.members.map { member in
                        guard member.key == "$ref", let reference = member.value.string else {
                            return (key: member.key, value: member.value.withComponents)
                        }
                        return (key: member.key, value: .string(reference.replacing("#/definitions/", with: "#/components/schemas/")))
                    }))
        default: self
        }
    }
}
