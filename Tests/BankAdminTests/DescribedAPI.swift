import BankModel
import TestServer

/// The admin API as an OpenAPI document describes it, and whether responses match it.
struct DescribedAPI {
    let document: JSON

    /// Every call as method and path, in the document's order.
    var calls: [String] {
        (document["paths"]?.object?.members ?? []).flatMap { path in
            (path.value.object?.keys ?? []).map { "\($0.uppercased()) \(path.key)" }
        }
    }

    /// The operation object of a call.
    func operation(_ call: String) -> JSON? {
        let words = call.split(separator: " ").map(String.init)
        guard words.count == 2 else { return nil }
        return document["paths"]?[words[1]]?[words[0].lowercased()]
    }

    /// The JSON Schema of a mapping with known keys.
    func component(_ name: String) -> JSON? { document["components"]?["schemas"]?[name] }

    /// The faults of a response: of its status, its type or its body.
    ///
    /// - Parameter seen: gets each member that the body has, as `session.port`.
    func faults(in response: RawResponse, to call: String, seen: inout Set<String>) -> [String] {
        guard let declared = operation(call)?["responses"]?[String(response.status)].flatMap(resolved) else {
            return ["\(call): found the status \(response.status), which is not described"]
        }
        guard let content = declared["content"]?.object?.members.first else {
            return response.body.isEmpty ? [] : ["\(call): found the body \(response.text), expected none"]
        }
        let type = response.header("Content-Type")?.split(separator: ";").first.map(String.init)
        guard type == content.key else { return ["\(call): found the type \(type ?? "none"), expected \(content.key)"] }
        guard content.key.hasSuffix("json") else { return [] }
        guard let schema = content.value["schema"] else { return ["\(call): no schema for \(response.status)"] }
        var check = SchemaCheck(api: self)
        let faults = check.faults(response.json, schema, at: "body")
        seen.formUnion(check.seen)
        return faults.map { "\(call) \(response.status): \($0)" }
    }

    /// The value, or what it refers to.
    func resolved(_ value: JSON) -> JSON? {
        guard let reference = value["$ref"]?.string else { return value }
        let steps = reference.split(separator: "/").map(String.init)
        guard steps.first == "#" else { return nil }
        return steps.dropFirst().reduce(document as JSON?) { found, step in found?[step] }
    }
}

/// A value against a JSON Schema, for the keywords that the document has.
struct SchemaCheck {
    let api: DescribedAPI
    /// The members that were seen, after the names of their mappings.
    private(set) var seen: Set<String> = []

    init(api: DescribedAPI) { self.api = api }

    /// The faults of the value; an unknown keyword is one too, since it would not be checked.
    mutating func faults(_ value: JSON, _ schema: JSON, at location: String) -> [String] {
        guard let rules = schema.object else { return ["\(location): found the schema \(schema.text), expected an object"] }
        var found: [String] = []
        for rule in rules.members { found += faults(value, rule, of: schema, at: location) }
        return found
    }

    private mutating func faults(_ value: JSON, _ rule: (key: String, value: JSON), of schema: JSON, at location: String) -> [String] {
        func wrong(unless isRight: Bool) -> [String] {
            isRight ? [] : ["\(location): found \(String(value.text.prefix(100))), expected \(rule.key) \(rule.value.text)"]
        }
        let number = value.number.flatMap { Double($0.digits) }
        let bound = rule.value.number.flatMap { Double($0.digits) } ?? 0
        switch rule.key {
        case "description", "default": return []
        case "$ref":
            guard let target = api.resolved(schema) else { return ["\(location): \(rule.value.text) leads nowhere"] }
            let name = rule.value.string?.split(separator: "/").last ?? ""
            for key in value.object?.keys ?? [] { seen.insert("\(name).\(key)") }
            return faults(value, target, at: location)
        case "type":
            let names = rule.value.array?.compactMap(\.string) ?? [rule.value.string ?? ""]
            return wrong(unless: names.contains { isA($0, value) })
        case "enum": return wrong(unless: rule.value.array?.contains(value) == true)
        case "minimum": return wrong(unless: number.map { $0 >= bound } ?? true)
        case "maximum": return wrong(unless: number.map { $0 <= bound } ?? true)
        case "exclusiveMaximum": return wrong(unless: number.map { $0 < bound } ?? true)
        case "minLength": return wrong(unless: value.string.map { Double($0.unicodeScalars.count) >= bound } ?? true)
        case "minItems": return wrong(unless: value.array.map { Double($0.count) >= bound } ?? true)
        case "pattern":
            guard let pattern = rule.value.string, let expression = try? Regex(pattern) else { return ["\(location): no pattern"] }
            return wrong(unless: value.string.map { $0.firstMatch(of: expression) != nil } ?? true)
        case "required":
            let keys = Set(value.object?.keys ?? [])
            return wrong(unless: value.object == nil || rule.value.array?.allSatisfy { keys.contains($0.string ?? "") } == true)
        case "properties", "additionalProperties", "items": return parts(value, rule, of: schema, at: location)
        case "anyOf", "oneOf", "allOf", "not":
            var fitting = 0
            let choices = rule.value.array ?? [rule.value]
            for choice in choices where faults(value, choice, at: location).isEmpty { fitting += 1 }
            switch rule.key {
            case "anyOf": return wrong(unless: fitting > 0)
            case "oneOf": return wrong(unless: fitting == 1)
            case "allOf": return wrong(unless: fitting == choices.count)
            default: return wrong(unless: fitting == 0)
            }
        default: return ["\(location): the keyword \(rule.key) is not checked"]
        }
    }

    /// The faults of members and elements.
    private mutating func parts(_ value: JSON, _ rule: (key: String, value: JSON), of schema: JSON, at location: String) -> [String] {
        var found: [String] = []
        if rule.key == "items" {
            for (index, element) in (value.array ?? []).enumerated() { found += faults(element, rule.value, at: "\(location).\(index)") }
            return found
        }
        let known = schema["properties"]?.object
        for member in value.object?.members ?? [] {
            let location = "\(location).\(member.key)"
            if rule.key == "properties" {
                if let schema = known?[member.key] { found += faults(member.value, schema, at: location) }
            } else if known?[member.key] == nil {
                found +=
                    rule.value == false ? ["\(location): this member is not described"] : faults(member.value, rule.value, at: location)
            }
        }
        return found
    }

    private func isA(_ name: String, _ value: JSON) -> Bool {
        switch value {
        case .null: name == "null"
        case .bool: name == "boolean"
        case .number(let number): name == "number" || name == "integer" && number.decimal.map { $0.exponent >= 0 } == true
        case .string: name == "string"
        case .array: name == "array"
        case .object: name == "object"
        }
    }
}
