import BankModel

/// A text with `{{…}}` in it, as values of the bank language: WireMock's response templates of the simple kind.
struct TemplateText {
    /// Texts and directives, one after the other.
    let parts: [JSON]

    /// What is not supported in a template.
    struct Unsupported: Error {
        let reason: String
    }

    init(_ text: String) throws(Unsupported) {
        var parts: [JSON] = []
        var rest = Substring(text)
        while let start = rest.firstRange(of: "{{") {
            if start.lowerBound > rest.startIndex { parts.append(.string(String(rest[..<start.lowerBound]))) }
            rest = rest[start.upperBound...]
            let isRaw = rest.hasPrefix("{")
            let mark = isRaw ? "}}}" : "}}"
            guard let end = rest.firstRange(of: mark) else { throw Unsupported(reason: "a `{{` without its `}}`") }
            let source = try TemplateText.source(String(rest[..<end.lowerBound].dropFirst(isRaw ? 1 : 0)))
            parts.append(isRaw ? source : ["html_escaped": source])
            rest = rest[end.upperBound...]
        }
        if !rest.isEmpty { parts.append(.string(String(rest))) }
        self.parts = parts
    }

    /// The value, one text of all parts.
    var json: JSON { parts.count == 1 ? parts[0] : ["joined": .array(parts)] }

    // MARK: expressions

    private static func source(_ expression: String) throws(Unsupported) -> JSON {
        let words = try words(expression)
        guard let first = words.first else { throw Unsupported(reason: "an empty `{{}}`") }
        let settings = settings(words.dropFirst())
        switch first {
        case "now": return try now(settings, words)
        case "randomValue": return try random(settings, words)
        case "jsonPath":
            guard words.count == 3, words[1] == "request.body", let path = quoted(words[2]) else { break }
            do throws(PatternError) { _ = try JSONPath(path) } catch { throw Unsupported(reason: "in the path \(path) \(error)") }
            return ["json_path": .string(path)]
        default:
            if words.count == 1, let source = request(first) { return source }
        }
        throw Unsupported(reason: "the template {{\(expression)}} is not supported")
    }

    /// `request.query.a`, `request.path.[1]`
    private static func request(_ text: String) -> JSON? {
        var steps = text.split(separator: ".", omittingEmptySubsequences: false).map { step in
            step.hasPrefix("[") && step.hasSuffix("]") ? String(step.dropFirst().dropLast()) : String(step)
        }
        guard steps.first == "request" else { return nil }
        steps.removeFirst()
        if steps.first == "requestLine" { steps.removeFirst() }
        // The first value of a name.
        if steps.count == 3, steps[2] == "0" { steps.removeLast() }
        switch (steps.first, steps.count) {
        case ("body", 1), ("method", 1), ("path", 1), ("url", 1): return ["of_request": .string(steps[0])]
        case ("path", 2), ("pathSegments", 2):
            if let position = Int(steps[1]) { return (0...1000).contains(position) ? ["path_segment": .int(position)] : nil }
            return steps[0] == "path" ? ["path": .string(steps[1])] : nil
        case ("query", 2): return ["query": .string(steps[1])]
        case ("headers", 2): return ["header": .string(steps[1])]
        default: return nil
        }
    }

    private static func now(_ settings: [String: String], _ words: [String]) throws(Unsupported) -> JSON {
        guard settings.count == words.count - 1, Set(settings.keys).isSubset(of: ["offset", "format"]) else {
            throw Unsupported(reason: "`now` with \(words.dropFirst().joined(separator: " ")) is not supported; offset and format are")
        }
        let format = settings["format"] ?? "yyyy-MM-dd'T'HH:mm:ss'Z'"
        guard DatePattern(format) != nil else { throw Unsupported(reason: "the date format \(format) is not supported") }
        guard let text = settings["offset"] else { return ["now": ["format": .string(format)]] }
        let parts = text.split(separator: " ")
        let units = ["seconds": "s", "minutes": "m", "hours": "h", "days": "d"]
        guard parts.count == 2, let count = Int(parts[0]), let unit = units[parts[1].hasSuffix("s") ? String(parts[1]) : parts[1] + "s"]
        else { throw Unsupported(reason: "the offset `\(text)` is not in seconds, minutes, hours or days") }
        return ["now": ["format": .string(format), "offset": .string("\(count)\(unit)")]]
    }

    private static func random(_ settings: [String: String], _ words: [String]) throws(Unsupported) -> JSON {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let type = settings["type"] ?? "ALPHANUMERIC"
        if type == "UUID", settings.count == words.count - 1 { return ["uuid": ""] }
        let alphabets = [
            "ALPHANUMERIC": letters + "0123456789", "ALPHABETIC": letters, "NUMERIC": "0123456789", "HEXADECIMAL": "0123456789abcdef",
        ]
        guard settings.count == words.count - 1, Set(settings.keys).isSubset(of: ["type", "length", "uppercase"]),
            var alphabet = alphabets[type], let length = Int(settings["length"] ?? "36"), (1...10_000).contains(length)
        else { throw Unsupported(reason: "`randomValue` with \(words.dropFirst().joined(separator: " ")) is not supported") }
        if settings["uppercase"] == "true" { alphabet = alphabet.uppercased() }
        return ["random_text": ["of": .string(alphabet), "length": .int(length)]]
    }

    // MARK: words

    /// The words of an expression; a text in quotes is part of one.
    private static func words(_ expression: String) throws(Unsupported) -> [String] {
        let word = #/(?:[^\s'"]|'[^']*'|"[^"]*")+/#
        guard expression.replacing(word, with: "").allSatisfy(\.isWhitespace) else {
            throw Unsupported(reason: "a text without its closing quote in {{\(expression)}}")
        }
        return expression.matches(of: word).map { String($0.output) }
    }

    private static func quoted(_ word: String) -> String? {
        guard word.count >= 2, let first = word.first, first == "'" || first == "\"", word.last == first else { return nil }
        return String(word.dropFirst().dropLast())
    }

    /// `format='yyyy'`, `length=10`
    private static func settings(_ words: ArraySlice<String>) -> [String: String] {
        words.reduce(into: [:]) { settings, word in
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { settings[parts[0]] = quoted(parts[1]) ?? parts[1] }
        }
    }
}
