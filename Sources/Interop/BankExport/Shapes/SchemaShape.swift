import BankModel

/// The shape of JSON values: the kinds that were seen, and the shapes of members and elements.
///
/// A shape is found by putting values together: each value that was ever put in fits it.
struct SchemaShape: Sendable, Hashable {
    /// The kinds of JSON that JSON Schema distinguishes.
    enum Kind: String, Sendable, CaseIterable {
        case null, boolean, integer, number, string, array, object
    }

    /// The format that all texts at a position have.
    enum Format: String, Sendable, CaseIterable {
        case dateTime = "date-time"
        case date, uuid, uri
        /// Money; no format that JSON Schema knows, but a pattern.
        case amount
    }

    /// A member of an object.
    struct Member: Sendable, Hashable {
        var name: String
        var shape: SchemaShape
        /// Whether every object has it.
        var isRequired: Bool
    }

    /// Nothing is known: any JSON fits.
    var isAnything = false
    /// In the order of ``Kind``; an integer is a number, and listed as one only if there are others.
    var kinds: Set<Kind> = []
    /// Of all texts.
    var formats: Set<Format> = []
    /// The only value there is; nil if there are several, or it is not known.
    var constant: JSON?
    /// Of all objects, in the order in which they were first seen.
    var members: [Member] = []
    /// The shape of all arrays' elements, in an array of at most one: a value cannot hold itself.
    var elements: [SchemaShape] = []

    /// Any JSON.
    static let anything = SchemaShape(isAnything: true)

    static let text = SchemaShape(kinds: [.string])

    static func text(_ format: Format) -> SchemaShape { SchemaShape(kinds: [.string], formats: [format]) }

    static func scalar(_ kind: Kind) -> SchemaShape { SchemaShape(kinds: [kind]) }

    /// An array with elements of that shape.
    static func array(of shape: SchemaShape) -> SchemaShape {
        SchemaShape(kinds: [.array], elements: shape == SchemaShape() ? [] : [shape])
    }

    static func object(_ members: [Member]) -> SchemaShape { SchemaShape(kinds: [.object], members: members) }

    /// The shape as a JSON Schema (draft 2020-12, which OpenAPI 3.1 speaks).
    var schema: JSON {
        if isAnything { return [:] }
        let names = Kind.allCases.filter(kinds.contains).map { JSON.string($0.rawValue) }
        let format = kinds.contains(.string) ? Format.allCases.first(where: formats.contains) : nil
        let properties = members.map { (key: $0.name, value: $0.shape.schema) }
        let required = members.filter(\.isRequired).map { JSON.string($0.name) }
        return .object(known: [
            "type": names.count > 1 ? .array(names) : names.first, "const": constant,
            "pattern": format == .amount ? .string(Format.amountPattern) : nil,
            "format": format == .amount ? nil : format.map { JSON.string($0.rawValue) }, "items": elements.first?.schema,
            "properties": properties.isEmpty ? nil : .object(JSONObject(properties)),
            "required": required.isEmpty ? nil : .array(required),
        ])
    }
}

extension SchemaShape {
    init(_ value: JSON) {
        switch value {
        case .null: self = .scalar(.null)
        case .bool: self = .scalar(.boolean)
        case .number(let number): self = .scalar(number.int64 == nil ? .number : .integer)
        case .string(let text): self = SchemaShape(kinds: [.string], formats: Set([Format(TextForm(text))].compactMap(\.self)))
        case .array(let elements):
            self = .array(of: SchemaShape(joining: elements.map { SchemaShape($0) }))
        case .object(let object):
            self = .object(object.members.map { Member(name: $0.key, shape: SchemaShape($0.value), isRequired: true) })
        }
    }

    /// The shape that takes all that any of them takes.
    init(joining shapes: [SchemaShape]) { self = shapes.reduce(SchemaShape()) { $0.joined(with: $1) } }

    /// The shape that takes all that either takes. ``SchemaShape/init()`` takes nothing, and changes nothing here.
    func joined(with other: SchemaShape) -> SchemaShape {
        if self == SchemaShape() || self == other { return other }
        if other == SchemaShape() { return self }
        if isAnything || other.isAnything { return .anything }
        var shape = SchemaShape(kinds: kinds.union(other.kinds))
        if shape.kinds.contains(.number) { shape.kinds.remove(.integer) }
        shape.formats =
            switch (kinds.contains(.string), other.kinds.contains(.string)) {
            case (true, true): formats.intersection(other.formats)
            case (true, false): formats
            default: other.formats
            }
        shape.elements = [SchemaShape(joining: elements + other.elements)].filter { $0 != SchemaShape() }
        shape.members =
            switch (kinds.contains(.object), other.kinds.contains(.object)) {
            case (true, true): SchemaShape.joined(members, other.members)
            case (true, false): members
            default: other.members
            }
        return shape
    }

    private static func joined(_ mine: [Member], _ theirs: [Member]) -> [Member] {
        var members = mine.map { member in
            guard let other = theirs.first(where: { $0.name == member.name }) else {
                return Member(name: member.name, shape: member.shape, isRequired: false)
            }
            return Member(
                name: member.name, shape: member.shape.joined(with: other.shape), isRequired: member.isRequired && other.isRequired)
        }
        for other in theirs where !mine.contains(where: { $0.name == other.name }) {
            members.append(Member(name: other.name, shape: other.shape, isRequired: false))
        }
        return members
    }

    /// The shape at a dotted path, and whether it is always there; nil if nothing is known of such a member.
    func at(_ path: String) -> Member? {
        let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard let first = steps.first, let member = members.first(where: { $0.name == path || $0.name == first }) else { return nil }
        guard member.name != path, steps.count == 2 else { return member }
        guard var inner = member.shape.at(steps[1]) else { return nil }
        inner.isRequired = inner.isRequired && member.isRequired
        return inner
    }

    /// Without the members of other names.
    func only(_ names: [String]?) -> SchemaShape {
        var shape = self
        shape.members.removeAll { $0.name.hasPrefix("_") || !(names?.contains($0.name) ?? true) }
        return shape
    }
}

extension SchemaShape.Format {
    /// The format of texts that are written in this form; nil if it has none.
    init?(_ form: TextForm) {
        switch form {
        case .instant, .instantWithFraction, .instantWithOffset, .instantWithFractionAndOffset: self = .dateTime
        case .day: self = .date
        case .uuid: self = .uuid
        case .amount: self = .amount
        case .empty, .currency, .digits, .address, .any: return nil
        }
    }

    /// A regular expression that each text of the form ``TextForm/amount`` fits, and each of digits alone (ECMA-262).
    static let amountPattern = #"^-?[0-9]+(\.[0-9]+)?$"#
}
