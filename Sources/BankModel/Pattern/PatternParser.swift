struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private let separator: Unicode.Scalar?
    private var position = 0
    private var depth = 0
    private var ignoresCase = false
    private var dotMatchesLineEnds = false
    /// The positions of the separator outside of groups and sets.
    private(set) var cuts: [Range<Int>] = []

    private static let deepest = 100
    private static let mostRepeats = 1000

    init(_ source: String, separator: Unicode.Scalar? = nil) {
        scalars = Array(source.unicodeScalars)
        self.separator = separator
    }

    mutating func whole() throws(PatternError) -> PatternTree {
        while next == "(", let letter = scalar(at: position + 2), scalar(at: position + 1) == "?", scalar(at: position + 3) == ")" {
            switch letter {
            case "i": ignoresCase = true
            case "s": dotMatchesLineEnds = true
            default: throw wrong("the flags (?i) and (?s) only")
            }
            position += 4
        }
        let tree = try alternatives()
        if next != nil { throw wrong("`(` before it") }
        return tree
    }

    private var next: Unicode.Scalar? { scalar(at: position) }

    private func scalar(at position: Int) -> Unicode.Scalar? { scalars.indices.contains(position) ? scalars[position] : nil }

    private func wrong(_ expected: String) -> PatternError {
        PatternError(column: position + 1, found: next.map { "`\($0)`" } ?? "the end", expected: expected)
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    // MARK: structure

    private mutating func alternatives() throws(PatternError) -> PatternTree {
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .either(parts)
    }

    private mutating func sequence() throws(PatternError) -> PatternTree {
        var parts: [PatternTree] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let start = position
            let isLiteral = separator != nil && depth == 0 && atomIsSeparator(scalar)
            let atom = try atom()
            let end = position
            let part = try repeated(atom)
            if isLiteral, position == end { cuts.append(start..<end) }
            if !part.isNothing { parts.append(part) }
        }
        return .sequence(parts)
    }

    /// Whether the separator is here, as itself or escaped.
    private func atomIsSeparator(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar == "\\" else { return scalar == separator }
        return self.scalar(at: position + 1) == separator
    }

    private mutating func atom() throws(PatternError) -> PatternTree {
        guard let scalar = next else { throw wrong("a character") }
        switch scalar {
        case "(": return try group()
        case "[": return .set(try set())
        case ".":
            position += 1
            return .set(dotMatchesLineEnds ? ScalarSet(isNegated: true) : ScalarSet.lineEnds.negated)
        case "^":
            position += 1
            return .assertion(.start)
        case "$":
            position += 1
            return .assertion(.end)
        case "*", "+", "?": throw wrong("something to repeat before it")
        case "\\":
            if let boundary = self.scalar(at: position + 1), boundary == "b" || boundary == "B" {
                position += 2
                return .assertion(boundary == "b" ? .wordBoundary : .noWordBoundary)
            }
            return .set(try escaped())
        default:
            position += 1
            return .set(literal(scalar))
        }
    }

    private mutating func group() throws(PatternError) -> PatternTree {
        position += 1
        depth += 1
        defer { depth -= 1 }
        guard depth <= PatternParser.deepest else { throw wrong("at most \(PatternParser.deepest) nested groups") }
        if take("?") {
            if take("<"), let letter = next, letter.properties.isAlphabetic {
                while let scalar = next, scalar != ">" { position += scalar == ")" ? scalars.count : 1 }
                guard take(">") else { throw wrong("the name of a group") }
            } else if !take(":") {
                throw wrong("`(?:` or a plain group; look-around and flags inside are not supported")
            }
        }
        let tree = try alternatives()
        guard take(")") else { throw wrong("`)`") }
        return tree
    }

    private mutating func repeated(_ atom: PatternTree) throws(PatternError) -> PatternTree {
        let counts: (Int, Int?)
        switch next {
        case "*": counts = (0, nil)
        case "+": counts = (1, nil)
        case "?": counts = (0, 1)
        case "{":
            position += 1
            guard let least = number() else { throw wrong("a number, as in {2,3}") }
            var most: Int? = least
            if take(",") { most = number() }
            guard next == "}", least <= most ?? .max else { throw wrong("a count such as {2}, {2,} or {2,3}") }
            counts = (least, most)
        default: return atom
        }
        position += 1
        // Reluctant: for the question whether a text fits it is all the same.
        _ = take("?")
        if next == "+" || next == "*" || next == "{" { throw wrong("no second quantifier") }
        // Written out, nothing stays nothing however often: nested counts of it would be followed without end.
        if atom.isNothing || counts.1 == 0 { return .sequence([]) }
        return .repeated(atom, least: counts.0, most: counts.1)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let scalar = next, ("0"..."9").contains(scalar) {
            value = min((value ?? 0) * 10 + Int(scalar.value - 0x30), PatternParser.mostRepeats + 1)
            position += 1
        }
        return value.flatMap { $0 > PatternParser.mostRepeats ? nil : $0 }
    }

    // MARK: characters

    private func literal(_ scalar: Unicode.Scalar) -> ScalarSet {
        ScalarSet(ranges: [scalar.value...scalar.value], ignoresCase: ignoresCase && scalar.properties.isCased)
    }

    /// The characters after a backslash.
    private mutating func escaped() throws(PatternError) -> ScalarSet {
        position += 1
        guard let scalar = next else { throw wrong("a character after `\\`") }
        position += 1
        switch scalar {
        case "d": return .digits
        case "D": return ScalarSet.digits.negated
        case "w": return .words
        case "W": return ScalarSet.words.negated
        case "s": return .spaces
        case "S": return ScalarSet.spaces.negated
        case "t": return literal("\t")
        case "n": return literal("\n")
        case "r": return literal("\r")
        case "f": return literal("\u{0C}")
        case "x": return try hexadecimal(2)
        case "u": return try hexadecimal(4)
        case _ where scalar.properties.isAlphabetic || ("0"..."9").contains(scalar):
            position -= 1
            throw wrong(
                "one of \\d \\w \\s \\D \\W \\S \\b \\t \\n \\r, or a punctuation character; back references and \\p are not supported")
        default: return literal(scalar)
        }
    }

    private mutating func hexadecimal(_ digits: Int) throws(PatternError) -> ScalarSet {
        let text = String(String.UnicodeScalarView(scalars[position..<min(position + digits, scalars.count)]))
        guard text.utf8.count == digits, let value = UInt32(text, radix: 16), let scalar = Unicode.Scalar(value) else {
            throw wrong("\(digits) hexadecimal digits")
        }
        position += digits
        return literal(scalar)
    }

    private mutating func set() throws(PatternError) -> ScalarSet {
        position += 1
        var set = ScalarSet(ignoresCase: ignoresCase)
        set.isNegated = take("^")
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            if scalar == "[" || scalar == "&" && self.scalar(at: position + 1) == "&" { throw wrong("no set inside a set") }
            isFirst = false
            let from = try member()
            guard let low = from.only ?? from.cased, next == "-", let after = self.scalar(at: position + 1), after != "]" else {
                if from.ranges.count == 1, !from.isNegated { set.ranges += from.ranges } else { set.others.append(from) }
                continue
            }
            position += 1
            guard let high = try member().cased, low <= high else { throw wrong("the end of a range such as a-z") }
            set.ranges.append(low.value...high.value)
        }
        guard take("]") else { throw wrong("`]`") }
        return set
    }

    private mutating func member() throws(PatternError) -> ScalarSet {
        guard let scalar = next, scalar != "\\" else { return try escaped() }
        position += 1
        return ScalarSet(ranges: [scalar.value...scalar.value])
    }
}

extension PatternTree {
    /// Whether it is the empty text and no assertion: `()`, or `a{0}`.
    fileprivate var isNothing: Bool { if case .sequence(let parts) = self { parts.isEmpty } else { false } }
}

extension ScalarSet {
    /// The only scalar, whatever its case.
    fileprivate var cased: Unicode.Scalar? {
        var exact = self
        exact.ignoresCase = false
        return exact.only
    }
}
