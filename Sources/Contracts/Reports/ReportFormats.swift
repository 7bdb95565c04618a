import BankModel

/// The values of a run's report in JSON.
extension Schema {
    /// A JSON string: a number is not one.
    fileprivate static let anyText = Schema.text(TextSchema("a text", pattern: "[\\s\\S]*"))
}

extension Format<String> {
    static var line: Format { Format(Schema.anyText, read: { $0.text($1) }, write: { .string($0) }) }
}

extension Format {
    /// A text that `parse` takes; `what` describes it in the reference, `expected` in complaints.
    fileprivate static func text(
        _ what: String, expected: String? = nil, pattern: String, parse: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) -> Format {
        Format(
            .text(TextSchema(what, pattern: pattern)),
            read: { node, complaints in
                guard let text = node.text(complaints) else { return nil }
                return parse(text) ?? node.wrong(complaints, expected ?? what)
            }, write: { .string(write($0)) })
    }
}

extension Format<String> {
    static var digest: Format {
        .text(
            "a digest: 64 hexadecimal digits", pattern: "[0-9a-f]{64}",
            parse: { text in text.utf8.count == 64 && text.allSatisfy { "0123456789abcdef".contains($0) } ? text : nil }, write: { $0 })
    }
}

extension Format<[String]> {
    static var lines: Format {
        Format(.list(Schema.anyText, atLeast: 0), read: { $0.texts($1) }, write: { .array($0.map(JSON.string)) })
    }
}

extension Format<Int> {
    static var count: Format { .int(in: ReportDocument.Bounds.numbers) }
}

extension Format<Int64> {
    static var milliseconds: Format {
        Format(Format<Int>.count.schema, read: { Format<Int>.count.read($0, $1).map { Int64($0) } }, write: { .int($0) })
    }
}

extension Format<[String: Int]> {
    static func counts(of keys: String) -> Format {
        Format(
            .map(keys: keys, Format<Int>.count.schema),
            read: { node, complaints in
                let counts = Fields(node, of: "the counts", complaints).all.compactMap { key, _, value in
                    Format<Int>.count.read(value, complaints).map { (key, $0) }
                }
                return Dictionary(counts) { first, _ in first }
            }, write: { counts in .object(JSONObject(counts.sorted { $0.key < $1.key }.map { ($0.key, JSON.int($0.value)) })) })
    }
}

extension Format<[Parameter]> {
    static var parameters: Format {
        Format(
            .map(keys: "the matrix's axes", Schema.anyText),
            read: { node, complaints in
                Fields(node, of: "the parameters", complaints).all.compactMap { key, _, value in
                    value.text(complaints).map { Parameter(key: key, value: $0) }
                }
            }, write: { parameters in .object(JSONObject(parameters.map { ($0.key, .string($0.value)) })) })
    }
}

extension Format<CivilDate> {
    static var day: Format {
        .text(
            "a day such as `2027-01-01`", expected: "a day such as 2027-01-01", pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}",
            parse: { CivilDate($0) }, write: { $0.description })
    }
}

extension Format<UInt64> {
    static var seed: Format {
        .text("a seed: digits, at most 64 bits", pattern: "[0-9]{1,20}", parse: { UInt64($0) }, write: { String($0) })
    }
}
