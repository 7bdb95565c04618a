import BankCore
import BankModel

/// The few JSON paths that conditions on a body can say.
enum JSONPath {
    /// The supported paths, for messages.
    static let sayable = "only JSON paths such as $.to.iban and root filters such as $[?(@.currency == 'GBP')] are supported"

    /// How a filter differs from what is said of it, for messages.
    static let looseness =
        "in WireMock a filter also tests each element of a list, `5` equals `\"5\"`, and null or empty values exist; not here"

    /// The dotted path of `$.a.b` or `$['a'].b`; nil for anything else.
    static func field(_ expression: String) -> String? {
        guard expression.hasPrefix("$") else { return nil }
        return steps(expression.dropFirst())
    }

    /// The conditions of a path alone: the field exists, or the root filter matches; nil if unsupported.
    static func conditions(_ expression: String) -> [Condition]? {
        if let field = field(expression) { return [Condition(.body, field, .like(["*"]))] }
        guard expression.hasPrefix("$[?("), expression.hasSuffix(")]") else { return nil }
        let filter = expression.dropFirst(4).dropLast(2)
        guard !filter.contains("||") else { return nil }
        var conditions: [Condition] = []
        for term in filter.split(separator: "&&") {
            guard let condition = condition(trimmed(term)) else { return nil }
            conditions.append(condition)
        }
        return conditions.isEmpty ? nil : conditions
    }

    /// `@.a`, `@.a == 'b'`, `@.a =~ /b.*/`
    private static func condition(_ term: Substring) -> Condition? {
        guard term.hasPrefix("@") else { return nil }
        for mark in ["==", "=~"] {
            guard let range = term.firstRange(of: mark) else { continue }
            guard let field = steps(trimmed(term[..<range.lowerBound]).dropFirst()) else { return nil }
            let right = trimmed(term[range.upperBound...])
            return (mark == "==" ? value(right) : matched(right)).map { Condition(.body, field, $0) }
        }
        return steps(term.dropFirst()).map { Condition(.body, $0, .like(["*"])) }
    }

    private static func value(_ text: Substring) -> Condition.Wanted? {
        for quote in ["'", "\""] where text.count >= 2 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            let inner = text.dropFirst().dropLast()
            return inner.contains("\\") || inner.contains(quote) ? nil : .value(.string(String(inner)))
        }
        guard let json = try? JSON(parsing: String(text)), json.number != nil || json.bool != nil else { return nil }
        return .value(json)
    }

    private static func matched(_ text: Substring) -> Condition.Wanted? {
        guard text.count >= 2, text.hasPrefix("/"), text.hasSuffix("/"),
            let atoms = RegexAtom.atoms(String(text.dropFirst().dropLast())), let pattern = atoms.pattern, !pattern.isWider
        else { return nil }
        return .like([pattern.text])
    }

    /// `.a.b`, `['a']`; nil for indexes, wildcards, `..`, functions and no step at all.
    private static func steps(_ text: Substring) -> String? {
        var rest = text
        var names: [Substring] = []
        while let first = rest.first {
            if first == "." {
                let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
                rest = rest[name.endIndex...]
                names.append(name)
            } else if rest.hasPrefix("['"), let end = rest.firstRange(of: "']") {
                names.append(rest[rest.index(rest.startIndex, offsetBy: 2)..<end.lowerBound])
                rest = rest[end.upperBound...]
            } else {
                return nil
            }
            guard let name = names.last, !name.isEmpty, !name.contains(where: { ".'*,".contains($0) }) else { return nil }
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " }
        return start.lastIndex { $0 != " " }.map { start[...$0] } ?? ""
    }
}
