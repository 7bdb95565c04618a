import BankModel

/// Writes an expression for the XML bodies that Pact takes for the same: spaces around tags and texts, kinds of quotes, and how an
/// empty element is written do not matter.
struct PactXML {
    private var pieces: [Piece] = []

    private enum Piece {
        case open(name: Substring, attributes: String)
        case text(Substring)
        case close(Substring)
    }

    /// - Returns: nil for a text that is not simple XML: with a CDATA section, a document type, or a tag that does not end.
    init?(_ source: String) {
        var rest = Substring(source)
        while !rest.isEmpty {
            let text = rest.prefix { $0 != "<" }
            rest = rest[text.endIndex...]
            let words = text.drop { $0.isWhitespace }
            if !words.isEmpty { pieces.append(.text(words)) }
            guard !rest.isEmpty else { return }
            guard !rest.hasPrefix("<![CDATA["), !rest.hasPrefix("<!DOCTYPE") else { return nil }
            let end = rest.hasPrefix("<!--") ? "-->" : rest.hasPrefix("<?") ? "?>" : ">"
            guard let found = rest.firstRange(of: end) else { return nil }
            let tag = rest[..<found.lowerBound].dropFirst()
            rest = rest[found.upperBound...]
            if end == ">", !add(tag) { return nil }
        }
    }

    /// Adds what stands between `<` and `>`; false if that is not a tag.
    private mutating func add(_ tag: Substring) -> Bool {
        if tag.hasPrefix("/") {
            pieces.append(.close(tag.dropFirst().prefix { !$0.isWhitespace }))
            return true
        }
        let isEmpty = tag.hasSuffix("/")
        var rest = isEmpty ? tag.dropLast() : tag
        let name = rest.prefix { !$0.isWhitespace }
        rest = rest[name.endIndex...]
        var attributes = ""
        while true {
            rest = rest.drop { $0.isWhitespace }
            guard !rest.isEmpty else { break }
            let key = rest.prefix { $0 != "=" && !$0.isWhitespace }
            rest = rest[key.endIndex...].drop { $0.isWhitespace }
            guard rest.first == "=" else { return false }
            rest = rest.dropFirst().drop { $0.isWhitespace }
            guard let quote = rest.first, "'\"".contains(quote), let end = rest.dropFirst().firstIndex(of: quote) else { return false }
            let value = TextPattern.escaped(String(rest[rest.index(after: rest.startIndex)..<end]))
            attributes += "\\s+\(TextPattern.escaped(String(key)))\\s*=\\s*(\"\(value)\"|'\(value)')"
            rest = rest[rest.index(after: end)...]
        }
        pieces.append(.open(name: name, attributes: attributes))
        if isEmpty { pieces.append(.close(name)) }
        return !name.isEmpty
    }

    /// The expression for a whole body.
    var expression: String {
        var text = "\\s*(<\\?[^>]*\\?>)?"
        var isOpen = false
        for (number, piece) in pieces.enumerated() {
            switch piece {
            case .open(let name, let attributes):
                text += "\\s*<\(TextPattern.escaped(String(name)))\(attributes)\\s*"
                isOpen = if case .close? = pieces.dropFirst(number + 1).first { true } else { false }
                if !isOpen { text += ">" }
            case .text(let words):
                let words = words.reversed().drop { $0.isWhitespace }.reversed()
                text += "\\s*\(TextPattern.escaped(String(words)))"
            case .close(let name):
                let end = "\\s*</\(TextPattern.escaped(String(name)))\\s*>"
                text += isOpen ? "(/>|>\(end))" : end
                isOpen = false
            }
        }
        return text + "\\s*"
    }
}
