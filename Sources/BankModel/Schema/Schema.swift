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
