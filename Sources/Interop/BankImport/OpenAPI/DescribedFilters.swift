import BankCore
import BankModel

/// Finds the parameters of a list's query by which its rows are filtered: a range of dates, and values of fields.
struct DescribedFilters {
    let rows: [JSONObject]

    /// A range of dates; nil if there is none.
    private(set) var between: JSON?
    private(set) var given = JSONObject()
    /// The names of the parameters that are used.
    private(set) var used: Set<String> = []

    /// - Parameter description: finds the schema of the rows' fields.
    init(_ parameters: [DescribedParameter], rows: [JSONObject], schema: LocatedNode?, description: Description) {
        self.rows = rows
        let dates = DescribedFilters.dateFields(rows)
        let from = parameters.first { DescribedFilters.isDate($0, DescribedFilters.starts) }
        let to = parameters.first { DescribedFilters.isDate($0, DescribedFilters.ends) }
        if from != nil || to != nil, let field = DescribedFilters.field(dates, for: [from, to].compactMap { $0?.name }) {
            let isRequired = (from?.isRequired ?? true) && (to?.isRequired ?? true)
            between = .object(known: [
                "field": .string(field), "from": from.map { ["query": .string($0.name)] }, "to": to.map { ["query": .string($0.name)] },
                "required": isRequired ? true : nil,
            ])
            used.formUnion([from, to].compactMap { $0?.name })
        }
        for parameter in parameters where !used.contains(parameter.name) {
            guard let name = field(named: parameter.name), isListed(parameter, as: name, schema, description) else { continue }
            given[name] = ["query": .string(parameter.name)]
            used.insert(parameter.name)
        }
    }

    // MARK: dates

    /// The fields that are an instant or day in every row, the usual names first.
    static func dateFields(_ rows: [JSONObject]) -> [String] {
        let names = rows.first?.keys.filter { name in
            !name.hasPrefix("_")
                && rows.allSatisfy { $0[name]?.string.map { Instant(rfc3339: $0) != nil || CivilDate($0) != nil } ?? false }
        }
        func rank(_ name: String) -> Int {
            let word = DescribedName.plain(name)
            return ["book", "transaction", "created", "date", "time"].firstIndex { word.contains($0) } ?? 9
        }
        return (names ?? []).enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
    }

    /// The field that a parameter's name speaks of, such as `fromBookingDateTime`; else the first.
    static func field(_ fields: [String], for names: [String]) -> String? {
        fields.first { field in names.contains { DescribedName.plain($0).contains(DescribedName.plain(field)) } } ?? fields.first
    }

    /// Words for the start of a period, and for its end.
    static let starts = ["from", "start", "min", "since", "after", "gte", "oldest"]
    static let ends = ["to", "end", "until", "max", "before", "lte", "newest"]

    static func isNamed(_ name: String, _ words: [String]) -> Bool {
        let word = DescribedName.plain(name)
        return words.contains { word == $0 || word.hasPrefix($0) || word.hasSuffix($0) }
    }

    /// Whether the name has that word, and the schema or the name shows that it is a date.
    private static func isDate(_ parameter: DescribedParameter, _ words: [String]) -> Bool {
        guard isNamed(parameter.name, words) else { return false }
        let word = DescribedName.plain(parameter.name)
        if let format = parameter.schema?["format"]?.text { return ["date", "date-time"].contains(format) }
        guard SchemaExample.type(parameter.schema ?? parameter.node) ?? "string" == "string" else { return false }
        return words.contains(word) || word.contains("date") || word.contains("time") || word.contains("created")
            || word.contains("booking")
    }

    // MARK: values

    private func field(named name: String) -> String? {
        rows.first?.keys.first {
            !$0.hasPrefix("_") && DescribedName.plain($0) == DescribedName.plain(name) && rows[0][$0]?.isContainer == false
        }
    }

    /// Whether each of the parameter's listed values may be in a row: a word such as `all` would find nothing.
    private func isListed(_ parameter: DescribedParameter, as name: String, _ schema: LocatedNode?, _ description: Description) -> Bool {
        guard let wanted = parameter.schema?["enum"]?.elements, !wanted.isEmpty else {
            return ["string", "integer", "boolean"].contains(SchemaExample.type(parameter.schema ?? parameter.node) ?? "string")
        }
        let known = schema.flatMap { description.property(name, of: $0) }?["enum"]?.elements.map(\.json) ?? []
        return !known.isEmpty && wanted.allSatisfy { known.contains($0.json) }
    }
}

extension Description {
    /// The schema of a member, in the schema itself or a part of its `allOf`; of an array's elements.
    func property(_ name: String, of written: LocatedNode, depth: Int = 0) -> LocatedNode? {
        guard depth < 8, let schema = resolved(written) else { return nil }
        if let found = schema["properties"]?.members.first(where: { $0.key == name })?.value { return resolved(found) }
        if let items = schema["items"], let found = property(name, of: items, depth: depth + 1) { return found }
        for part in (schema["allOf"]?.elements ?? []) + (schema["oneOf"]?.elements ?? []) + (schema["anyOf"]?.elements ?? []) {
            if let found = property(name, of: part, depth: depth + 1) { return found }
        }
        return nil
    }

    /// The schema at a path of members.
    func schema(_ path: [String], of schema: LocatedNode?) -> LocatedNode? {
        path.reduce(schema) { node, name in node.flatMap { property(name, of: $0) } }
    }

    /// Whether the schema requires a member.
    func requires(_ name: String, _ written: LocatedNode?, depth: Int = 0) -> Bool {
        guard depth < 8, let written, let schema = resolved(written) else { return false }
        if schema["required"]?.elements.contains(where: { $0.text == name }) == true { return true }
        return (schema["allOf"]?.elements ?? []).contains { requires(name, $0, depth: depth + 1) }
    }
}
