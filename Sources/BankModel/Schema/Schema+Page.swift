extension Schema {
    /// The reference page in Markdown: a section for each mapping with known keys, in the order in which they are first met.
    ///
    /// - Parameters:
    ///   - source: where the page comes from, for people who want to edit it.
    ///   - elsewhere: the pages on which some mappings have their sections already, by the mappings' names.
    package func page(title: String, about: String, source: String, elsewhere: [String: String] = [:]) -> String {
        var page = Page(elsewhere: elsewhere)
        page.collect(self)
        return
            (["<!-- Written by `\(source)`: edit the declarations, not this page. -->", "# \(title)", about] + page.sections)
            .joined(separator: "\n\n") + "\n"
    }
}

/// A reference page while it is written.
private struct Page {
    let elsewhere: [String: String]
    var sections: [String] = []
    private var seen: Set<String> = []

    init(elsewhere: [String: String]) { self.elsewhere = elsewhere }

    mutating func collect(_ schema: Schema) {
        switch schema {
        case .list(let inner, _), .map(_, let inner), .withParameters(let inner): collect(inner)
        case .anyOf(let schemas): for schema in schemas { collect(schema) }
        case .object(let object):
            guard isNew(object.name) else { return }
            sections.append(section(object))
            for field in object.fields { collect(field.schema) }
            if let others = object.others { collect(others) }
        case .named(let name, let inner):
            guard isNew(name) else { return }
            sections.append("## \(name)\n\n" + (choices(inner()) ?? "\(phrase(inner()).capitalizedFirst)."))
            collect(inner())
        default: break
        }
    }

    private mutating func isNew(_ name: String) -> Bool { elsewhere[name] == nil && seen.insert(name).inserted }

    /// A table of the mappings of which one is chosen; nil if something else is.
    private func choices(_ schema: Schema) -> String? {
        guard case .anyOf(let schemas) = schema else { return nil }
        let rows = schemas.compactMap { schema -> String? in
            guard case .object(let object) = schema, let example = object.example?.split(separator: "\n").first else { return nil }
            let shown = example.hasPrefix("- ") ? example.dropFirst(2) : example
            return "| `\(String(shown).inCell)` | \(object.about.inCell) | \(link(object.name)) |"
        }
        guard rows.count == schemas.count else { return nil }
        return "One of these.\n\n" + (["| example | | keys |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    private func section(_ object: ObjectSchema) -> String {
        var parts = ["## \(object.name)"]
        if !object.about.isEmpty { parts.append(object.about) }
        if let example = object.example { parts.append("```yaml\n\(example)\n```") }
        if !object.fields.isEmpty {
            let rows = object.fields.map { field in
                let standard = field.isRequired ? "required" : field.standard.map { "`\($0.flow)`" } ?? ""
                return "| `\(field.key)` | \(phrase(field.schema).inCell) | \(standard.inCell) | \(field.help.inCell) |"
            }
            parts.append((["| key | value | default | |", "|---|---|---|---|"] + rows).joined(separator: "\n"))
        }
        if let others = object.others { parts.append("Every other key: \(phrase(others)).") }
        parts += object.rules.map(\.sentence)
        return parts.joined(separator: "\n\n")
    }

    /// The type in a user's words.
    private func phrase(_ schema: Schema) -> String {
        switch schema {
        case .text(let text): text.phrase
        case .integer(let range):
            range.upperBound == .max
                ? "a whole number, at least \(range.lowerBound)" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .numberBelow(let range): "a number from \(range.lowerBound) to below \(range.upperBound)"
        case .bool: "`true` or `false`"
        case .words(let words): oneOf(words.map { "`\($0)`" })
        case .list(let element, let atLeast): "a list\(atLeast > 0 ? " of at least \(atLeast)" : ""), each \(phrase(element))"
        case .map(let keys, let value): "a mapping from \(keys) to \(phrase(value))"
        case .object(let object): link(object.name)
        case .anyOf(let schemas): schemas.map(phrase).joined(separator: ", or ")
        case .any: "any value"
        case .nothing: "nothing"
        case .named(let name, _): link(name)
        case .withParameters(let schema): phrase(schema)
        }
    }

    private func link(_ name: String) -> String { "[\(name)](\(elsewhere[name] ?? "")#\(name))" }
}

extension KeyRule {
    fileprivate var sentence: String {
        func all(_ keys: [String]) -> String { keys.map { "`\($0)`" }.joined(separator: " and ") }
        return switch self {
        case .exactlyOne(let groups): "Exactly one of: \(groups.map(all).joined(separator: "; "))."
        case .atMostOne(let keys): "At most one of: \(keys.map { "`\($0)`" }.joined(separator: ", "))."
        case .atLeastOne(let keys): "At least one of: \(keys.map { "`\($0)`" }.joined(separator: ", "))."
        }
    }
}

extension String {
    /// A table's cell ends at a bar.
    fileprivate var inCell: String { split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|") }

    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension JSON {
    /// As YAML would write it in one line: a text without its quotes.
    fileprivate var flow: String { string ?? text }
}
