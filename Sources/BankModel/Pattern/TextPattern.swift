/// A regular expression, matched in time proportional to the text's length whatever the expression is (Thompson's construction).
///
/// It has what regular expressions of most tools share: literal text, `.`, sets, `\d \w \s`, groups, `|`, `* + ? {n,m}`, `^ $ \b`, and
/// `(?i)` or `(?s)` at the beginning. Look-around, back references and possessive quantifiers are rejected: they have no such automaton.
package struct TextPattern: Sendable, Hashable {
    /// The expression as written.
    package let source: String
    private let tree: PatternTree
    private let program: PatternProgram

    /// - Throws: what is not supported, and where.
    package init(_ source: String) throws(PatternError) {
        var parser = PatternParser(source)
        self.source = source
        tree = try parser.whole()
        program = try PatternProgram(tree)
    }

    package static func == (a: TextPattern, b: TextPattern) -> Bool { a.source == b.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(source) }

    /// Whether the whole text fits.
    package func matches(_ text: String) -> Bool { program.run(Array(text.unicodeScalars), isWhole: true) }

    /// Whether a part of the text fits.
    package func isFound(in text: String) -> Bool { program.run(Array(text.unicodeScalars), isWhole: false) }

    /// The only text that fits; nil if there are several.
    package var literal: String? {
        var text = String.UnicodeScalarView()
        return tree.appendLiteral(to: &text) ? String(text) : nil
    }

    /// The text with which everything that fits begins.
    package var literalPrefix: String {
        var text = String.UnicodeScalarView()
        _ = tree.appendLiteral(to: &text)
        return String(text)
    }

    /// Whether a text that fits may have this character in it.
    package func mayContain(_ scalar: Unicode.Scalar) -> Bool { tree.mayContain(scalar) }

    /// A text of at least and at most that many characters that fits; nil if none is found.
    package func example(shortest: Int = 0, longest: Int = 1000) -> String? {
        for stretch in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
            var text = String.UnicodeScalarView()
            guard tree.appendExample(to: &text, stretch: stretch, longest: longest) else { return nil }
            if text.count >= shortest, isFound(in: String(text)) { return String(text) }
        }
        return nil
    }

    /// An expression that only this text fits.
    package static func escaped(_ text: String) -> String {
        text.reduce(into: "") { $0 += ".[](){}*+?^$|\\".contains($1) ? "\\\($1)" : String($1) }
    }

    /// The pieces of an expression between literal separators outside of groups and sets; the whole if it has alternatives.
    package static func pieces(_ source: String, at separator: Unicode.Scalar) throws(PatternError) -> [String] {
        var parser = PatternParser(source, separator: separator)
        if case .either = try parser.whole() { return [source] }
        let scalars = Array(source.unicodeScalars)
        var pieces: [String] = []
        var start = 0
        for cut in parser.cuts + [scalars.count..<scalars.count] {
            pieces.append(String(String.UnicodeScalarView(scalars[start..<cut.lowerBound])))
            start = cut.upperBound
        }
        return pieces
    }
}

/// What an expression has that a ``TextPattern`` does not support.
package struct PatternError: Error, Hashable, CustomStringConvertible {
    /// The character's position, from 1.
    package let column: Int
    package let found: String
    package let expected: String

    package var description: String { "at character \(column) found \(found), expected \(expected)" }
}

/// A parsed regular expression.
indirect enum PatternTree: Sendable {
    case set(ScalarSet)
    case sequence([PatternTree])
    case either([PatternTree])
    case repeated(PatternTree, least: Int, most: Int?)
    case assertion(Assertion)

    enum Assertion: Sendable { case start, end, wordBoundary, noWordBoundary }

    func mayContain(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .set(let set): set.contains(scalar)
        case .sequence(let parts), .either(let parts): parts.contains { $0.mayContain(scalar) }
        case .repeated(let part, _, let most): most != 0 && part.mayContain(scalar)
        case .assertion: false
        }
    }

    /// Appends the only text that fits; false if there are several.
    func appendLiteral(to text: inout String.UnicodeScalarView) -> Bool {
        switch self {
        case .set(let set):
            guard let scalar = set.only else { return false }
            text.append(scalar)
            return true
        case .sequence(let parts):
            for part in parts { guard part.appendLiteral(to: &text) else { return false } }
            return true
        case .either(let parts): return parts.count == 1 && parts[0].appendLiteral(to: &text)
        case .repeated(let part, let least, let most):
            guard least == most else { return false }
            for _ in 0..<least { guard part.appendLiteral(to: &text) else { return false } }
            return true
        case .assertion(let assertion): return assertion == .start || assertion == .end
        }
    }
}

extension PatternTree {
    /// Appends a text that fits but for assertions: the first alternative and the smallest counts, but one character of a set that may be
    /// missing or repeated without end.
    ///
    /// - Parameters:
    ///   - stretch: how often a part that may be repeated is repeated beyond its smallest count.
    ///   - longest: how long the whole text may be.
    /// - Returns: false if it would be longer, or a set has no usual character.
    func appendExample(to text: inout String.UnicodeScalarView, stretch: Int, longest: Int) -> Bool {
        switch self {
        case .set(let set):
            guard let scalar = set.usual, text.count < longest else { return false }
            text.append(scalar)
            return true
        case .sequence(let parts):
            return parts.allSatisfy { $0.appendExample(to: &text, stretch: stretch, longest: longest) }
        case .either(let parts): return parts.first?.appendExample(to: &text, stretch: stretch, longest: longest) ?? true
        case .repeated(let part, let least, let most):
            var smallest = least
            if case .set = part, least == 0, most == nil { smallest = 1 }
            let count = smallest == most ? smallest : min(most ?? .max, smallest + stretch)
            for _ in 0..<count { guard part.appendExample(to: &text, stretch: stretch, longest: longest) else { return false } }
            return true
        case .assertion: return true
        }
    }
}

/// Some of Unicode's scalars.
struct ScalarSet: Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    /// Sets of which this one has everything too.
    var others: [ScalarSet] = []
    var isNegated = false
    var ignoresCase = false

    static let digits = ScalarSet(ranges: [0x30...0x39])
    static let words = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let spaces = ScalarSet(ranges: [0x09...0x0D, 0x20...0x20])
    static let lineEnds = ScalarSet(ranges: [0x0A...0x0A, 0x0D...0x0D, 0x85...0x85, 0x2028...0x2029])

    var negated: ScalarSet {
        var set = self
        set.isNegated.toggle()
        return set
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool { hasAny(scalar) != isNegated }

    private func hasAny(_ scalar: Unicode.Scalar) -> Bool {
        if ranges.contains(where: { $0.contains(scalar.value) }) || others.contains(where: { $0.contains(scalar) }) { return true }
        guard ignoresCase else { return false }
        return [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping].contains { text in
            guard let other = text.unicodeScalars.first, text.unicodeScalars.count == 1 else { return false }
            return ranges.contains { $0.contains(other.value) }
        }
    }

    /// One of its scalars that texts usually have, or else the first.
    var usual: Unicode.Scalar? {
        ["A", "a", "1", "0", "-", "_", " ", "."].first(where: contains)
            ?? (isNegated ? nil : ranges.first.flatMap { Unicode.Scalar($0.lowerBound) })
    }

    /// The only scalar; nil if there are several.
    var only: Unicode.Scalar? {
        guard !isNegated, !ignoresCase, others.isEmpty, ranges.count == 1, ranges[0].count == 1 else { return nil }
        return Unicode.Scalar(ranges[0].lowerBound)
    }
}

/// Whether the text matches the pattern, in which `*` stands for any text and every other character for itself.
package func globMatches(_ pattern: String, _ text: String) -> Bool {
    let (pattern, text) = (Array(pattern.utf8), Array(text.utf8))
    var (p, t) = (0, 0)
    var retry: (pattern: Int, text: Int)?
    while t < text.count {
        if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
            retry = (p + 1, t)
            p += 1
        } else if p < pattern.count, pattern[p] == text[t] {
            (p, t) = (p + 1, t + 1)
        } else if let (after, start) = retry {
            retry = (after, start + 1)
            (p, t) = (after, start + 1)
        } else {
            return false
        }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
}
