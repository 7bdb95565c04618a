import BankCore
import BankModel

/// The expectation on a response: an example, and rules for its variable parts.
struct Expectation {
    /// The example; without what need not be there.
    var example: JSON?
    /// By Pact's paths, such as `$.accounts[*].id`; in the order in which they stand in the example.
    private(set) var rules: [(path: String, rule: JSON)] = []

    mutating func add(_ path: String, _ rule: JSON) { rules.append((path, rule)) }

    /// As a category of `matchingRules`.
    var json: JSON {
        .object(JSONObject(rules.map { (key: $0.path, value: ["combine": "AND", "matchers": [$0.rule]]) }))
    }

    /// Expects what all samples have in common; the example is the first.
    ///
    /// A member that is missing or null in one of them, or of different types, is not expected at all.
    ///
    /// - Returns: the example; nil if the samples have nothing in common.
    mutating func infer(_ samples: [JSON], _ path: String) -> JSON? {
        guard let first = samples.first else { return nil }
        switch first {
        case .null: return nil
        case .bool:
            guard samples.allSatisfy({ $0.bool != nil }) else { return nil }
            add(path, ["match": "boolean"])
            return first
        case .number:
            guard samples.allSatisfy({ $0.number != nil }) else { return nil }
            let areWhole = samples.allSatisfy { $0.number?.digits.contains { ".eE".contains($0) } == false }
            add(path, ["match": areWhole ? "integer" : "number"])
            return first
        case .string:
            let texts = samples.compactMap(\.string)
            guard texts.count == samples.count else { return nil }
            add(path, Expectation.rule(texts, path))
            return first
        case .array: return list(samples, path)
        case .object: return object(samples, path)
        }
    }

    private mutating func object(_ samples: [JSON], _ path: String) -> JSON? {
        guard let first = samples.first?.object, samples.allSatisfy({ $0.object != nil }) else { return nil }
        var example = JSONObject()
        for key in first.keys {
            let values = samples.compactMap { $0[key] }
            guard values.count == samples.count, !values.contains(.null) else { continue }
            example[key] = infer(values, path.jsonPath(of: key))
        }
        return .object(example)
    }

    private mutating func list(_ samples: [JSON], _ path: String) -> JSON? {
        let lists = samples.compactMap(\.array)
        guard lists.count == samples.count else { return nil }
        let elements = lists.flatMap(\.self)
        var inner = Expectation()
        guard !elements.isEmpty, let example = inner.infer(elements, "\(path)[*]") else {
            add(path, ["match": "type"])
            return .array([])
        }
        add(path, lists.contains([]) ? ["match": "type"] : ["match": "type", "min": 1])
        rules += inner.rules
        return .array(lists.contains([]) ? [] : [example])
    }

    /// Forms that a text may have, the narrowest first.
    private static let forms = [
        #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$"#,
        #"^\d{4}-\d{2}-\d{2}$"#,
        #"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"#,
        #"^https?://.+$"#,
    ]

    /// A rule for texts: their form, if all have the same, else that they are texts.
    private static func rule(_ texts: [String], _ path: String) -> JSON {
        let currency = #"^[A-Z]{3}$"#
        if path.lowercased().hasSuffix("currency"), texts.allSatisfy({ fits($0, currency) }) {
            return ["match": "regex", "regex": .string(currency)]
        }
        if texts.allSatisfy({ TextForm($0) == .amount }) {
            return ["match": "regex", "regex": .string(SchemaShape.Format.amountPattern)]
        }
        for form in forms where texts.allSatisfy({ fits($0, form) }) { return ["match": "regex", "regex": .string(form)] }
        return ["match": "type"]
    }

    private static func fits(_ text: String, _ form: String) -> Bool { (try? Regex(form).wholeMatch(in: text)) != nil }

    /// Expects what a template makes: its literals as they are, the rest by form.
    ///
    /// - Parameters:
    ///   - json: what was made of it.
    ///   - operation: defines the members of a row that it adds.
    ///   - bank: defines which of a row's fields are always present.
    mutating func read(_ json: JSON, _ template: Template, _ path: String, _ operation: Operation, _ bank: Bank) -> JSON? {
        switch template {
        case .literal, .value(.literal): return json
        case .value: return infer([json], path)
        case .page: return nil
        case .inserted(let field):
            guard field == nil, let row = operation.insert?.row, json.object != nil else { return infer([json], path) }
            return read(json, row, path, operation, bank)
        case .row(let query):
            guard query.field == nil else { return infer([json], path) }
            return infer([json.keeping(bank.tables[query.table])], path)
        case .rows(let query): return infer([.array(json.array?.map { $0.keeping(bank.tables[query.table]) } ?? [])], path)
        case .array(let elements):
            guard let list = json.array, list.count == elements.count else { return infer([json], path) }
            return .array(
                zip(list, elements).enumerated().compactMap { index, pair in read(pair.0, pair.1, "\(path)[\(index)]", operation, bank) })
        case .object(let members):
            guard let object = json.object else { return infer([json], path) }
            var example = JSONObject()
            for member in members {
                guard let value = object[member.key] else { continue }
                example[member.key] = read(value, member.value, path.jsonPath(of: member.key), operation, bank)
            }
            return .object(example)
        }
    }

    /// Expects a rejection's content: codes and numbers as they are, sentences as texts.
    mutating func rejection(_ json: JSON, _ path: String) -> JSON? {
        switch json {
        case .string(let text):
            if text.contains(" ") { add(path, ["match": "type"]) }
            return json
        case .array(let elements):
            return .array(elements.enumerated().compactMap { rejection($1, "\(path)[\($0)]") })
        case .object(let object): return .object(object.compactMapValues { rejection($1, path.jsonPath(of: $0)) })
        case .null, .bool, .number: return json
        }
    }
}

// MARK: by examples

extension JSON {
    /// A row without the fields that other rows of the table's fixture leave out or have as null.
    fileprivate func keeping(_ table: Table?) -> JSON {
        guard let table, !table.rows.isEmpty else { return self }
        return table.rows.prefix(500).reduce(self) { $0.keeping(those: .object($1)) }
    }

    private func keeping(those other: JSON) -> JSON {
        guard let object, let other = other.object else { return self }
        return .object(
            object.compactMapValues { key, value in
                guard let theirs = other[key], theirs != .null else { return nil }
                return value.keeping(those: theirs)
            })
    }
}
