struct JSONPathParser {
    private let text: [Character]
    private var position = 0
    private var depth = 0

    private static let deepest = 50

    init(_ source: String) { text = Array(source) }

    mutating func whole() throws(PatternError) -> [JSONPath.Segment] {
        guard take("$") else { throw wrong("`$`, as in $.amount.value") }
        let steps = try steps()
        if next != nil { throw wrong("`.` or `[`") }
        return steps
    }

    private var next: Character? { text.indices.contains(position) ? text[position] : nil }

    private func wrong(_ expected: String) -> PatternError {
        PatternError(column: position + 1, found: next.map { "`\($0)`" } ?? "the end", expected: expected)
    }

    private mutating func take(_ word: String) -> Bool {
        guard text[position...].starts(with: word) else { return false }
        position += word.count
        return true
    }

    private mutating func skipSpaces() { while next?.isWhitespace == true { position += 1 } }

    // MARK: steps

    private mutating func steps() throws(PatternError) -> [JSONPath.Segment] {
        var steps: [JSONPath.Segment] = []
        while true {
            if take("..") {
                steps.append(.everywhere(next == "[" ? try brackets() : try dotted()))
            } else if take(".") {
                steps.append(try dotted())
            } else if next == "[" {
                steps.append(try brackets())
            } else {
                return steps
            }
        }
    }

    private mutating func dotted() throws(PatternError) -> JSONPath.Segment {
        if take("*") { return .all }
        if take("length()") || take("size()") { return .length }
        var name = ""
        while let character = next, !character.isWhitespace, !".[]()=!<>&|,'\"".contains(character) {
            name.append(character)
            position += 1
        }
        guard !name.isEmpty, next != "(" else { throw wrong("a name, `*` or length()") }
        return .members([name])
    }

    private mutating func brackets() throws(PatternError) -> JSONPath.Segment {
        _ = take("[")
        skipSpaces()
        if take("?") {
            skipSpaces()
            guard take("(") else { throw wrong("`(`, as in [?(@.a == 'b')]") }
            let filter = try either()
            guard take(")") else { throw wrong("`)`, or a comparison such as == != =~ < > in") }
            skipSpaces()
            guard take("]") else { throw wrong("`]`") }
            return .filter(filter)
        }
        let step = try selection()
        skipSpaces()
        guard take("]") else { throw wrong("`]`") }
        return step
    }

    private mutating func selection() throws(PatternError) -> JSONPath.Segment {
        if take("*") { return .all }
        if next == "'" || next == "\"" {
            var names = [try quoted()]
            while takeComma() { names.append(try quoted()) }
            return .members(names)
        }
        let first = integer()
        if take(":") { return .slice(from: first, to: integer()) }
        guard let first else { throw wrong("a number, a name in quotes, `*` or `?(`") }
        var positions = [first]
        while takeComma() {
            guard let position = integer() else { throw wrong("a number") }
            positions.append(position)
        }
        return .elements(positions)
    }

    private mutating func takeComma() -> Bool {
        skipSpaces()
        guard take(",") else { return false }
        skipSpaces()
        return true
    }

    private mutating func integer() -> Int? {
        let start = position
        _ = take("-")
        while let character = next, character.isASCII, character.isNumber { position += 1 }
        let value = Int(String(text[start..<position]))
        if value == nil { position = start }
        return value
    }

    private mutating func quoted() throws(PatternError) -> String {
        guard let mark = next, mark == "'" || mark == "\"" else { throw wrong("a name in quotes") }
        position += 1
        var content = ""
        while let character = next, character != mark {
            position += 1
            guard character == "\\", let escaped = next else {
                content.append(character)
                continue
            }
            content.append(escaped)
            position += 1
        }
        guard take(String(mark)) else { throw wrong("the closing quote") }
        return content
    }

    // MARK: filters

    /// Goes one level deeper, and back by `depth -= 1`: an expression of any length must not use up the stack.
    private mutating func descend(_ fewer: String) throws(PatternError) {
        guard depth + 1 < JSONPathParser.deepest else { throw wrong("fewer \(fewer)") }
        depth += 1
    }

    private mutating func either() throws(PatternError) -> JSONFilter {
        try descend("parentheses")
        defer { depth -= 1 }
        var parts = [try both()]
        while take("||") { parts.append(try both()) }
        return parts.count == 1 ? parts[0] : .either(parts)
    }

    private mutating func both() throws(PatternError) -> JSONFilter {
        var parts = [try term()]
        while take("&&") { parts.append(try term()) }
        return parts.count == 1 ? parts[0] : .both(parts)
    }

    private mutating func term() throws(PatternError) -> JSONFilter {
        skipSpaces()
        defer { skipSpaces() }
        if take("!") {
            try descend("`!`")
            defer { depth -= 1 }
            return .not(try term())
        }
        if take("(") {
            let inner = try either()
            guard take(")") else { throw wrong("`)`") }
            return inner
        }
        let left = try operand()
        skipSpaces()
        guard let comparison = JSONFilter.Comparison.allCases.first(where: { take($0.rawValue) }) else { return .exists(left) }
        skipSpaces()
        let right = try operand()
        if case .pattern = right {
            if comparison != .matches { throw wrong("`=~` before an expression in slashes") }
        } else if comparison == .matches {
            throw wrong("an expression in slashes after `=~`")
        }
        return .compared(left, comparison, right)
    }

    private mutating func operand() throws(PatternError) -> JSONFilter.Operand {
        let start = position
        switch next {
        case "@", "$":
            let fromRoot = next == "$"
            position += 1
            let steps = try steps()
            return .path(JSONPath(source: String(text[start..<position]), steps: steps), fromRoot: fromRoot)
        case "'", "\"": return .literal(.string(try quoted()))
        case "/": return .pattern(try pattern())
        case "[":
            try descend("lists inside each other")
            defer { depth -= 1 }
            position += 1
            var values: [JSON] = []
            skipSpaces()
            while next != "]" {
                guard case .literal(let value) = try operand() else { throw wrong("literal values in a list") }
                values.append(value)
                if !takeComma() { break }
            }
            guard take("]") else { throw wrong("`]`") }
            return .literal(.array(values))
        default: break
        }
        for (word, value) in [("true", JSON.bool(true)), ("false", .bool(false)), ("null", .null)] where take(word) {
            return .literal(value)
        }
        while let character = next, character.isASCII, character.isNumber || "+-.eE".contains(character) { position += 1 }
        guard let number = JSONNumber(String(text[start..<position])) else {
            position = start
            throw wrong("a path such as @.a, a text in quotes, a number, true, false or null")
        }
        return .literal(.number(number))
    }

    /// `/b.*/i`
    private mutating func pattern() throws(PatternError) -> TextPattern {
        position += 1
        let start = position
        while let character = next, character != "/" { position += character == "\\" ? 2 : 1 }
        guard next == "/" else {
            position = min(position, text.count)
            throw wrong("the closing `/`")
        }
        let source = String(text[start..<position])
        position += 1
        let ignoresCase = take("i")
        return try TextPattern((ignoresCase ? "(?i)" : "") + source)
    }
}
