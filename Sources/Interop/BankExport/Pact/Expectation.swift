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

    /// Pact's path of a member.
    static func path(_ path: String, _ key: String) -> String {
        let isPlain = key.utf8.allSatisfy { byte in
            byte < 0x80 && (byte == 0x5F || Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
        }
        return isPlain && !key.isEmpty ? "\(path).\(key)" : "\(path)['\(key)']"
    }
}

// MARK: by examples

extension Expectation {
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
            example[key] = infer(values, Expectation.path(path, key))
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
        #"^-?\d+\.\d+$"#,
        #"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"#,
        #"^https?://.+$"#,
    ]

    /// A rule for texts: their form, if all have the same, else that they are texts.
    private static func rule(_ texts: [String], _ path: String) -> JSON {
        let currency = #"^[A-Z]{3}$"#
        if path.lowercased().hasSuffix("currency"), texts.allSatisfy({ fits($0, currency) }) {
            return ["match": "regex", "regex": .string(currency)]
        }
        if texts.allSatisfy({ AmountText.isAmount($0) }) { return ["match": "regex", "regex": .string(AmountText.pattern)] }
        for form in forms where texts.allSatisfy({ fits($0, form) }) { return ["match": "regex", "regex": .string(form)] }
        return ["match": "type"]
    }

    private static func fits(_ text: String, _ form: String) -> Bool { (try? Regex(form).wholeMatch(in: text)) != nil }
}
