/// The allowed content of one position of a file or a request, as a value: it drives readers, editors get it as JSON Schema
/// (``document(title:about:)``), and the reference pages are written from it (``page(title:about:)``).
package indirect enum Schema: Sendable {
    /// Any scalar that is not empty; with a pattern, one that matches it.
    case text(TextSchema)
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    /// A number that may not reach the upper bound.
    case numberBelow(Range<Double>)
    case bool
    /// One of a closed list of words.
    case words([String])
    case list(Schema, atLeast: Int)
    /// A mapping whose keys are names of the file's own.
    case map(keys: String, Schema)
    case object(ObjectSchema)
    case anyOf([Schema])
    /// Anything: the bank's own JSON.
    case any
    /// Nothing at all, or null.
    case nothing
    /// A schema that contains itself, under the name by which it refers to itself.
    case named(String, @Sendable () -> Schema)
    /// The same, but any scalar in it may also be the name of a parameter, such as `$by`, which is put in before it is read.
    case withParameters(Schema)
}

extension Schema {
    /// Every mapping with known keys in it, each once for each position.
    package var objects: [ObjectSchema] {
        var found: [ObjectSchema] = []
        var names: Set<String> = []
        var waiting = [self]
        while let next = waiting.popLast() {
            switch next {
            case .list(let inner, _), .map(_, let inner), .withParameters(let inner): waiting.append(inner)
            case .anyOf(let schemas): waiting += schemas
            case .named(let name, let inner): if names.insert(name).inserted { waiting.append(inner()) }
            case .object(let object):
                found.append(object)
                guard names.insert("the object " + object.name).inserted else { continue }
                waiting += object.fields.map(\.schema) + [object.others].compactMap(\.self)
            default: break
            }
        }
        return found
    }
}

/// A scalar by its form.
package struct TextSchema: Sendable, Hashable {
    /// In a user's words: `a duration such as 250ms`.
    package var phrase: String
    /// A regular expression of ECMA-262 for the whole text; nil if any text will do.
    package var pattern: String?

    package init(_ phrase: String, pattern: String? = nil) {
        self.phrase = phrase
        self.pattern = pattern
    }
}

/// A mapping with known keys.
package struct ObjectSchema: Sendable {
    /// The mapping's name in complaints: `a rule`.
    package let what: String
    /// The name in `definitions` and of the page's section: `a rule` is `rule`, if it is given no other.
    package var name: String { givenName ?? ObjectSchema.name(of: what) }
    private let givenName: String?
    /// Its purpose, in a sentence or more, for the reference pages.
    package let about: String
    package let fields: [FieldSchema]
    /// Rules about several keys together.
    package let rules: [KeyRule]
    /// A line of YAML to begin with; nil if none is shown.
    package let example: String?
    /// The value of every key that is none of the fields; nil if there may be none.
    package let others: Schema?
    /// Whether another file may add what this one lacks: no key is required of one file alone, and `~` removes one.
    package private(set) var isInherited = false

    package init(
        _ what: String, named name: String? = nil, _ about: String = "", fields: [any AnyField] = [], rules: [KeyRule] = [],
        example: String? = nil,
        others: Schema? = nil
    ) {
        self.what = what
        givenName = name
        self.about = about
        self.fields = fields.map(\.declaration)
        self.rules = rules
        self.example = example
        self.others = others
    }

    /// The same for a file that may inherit from another.
    package func inheritable() -> ObjectSchema {
        var copy = self
        copy.isInherited = true
        return copy
    }

    /// The keys, in the order of their declaration.
    package var keys: [String] { fields.map(\.key) }

    private static func name(of what: String) -> String {
        // The address of a heading in Markdown has neither.
        var words = what.filter { $0 != "`" && $0 != "'" }.split(separator: " ")
        if let first = words.first, ["a", "an", "the"].contains(first) { words.removeFirst() }
        return words.joined(separator: "-")
    }
}

/// A rule about several keys of one mapping.
package enum KeyRule: Sendable {
    /// Exactly one of these groups, and no key of another.
    case exactlyOne([[String]])
    /// At most one of these keys.
    case atMostOne([String])
    /// At least one of these keys.
    case atLeastOne([String])
}

/// One key of a mapping.
package struct FieldSchema: Sendable {
    package let key: String
    package let schema: Schema
    package let isRequired: Bool
    /// The value that stands for an absent key; nil if its absence means something else, which the help explains.
    package let standard: JSON?
    /// One line.
    package let help: String

    package init(key: String, schema: Schema, isRequired: Bool, standard: JSON?, help: String) {
        self.key = key
        self.schema = schema
        self.isRequired = isRequired
        self.standard = standard
        self.help = help
    }
}

extension Schema {
    /// The reference page in Markdown, written from `source`, without the mappings that have their sections on pages `elsewhere`.
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

    /// The text with a capital at its beginning.
    package var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension JSON {
    /// As YAML would write it in one line: a text without its quotes.
    fileprivate var flow: String { string ?? text }
}
