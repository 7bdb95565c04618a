import BankCore
import BankModel

/// Reads what a JSON body must be: the example itself, or where rules leave some of it open a JSON Schema.
struct PactBodyReader {
    let notes: ImportNotes
    let rules: PactRules

    func conditions(_ body: LocatedJSON) -> [Condition] {
        guard rules.hasRule(below: []) else { return [Condition(.json, .value(body.json))] }
        var source = schema(body, []).object ?? JSONObject()
        source["examples"] = [body.json]
        do throws(JSONSchemaError) { return [Condition(.text, .schema(try JSONSchema(.object(source))))] } catch {
            notes.warn(.leftOut, body, "the schema of this body is not supported: \(error)")
            return []
        }
    }

    /// The schema of what may be at a position where the pact has this example.
    private func schema(_ example: LocatedJSON, _ position: [PactRules.PathElement]) -> JSON {
        guard rules.hasRule(below: position) || rules.rule(position) != nil else { return ["const": example.json] }
        switch example.json {
        case .object: return object(example, position)
        case .array: return array(example, position)
        default:
            guard let rule = rules.rule(position), !rule.matchers.isEmpty else { return ["const": example.json] }
            let schemas = rule.matchers.map { scalar($0, example.json) }
            return schemas.count > 1 ? [rule.isEither ? "anyOf" : "allOf": .array(schemas)] : schemas[0]
        }
    }

    // MARK: objects and arrays

    private func object(_ example: LocatedJSON, _ position: [PactRules.PathElement]) -> JSON {
        let keyed: Set<String> = ["values", "eachKey", "eachValue", "each-key", "each-value"]
        if let matcher = own(position, where: { keyed.contains($0) }) {
            notes.warn(.wider, matcher, "any object is accepted")
            return ["type": "object"]
        }
        let members = example.members.map { (key: $0.key, value: schema($0.value, position + [.name($0.key)])) }
        return [
            "type": "object", "required": .array(members.map { .string($0.key) }), "properties": .object(JSONObject(members)),
            "additionalProperties": false,
        ]
    }

    private func array(_ example: LocatedJSON, _ position: [PactRules.PathElement]) -> JSON {
        // Its elements have no matcher of their own: they would list this one again.
        if let matcher = own(position, where: { $0 != "type" && $0 != "equality" }) {
            notes.warn(.wider, matcher, "any list is accepted")
            return ["type": "array"]
        }
        let elements = example.elements.enumerated().map { schema($1, position + [.index($0)]) }
        let kinds = distinct(elements)
        var object = JSONObject([("type", "array")])
        if let rule = rules.rule(position) {
            if rule.matchers.contains(where: { PactRules.name($0) == "equality" }) { return ["const": example.json] }
            for matcher in rule.steps.count == position.count ? rule.matchers : [] {
                if let least = matcher["min"] { object["minItems"] = least.json }
                if let most = matcher["max"] { object["maxItems"] = most.json }
            }
        } else {
            object["minItems"] = .int(elements.count)
            object["maxItems"] = .int(elements.count)
        }
        if kinds.count > 1 { notes.warn(.wider, example, "the order of this list's elements is not compared") }
        if !kinds.isEmpty { object["items"] = kinds.count == 1 ? kinds[0] : ["anyOf": .array(kinds)] }
        return .object(object)
    }

    /// The first matcher of that kind at the position itself, not above it.
    private func own(_ position: [PactRules.PathElement], where isWanted: (String) -> Bool) -> LocatedJSON? {
        guard let rule = rules.rule(position), rule.steps.count == position.count else { return nil }
        return rule.matchers.first { isWanted(PactRules.name($0)) }
    }

    // MARK: texts, numbers, truth values, null

    private func scalar(_ matcher: LocatedJSON, _ example: JSON) -> JSON {
        switch PactRules.name(matcher) {
        case "equality": return ["const": example]
        case "type", "min-type", "max-type": return ["type": .string(type(of: example))]
        case "null": return ["type": "null"]
        case "integer": return ["type": "integer"]
        case "decimal": return ["type": "number", "not": ["type": "integer"]]
        case "number": return ["type": "number"]
        case "boolean": return ["enum": [true, false, "true", "false"]]
        case "notEmpty", "not-empty": return ["not": ["enum": ["", .null, [], [:]]]]
        case "include":
            guard let text = matcher["value"].flatMap(notes.text) else { return [:] }
            return ["type": "string", "pattern": .string(TextPattern.escaped(text))]
        case "regex": return regex(matcher, example)
        case let name where PactRules.known.contains(name):
            notes.warn(.wider, matcher, "any value of the example's type is accepted")
            return ["type": .string(type(of: example))]
        case let name:
            notes.warn(.leftOut, matcher, MatcherReader.unknown(name))
            return [:]
        }
    }

    private func regex(_ matcher: LocatedJSON, _ example: JSON) -> JSON {
        guard let text = matcher["regex"].flatMap(notes.text), notes.pattern(text, matcher) != nil else { return [:] }
        // Pact compares the whole text; a schema's pattern may fit a part of it.
        let flags = text.hasPrefix("(?i)") || text.hasPrefix("(?s)") ? text.prefix(4) : ""
        let whole = "\(flags)^(?:\(text.dropFirst(flags.count)))$"
        guard example.string == nil else { return ["type": "string", "pattern": .string(whole)] }
        notes.warn(.wider, matcher, "a `regex` compares texts only: any value of the example's type is accepted")
        return ["type": .string(type(of: example))]
    }

    private func type(of example: JSON) -> String {
        switch example {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

/// Reads what a rule wants of a text: a header, a field of the query or of a form.
extension MatcherReader {
    /// What must hold; nil if it cannot be converted, which is then noted.
    ///
    /// - Parameter example: what stands in the pact; without a rule just that.
    func wanted(_ rule: PactRules.MatchingRule?, example: JSON) -> Condition.Wanted? {
        guard let rule, !rule.matchers.isEmpty else { return exactly(example) }
        let wanted = rule.matchers.compactMap { self.wanted($0, example: example) }
        guard wanted.count == rule.matchers.count else { return nil }
        return wanted.count == 1 ? wanted[0] : rule.isEither ? .any(wanted) : .all(wanted)
    }

    private func exactly(_ example: JSON) -> Condition.Wanted { example == .null ? .absent : .value(example) }

    private func wanted(_ matcher: LocatedJSON, example: JSON) -> Condition.Wanted? {
        let name = PactRules.name(matcher)
        if let expression = MatcherReader.pactExpressions[name] { return matched(expression, matcher) }
        switch name {
        case "equality": return exactly(example)
        case "null": return .absent
        case "notEmpty", "not-empty": return .like(["*"])
        case "include": return matcher["value"].flatMap(notes.text).flatMap { contained($0, matcher) }
        case "regex": return matcher["regex"].flatMap(notes.text).flatMap { matched($0, matcher) }
        case let name where PactRules.known.contains(name):
            notes.warn(.wider, matcher, "`*` matches any text that is not empty, of any type")
            return .like(["*"])
        case let name: return notes.nothing(.leftOut, matcher, MatcherReader.unknown(name))
        }
    }

    /// The matchers of texts that are an expression.
    private static let pactExpressions = [
        "type": "(?s).*", "integer": #"-?\d+"#, "decimal": #"-?\d+\.\d+"#, "number": #"-?\d+(\.\d+)?"#, "boolean": "true|false",
    ]

    /// Why a matcher of this name is not read.
    static func unknown(_ name: String) -> String { name.isEmpty ? "a rule without `match`" : "the rule `\(name)` is unknown" }
}
