extension Schema {
    /// The reference page in Markdown: a section for each mapping with known keys, in the order in which they are first met.
    ///
    /// - Parameter source: where the page comes from, for whoever would edit it.
    package func page(title: String, about: String, source: String) -> String {
        var sections: [(name: String, text: String)] = []
        collectSections(&sections)
        return (["<!-- Written by `\(source)`: edit the declarations, not this page. -->", "# \(title)", about] + sections.map(\.text))
            .joined(separator: "\n\n") + "\n"
    }

    private func collectSections(_ sections: inout [(name: String, text: String)]) {
        switch self {
        case .list(let inner, _), .map(_, let inner): inner.collectSections(&sections)
        case .anyOf(let schemas): for schema in schemas { schema.collectSections(&sections) }
        case .object(let object):
            guard !sections.contains(where: { $0.name == object.name }) else { return }
            sections.append((object.name, object.section))
            for field in object.fields { field.schema.collectSections(&sections) }
            object.others?.collectSections(&sections)
        case .named(let name, let schema):
            guard !sections.contains(where: { $0.name == name }) else { return }
            let inner = schema()
            if case .object = inner {} else { sections.append((name, "## \(name)\n\n\(inner.phrase.capitalizedFirst).")) }
            inner.collectSections(&sections)
        default: break
        }
    }

    /// The type in a person's words.
    var phrase: String {
        switch self {
        case .text(let text): text.phrase
        case .integer(let range):
            range.upperBound == .max
                ? "a whole number, at least \(range.lowerBound)" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .bool: "`true` or `false`"
        case .words(let words): oneOf(words.map { "`\($0)`" })
        case .list(let element, let atLeast): "a list of " + element.phrase + (atLeast > 0 ? ", at least \(atLeast)" : "")
        case .map(let keys, let value): "a mapping from \(keys) to \(value.phrase)"
        case .object(let object): "[\(object.name)](#\(object.name))"
        case .anyOf(let schemas): schemas.map(\.phrase).joined(separator: ", or ")
        case .any: "any value"
        case .nothing: "nothing"
        case .named(let name, _): "[\(name)](#\(name))"
        }
    }
}

extension ObjectSchema {
    fileprivate var section: String {
        var parts = ["## \(name)"]
        if !about.isEmpty { parts.append(about) }
        if let example { parts.append("```yaml\n\(example)\n```") }
        if !fields.isEmpty {
            let rows = fields.map { field in
                let standard = field.isRequired ? "required" : field.standard.map { "`\($0.flow)`" } ?? ""
                return "| `\(field.key)` | \(field.schema.phrase.inCell) | \(standard.inCell) | \(field.help.inCell) |"
            }
            parts.append((["| key | value | default | |", "|---|---|---|---|"] + rows).joined(separator: "\n"))
        }
        if let others { parts.append("Every other key: \(others.phrase).") }
        parts += rules.map(\.sentence)
        return parts.joined(separator: "\n\n")
    }
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
    fileprivate var flow: String { string ?? String(decoding: bytes, as: UTF8.self) }
}
