/// A piece of a regular expression: one character, or a set of them, and how often it comes.
///
/// Only what can become a parameter or a pattern with `*` is understood; a mapping with anything else is listed.
struct RegexAtom: Hashable {
    enum Kind: Hashable {
        case literal(Character)
        /// `.`
        case any
        /// `[^/]`, `[^/?]`: what a piece of a path is made of.
        case notSlash
        /// Any other set: `[0-9]`, `\d`.
        case set
    }

    enum Count: Hashable {
        case once, oneOrMore, any
        /// `?`, `{36}`
        case other
    }

    var kind: Kind
    var count: Count

    /// The character, if it is one that stands for itself and comes once.
    var character: Character? { if case .literal(let character) = kind, count == .once { character } else { nil } }

    /// Whether it stands for a text of some length that is not fixed.
    var isRun: Bool { if case .literal = kind { false } else { count != .once } }

    /// The pieces of an expression for a whole text; nil if something in it is not understood.
    static func atoms(_ expression: String) -> [RegexAtom]? {
        var rest = Substring(expression)
        if rest.hasPrefix("^") { rest = rest.dropFirst() }
        if rest.hasSuffix("$"), !rest.hasSuffix("\\$") { rest = rest.dropLast() }
        var atoms: [RegexAtom] = []
        while let character = rest.popFirst() {
            switch character {
            case "(":
                guard let group = group(&rest) else { return nil }
                atoms += group
                continue
            case ")", "|", "^", "$", "*", "+", "?", "{", "}": return nil
            case ".": atoms.append(RegexAtom(kind: .any, count: count(&rest)))
            case "[":
                guard let kind = set(&rest) else { return nil }
                atoms.append(RegexAtom(kind: kind, count: count(&rest)))
            case "\\":
                guard let kind = escaped(&rest) else { return nil }
                atoms.append(RegexAtom(kind: kind, count: count(&rest)))
            default: atoms.append(RegexAtom(kind: .literal(character), count: count(&rest)))
            }
        }
        return atoms.contains { if case .literal = $0.kind { $0.count != .once } else { false } } ? nil : atoms
    }

    /// A group that is only there to be captured: `([^/]+)`, `(?<id>.*)`, `(?:a)`.
    private static func group(_ rest: inout Substring) -> [RegexAtom]? {
        guard let end = rest.firstIndex(of: ")"), !rest[..<end].contains("("), !rest[..<end].hasSuffix("\\") else { return nil }
        var inner = rest[..<end]
        rest = rest[rest.index(after: end)...]
        if let next = rest.first, "*+?{".contains(next) { return nil }
        if inner.hasPrefix("?:") {
            inner = inner.dropFirst(2)
        } else if inner.hasPrefix("?<"), let close = inner.firstIndex(of: ">"), !inner.hasPrefix("?<="), !inner.hasPrefix("?<!") {
            inner = inner[inner.index(after: close)...]
        }
        return atoms(String(inner))
    }

    private static func set(_ rest: inout Substring) -> Kind? {
        guard let end = rest.dropFirst().firstIndex(of: "]") else { return nil }
        let inner = rest[..<end]
        guard !inner.contains("["), !inner.hasSuffix("\\") else { return nil }
        rest = rest[rest.index(after: end)...]
        return ["^/", "^/?", "^?/", "^\\/"].contains(inner) ? .notSlash : .set
    }

    private static func escaped(_ rest: inout Substring) -> Kind? {
        guard let character = rest.popFirst() else { return nil }
        if "dwsDWS".contains(character) { return .set }
        return character.isLetter || character.isNumber ? nil : .literal(character)
    }

    private static func count(_ rest: inout Substring) -> Count {
        var count = Count.once
        switch rest.first {
        case "+": count = .oneOrMore
        case "*": count = .any
        case "?": count = .other
        case "{":
            guard let end = rest.firstIndex(of: "}") else { return .once }
            rest = rest[end...]
            count = .other
        default: return .once
        }
        rest = rest.dropFirst()
        // Reluctant or possessive: for a match of the whole text that is all the same.
        if rest.first == "?" || rest.first == "+" { rest = rest.dropFirst() }
        return count
    }
}

extension [RegexAtom] {
    /// The text that alone fits; nil if several do.
    var text: String? {
        let characters = compactMap(\.character)
        return characters.count == count ? String(characters) : nil
    }

    /// A pattern with `*`, and whether it fits more than the expression; nil if there is none.
    var pattern: (text: String, isWider: Bool)? {
        var text = ""
        var isWider = false
        for atom in self {
            if let character = atom.character {
                guard character != "*" else { return nil }
                text.append(character)
            } else {
                if atom != RegexAtom(kind: .any, count: .any) { isWider = true }
                if !text.hasSuffix("*") { text.append("*") }
            }
        }
        return (text, isWider)
    }
}
