extension Schema {
    /// The schema as a JSON Schema for editors and validators (draft 7, which yaml-language-server and check-jsonschema both take).
    ///
    /// It says what can be said of one file by its form. It is stricter than the readers in one point: a number and a truth value
    /// stand plainly, without quotes.
    package func document(title: String, about: String) -> JSON {
        var definitions: [(key: String, value: JSON)] = []
        var seen: Set<String> = []
        collectDefinitions(&definitions, &seen)
        var document = JSONObject([
            ("$schema", "http://json-schema.org/draft-07/schema#"), ("title", .string(title)), ("description", .string(about)),
            ("allOf", [json]),
        ])
        document["definitions"] = .object(JSONObject(definitions))
        return .object(document)
    }

    /// The schema in JSON; mappings with known keys are named and stand under `definitions`.
    fileprivate var json: JSON {
        switch self {
        case .text(let text): text.json
        case .integer(let range):
            .object(JSONObject([("type", "integer"), ("minimum", .int(range.lowerBound))] + maximum(range.upperBound)))
        case .number(let range):
            ["type": "number", "minimum": number(range.lowerBound), "maximum": number(range.upperBound)]
        case .bool: ["type": "boolean"]
        case .words(let words): ["enum": .array(words.flatMap(Schema.spellings(of:)))]
        case .list(let element, let atLeast):
            .object(JSONObject([("type", "array"), ("items", element.json)] + (atLeast > 0 ? [("minItems", .int(atLeast))] : [])))
        case .map(_, let value): ["type": "object", "additionalProperties": value.json]
        case .object(let object): ["$ref": .string("#/definitions/\(object.name)")]
        case .anyOf(let schemas): ["anyOf": .array(schemas.map(\.json))]
        case .any: [:]
        case .nothing: ["type": "null"]
        case .named(let name, _): ["$ref": .string("#/definitions/\(name)")]
        }
    }

    private func maximum(_ value: Int) -> [(String, JSON)] { value == .max ? [] : [("maximum", .int(value))] }

    private func number(_ value: Double) -> JSON {
        Int(exactly: value).map { .int($0) } ?? Format<Double>.double(in: 0...1).write?(value) ?? .null
    }

    /// A word as editors read it: `0` and `true` are no texts in YAML, and the readers take them all the same.
    private static func spellings(of word: String) -> [JSON] {
        let plain = Node(.scalar(word, quoted: false), at: Place()).json
        return plain == .string(word) ? [plain] : [plain, .string(word)]
    }

    private func collectDefinitions(_ definitions: inout [(key: String, value: JSON)], _ seen: inout Set<String>) {
        switch self {
        case .list(let inner, _), .map(_, let inner): inner.collectDefinitions(&definitions, &seen)
        case .anyOf(let schemas): for schema in schemas { schema.collectDefinitions(&definitions, &seen) }
        case .object(let object):
            guard seen.insert(object.name).inserted else { return }
            definitions.append((object.name, object.json))
            for field in object.fields { field.schema.collectDefinitions(&definitions, &seen) }
            object.others?.collectDefinitions(&definitions, &seen)
        case .named(let name, let schema):
            guard seen.insert(name).inserted else { return }
            definitions.append((name, schema().json))
            schema().collectDefinitions(&definitions, &seen)
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
    fileprivate var json: JSON {
        var object = JSONObject([("type", "object")])
        if !about.isEmpty { object["description"] = .string(about) }
        object["properties"] = .object(JSONObject(fields.map { ($0.key, isInherited ? $0.removable : $0.json) }))
        let required = fields.filter { $0.isRequired && !isInherited }.map { JSON.string($0.key) }
        if !required.isEmpty { object["required"] = .array(required) }
        object["additionalProperties"] = others?.json ?? false
        if !rules.isEmpty { object["allOf"] = .array(rules.map(\.json)) }
        return .object(object)
    }
}

extension FieldSchema {
    /// As ``json``, or null, which removes what is inherited.
    fileprivate var removable: JSON {
        var object: JSONObject = JSONObject([("anyOf", [schema.json, ["type": "null"]])])
        object["description"] = .string(help)
        return .object(object)
    }

    /// The value's schema with the help beside it, which editors show.
    fileprivate var json: JSON {
        var object = schema.json.object ?? JSONObject()
        object["description"] = .string(help)
        object["default"] = standard
        return .object(object)
    }
}

extension KeyRule {
    fileprivate var json: JSON {
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
