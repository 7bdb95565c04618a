import BankModel

/// A text or number that a schema demands: type, format, pattern, list of values, lengths and limits.
struct SchemaScalar {
    let schema: LocatedNode
    /// The member's name, which suggests the content of a text where the schema does not define it.
    let name: String

    // MARK: checks

    /// Why the value does not fit the schema; nil if it does. Objects and arrays are not looked into.
    func misfit(_ value: JSON) -> String? {
        if value == .null { return isNullable ? nil : "null" }
        if let allowed = schema["enum"]?.elements, !allowed.isEmpty, !allowed.contains(where: { $0.typedJSON(schema) == value }) {
            return "none of the listed values"
        }
        switch (SchemaExample.type(schema), value) {
        case ("string", .string(let text)): return misfit(text)
        case ("integer", .number(let number)): return number.int64 == nil ? "another type" : misfit(number)
        case ("number", .number(let number)): return misfit(number)
        case ("boolean", .bool), ("array", .array), ("object", .object), (nil, _), ("null", .null): return nil
        default: return SchemaScalar.knownTypes.contains(SchemaExample.type(schema) ?? "") ? "another type" : nil
        }
    }

    private static let knownTypes: Set<String> = ["string", "integer", "number", "boolean", "array", "object"]

    private func misfit(_ text: String) -> String? {
        if let format = schema["format"]?.text, !SchemaScalar.fits(text, format) { return "no \(format)" }
        let length = text.unicodeScalars.count
        if let shortest, length < shortest { return "too short" }
        if let longest, length > longest { return "too long" }
        if let pattern, !pattern.isFound(in: text) { return "not of the pattern" }
        return nil
    }

    private func misfit(_ number: JSONNumber) -> String? {
        let value = number.double
        if let least = limit("minimum"), value < least { return "too small" }
        if let most = limit("maximum"), value > most { return "too large" }
        if let least = limit("exclusiveMinimum"), value <= least { return "too small" }
        if let most = limit("exclusiveMaximum"), value >= most { return "too large" }
        return nil
    }

    private static func fits(_ text: String, _ format: String) -> Bool {
        switch format {
        case "date-time": Instant(rfc3339: text) != nil
        case "date": CivilDate(text) != nil
        case "uuid": isUUID(text)
        case "email": text.contains("@")
        case "uri", "url": text.contains(":") && !text.contains(" ")
        default: true
        }
    }

    private var isNullable: Bool {
        schema["nullable"]?.isTrue == true || schema["type"]?.elements.contains { $0.text == "null" } == true
            || SchemaExample.type(schema) == "null" || schema["type"] == nil && schema["properties"] == nil && schema["items"] == nil
    }

    /// The pattern of its texts; nil if there is none, or it has look-around or back references, which are not read.
    private var pattern: TextPattern? { schema["pattern"]?.text.flatMap { try? TextPattern($0) } }
    private var shortest: Int? { length("minLength") }
    private var longest: Int? { length("maxLength") }
    /// A length below 0, which JSON Schema does not have, is 0.
    private func length(_ key: String) -> Int? { schema[key]?.json.int.map { max(0, Int(clamping: $0)) } }
    private func limit(_ key: String) -> Double? { schema[key]?.json.number?.double }

    // MARK: conversions

    /// The example as the type that the schema demands; nil if it cannot be one. `type: string, example: 2` is the text 2.
    func converted(_ value: JSON) -> JSON? {
        let made: JSON? =
            switch (SchemaExample.type(schema), value) {
            case ("string", .number), ("string", .bool): .string(value.text)
            case ("integer", .string(let text)), ("number", .string(let text)): JSONNumber(text).map(JSON.number)
            case ("boolean", .string("true")): true
            case ("boolean", .string("false")): false
            default: nil
            }
        return made.flatMap { misfit($0) == nil ? $0 : nil }
    }

    // MARK: new values

    private static let formats = [
        "date-time": "2026-01-12T10:15:00Z", "date": "2026-01-12", "time": "09:15:00Z", "uuid": "3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b10",
        "email": "ava@example.com", "uri": "https://example.com/", "url": "https://example.com/", "hostname": "example.com",
        "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "QXZh", "duration": "P1D",
    ]

    /// What members of these names usually hold, by the end of the name in small letters.
    private static let usual: [(ends: [String], texts: [String])] = [
        (["currency", "currencycode", "currency_code", "ccy"], ["GBP", "EUR", "USD"]),
        (["country", "countrycode", "country_code"], ["GB", "GBR", "DE"]),
        (["amount", "balance"], ["12.30", "12.3", "12", "1230"]),
        (["iban"], ["GB33BUKB20201555555555", "DE89370400440532013000"]),
        (["bic", "swift"], ["BUKBGB22", "COBADEFFXXX"]),
        (["sortcode", "sort_code"], ["202015", "20-20-15"]),
        (["email"], ["ava@example.com"]),
        (["time", "timestamp", "_at", "date"], ["2026-01-12T10:15:00Z", "2026-01-12", "20260112", "12/01/2026"]),
        (["url", "uri", "href"], ["https://example.com/"]),
        (["language", "locale"], ["en", "en-GB"]),
    ]

    /// A text that fits, and whether nothing better than its form is known.
    func text() -> (text: String, isGuess: Bool) {
        let likely = likelyTexts
        if let text = likely.first(where: { misfit($0) == nil }) { return (text, false) }
        guard schema["pattern"] != nil else { return (plain, false) }
        if let text = pattern?.example(shortest: shortest ?? 0, longest: min(longest ?? 1000, 1000)), misfit(text) == nil {
            return (text, false)
        }
        return (plain, true)
    }

    private var likelyTexts: [String] {
        var texts: [String] = []
        if let format = schema["format"]?.text, let text = SchemaScalar.formats[format] { texts.append(text) }
        let lower = name.lowercased()
        let isNamed =
            schema["pattern"] != nil || longest != nil
            || ["currency", "country", "amount", "balance", "iban", "bic"].contains { lower.contains($0) }
        for (ends, known) in SchemaScalar.usual where isNamed && ends.contains(where: lower.hasSuffix) { texts += known }
        return texts
    }

    private var plain: String {
        let isID = DescribedName.ids.contains { DescribedName.plain(name).hasSuffix($0) }
        let plain = name.isEmpty ? "Example" : isID ? "\(name)-1" : "Example \(name)"
        let padded = plain + String(repeating: "x", count: min(max(0, (shortest ?? 0) - plain.count), 1000))
        return String(padded.prefix(max(longest ?? plain.count, shortest ?? 0)))
    }

    /// A number that fits: the usual one, or the nearest to it that the limits and `multipleOf` allow.
    func number(isWhole: Bool) -> JSON {
        let usual = isWhole ? "1" : "1.50"
        guard let number = JSONNumber(usual), misfit(number) != nil || schema["multipleOf"] != nil else {
            return JSONNumber(usual).map(JSON.number) ?? 1
        }
        let candidates = [
            schema["minimum"]?.json.number?.digits, schema["multipleOf"]?.json.number?.digits, schema["maximum"]?.json.number?.digits,
            limit("exclusiveMinimum").flatMap { SchemaScalar.whole($0.rounded(.down), plus: 1) },
            limit("exclusiveMaximum").flatMap { SchemaScalar.whole($0.rounded(.up), plus: -1) },
        ]
        let fitting = candidates.compactMap { $0.flatMap(JSONNumber.init) }.first { misfit($0) == nil && (!isWhole || $0.int64 != nil) }
        return fitting.map(JSON.number) ?? JSONNumber(usual).map(JSON.number) ?? 1
    }

    /// The digits of the whole number beside a limit; nil beyond those of 64 bits.
    private static func whole(_ limit: Double, plus step: Int) -> String? {
        guard let whole = Int(exactly: limit) else { return nil }
        let (number, isBeyond) = whole.addingReportingOverflow(step)
        return isBeyond ? nil : String(number)
    }
}

extension LocatedNode {
    /// A value of an example, as the schema's type: YAML has `2` where a schema of texts means `"2"`.
    func typedJSON(_ schema: LocatedNode) -> JSON {
        guard case .scalar(let text, _) = node.content, SchemaExample.type(schema) == "string", !node.isNull else { return json }
        return .string(text)
    }
}
