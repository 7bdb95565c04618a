/// How a driver is started: a program and its arguments, without a shell.
package struct DriverCommand: Sendable, Hashable {
    /// As it was given.
    package let text: String
    package let words: [String]

    /// Splits a command line by a shell's word rules: blanks, quotes and backslashes; nothing is expanded.
    ///
    /// - Throws: ``DriverCommandError`` for an open quote, a lone backslash at the end, or no word at all.
    package init(_ text: String) throws(DriverCommandError) {
        self.text = text
        words = try DriverCommand.split(text)
        if words.first?.isEmpty ?? true { throw .empty }
    }

    private static func split(_ text: String) throws(DriverCommandError) -> [String] {
        var words: [String] = []
        var word: String?
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t", "\n":
                if let done = word { words.append(done) }
                word = nil
            case "'":
                guard let end = rest.firstIndex(of: "'") else { throw .openQuote("'") }
                word = (word ?? "") + rest[..<end]
                rest = rest[rest.index(after: end)...]
            case "\"":
                word = (word ?? "") + (try quoted(&rest))
            case "\\":
                guard let next = rest.popFirst() else { throw .loneBackslash }
                word = (word ?? "") + String(next)
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// The text up to the closing double quote, within which a backslash escapes only `"`, `\`, `$` and a backtick.
    private static func quoted(_ rest: inout Substring) throws(DriverCommandError) -> String {
        var text = ""
        while let character = rest.popFirst() {
            if character == "\"" { return text }
            if character == "\\", let next = rest.first, "\"\\$`".contains(next) {
                text.append(next)
                rest.removeFirst()
            } else {
                text.append(character)
            }
        }
        throw .openQuote("\"")
    }
}

/// Why a text is no command line.
package enum DriverCommandError: Error, Sendable, Hashable, CustomStringConvertible {
    case empty
    case openQuote(String)
    case loneBackslash

    package var description: String {
        switch self {
        case .empty: "found no word, expected a program and its arguments"
        case .openQuote(let quote): "found an open \(quote), expected its end"
        case .loneBackslash: "found a backslash at the end, expected a character after it"
        }
    }
}
