import BankCore
import BankModel

/// Reads which addresses a mapping answers: `url`, `urlPath`, `urlPathTemplate`, `urlPathPattern`, `urlPattern`, or every one.
struct AddressReader {
    let notes: ImportNotes
    /// Whether the bank compares paths as they were sent, with their escapes.
    let asSent: Bool

    struct Address {
        /// A path such as `/accounts/{id}`.
        var path: String
        var when: [Condition] = []

        /// The same with a demand on the query.
        func with(query: Condition.Wanted) -> Address { Address(path: path, when: when + [Condition(.rawQuery, query)]) }
    }

    /// The name of the parameter for the rest of a path.
    private static let rest = "rest"

    func address(_ request: LocatedJSON) -> Address? {
        let kinds = ["url", "urlPath", "urlPathTemplate", "urlPathPattern", "urlPattern"]
        let given = kinds.compactMap { request[$0] }
        guard let piece = given.first else { return Address(path: "/{\(AddressReader.rest)...}") }
        guard given.count == 1 else { return notes.nothing(.leftOut, given[1], "a second URL matcher besides the first") }
        guard let text = notes.text(piece) else { return nil }
        if request["url"] != nil { return url(piece, text) }
        if request["urlPath"] != nil { return plain(piece, text) }
        if request["urlPathTemplate"] != nil { return template(piece, text) }
        return request["urlPathPattern"] != nil ? pattern(piece, text) : urlPattern(piece, text)
    }

    /// A whole address: path and query are just these.
    private func url(_ piece: LocatedJSON, _ text: String) -> Address? {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.last?.isEmpty == true { return notes.nothing(.leftOut, piece, "a request without a query has no question mark") }
        return plain(piece, parts[0])?.with(query: parts.count > 1 ? .value(.string(parts[1])) : .absent)
    }

    /// A path without a query, whole and as it is.
    func plain(_ piece: LocatedJSON, _ text: String) -> Address? { path(piece, text).map { Address(path: $0) } }

    private func path(_ piece: LocatedJSON, _ text: String) -> String? {
        guard text.hasPrefix("/") else { return notes.nothing(.leftOut, piece, "no request has a path that does not begin with a slash") }
        let segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { compared(String($0)) }
        guard segments.allSatisfy({ $0.map(isSayable) ?? false }) else {
            return notes.nothing(.leftOut, piece, "a path with a space, brace, \(asSent ? "" : "encoded slash ")or invalid escape")
        }
        return "/" + segments.compactMap(\.self).joined(separator: "/")
    }

    /// A piece of a path as the bank compares it; nil if an escape is broken.
    private func compared(_ piece: String) -> String? { asSent ? piece : percentDecoded(piece, plusIsSpace: false) }

    private func isSayable(_ segment: String) -> Bool { !segment.contains { " {}/?\n\t".contains($0) } }

    private func template(_ piece: LocatedJSON, _ text: String) -> Address? {
        guard let template = PathTemplate(text), !template.hasRest, !text.contains(" "), !text.contains("%"),
            Set(template.parameters).count == template.parameters.count
        else { return notes.nothing(.leftOut, piece, "a template other than whole path segments, such as /accounts/{id}") }
        return Address(path: text)
    }

    // MARK: expressions

    /// An expression for path and query.
    private func urlPattern(_ piece: LocatedJSON, _ text: String) -> Address? {
        guard let whole = notes.pattern(text, piece), let parts = try? TextPattern.pieces(text, at: "?") else { return nil }
        if !whole.mayContain("?") { return pattern(piece, text)?.with(query: .absent) }
        if parts.count == 2, let before = try? TextPattern(parts[0]), !before.mayContain("?"), let query = try? TextPattern(parts[1]),
            !query.matches("")
        {
            return pattern(piece, parts[0])?.with(query: query.literal.map { .value(.string($0)) } ?? .matches(query))
        }
        // The question mark may be anywhere: the whole address is compared.
        let pieces = (try? TextPattern.pieces(text, at: "/")) ?? []
        let literals = pieces.dropFirst().prefix { (try? TextPattern($0))?.literal.map(isSayable) ?? false }
        let isAtStart = ["", "^"].contains(pieces.first)
        // The last piece may go on behind a question mark.
        let fixed = isAtStart ? literals.prefix(max(0, pieces.count - 2)).compactMap { (try? TextPattern($0))?.literal } : []
        return Address(
            path: "/" + (fixed + ["{\(AddressReader.rest)...}"]).joined(separator: "/"), when: [Condition(.url, .matches(whole))])
    }

    /// An expression for the path: literal segments, parameters, and a rest where a slash may be anywhere.
    func pattern(_ piece: LocatedJSON, _ text: String) -> Address? {
        guard let whole = notes.pattern(text, piece), let pieces = try? TextPattern.pieces(text, at: "/") else { return nil }
        guard pieces.count > 1, ["", "^"].contains(pieces[0]) else {
            // Alternatives, or a beginning that may be something else than a slash.
            guard asSent else { return notes.nothing(.leftOut, piece, "an expression that does not begin with a slash") }
            return Address(path: "/{\(AddressReader.rest)...}", when: [Condition(.rawPath, .matches(whole))])
        }
        var parts: [String] = []
        var when: [Condition] = []
        for (number, source) in pieces.enumerated().dropFirst() {
            guard let pattern = try? TextPattern(source) else { return nil }
            if let literal = pattern.literal {
                guard let literal = compared(literal), isSayable(literal) else {
                    return notes.nothing(.leftOut, piece, "a path with a space or brace")
                }
                parts.append(literal)
            } else if pattern.mayContain("/") || pattern.matches("") {
                let rest = pieces[number...].joined(separator: "/")
                parts.append("{\(AddressReader.rest)...}")
                if ![".*", ".*$"].contains(rest), let pattern = try? TextPattern(rest) {
                    when.append(Condition(.path, AddressReader.rest, .matches(pattern)))
                }
                break
            } else {
                let name = "part\(parts.count + 1)"
                parts.append("{\(name)}")
                if !["[^/]+", "([^/]+)", "[^/?]+", "[^?/]+"].contains(source) { when.append(Condition(.path, name, .matches(pattern))) }
            }
        }
        return Address(path: "/" + parts.joined(separator: "/"), when: when)
    }
}
