import BankCore
import BankModel

/// Reads which addresses a mapping answers: `url`, `urlPath`, `urlPathTemplate`, `urlPathPattern` or `urlPattern`.
struct AddressReader {
    let notes: Notes
    /// Whether the bank compares paths as they were sent, with their escapes.
    let asSent: Bool

    struct Address {
        /// A path such as `/accounts/{id}`.
        var path: String
        var when: [Condition] = []
    }

    func address(_ request: LocatedJSON) -> Address? {
        let kinds = ["url", "urlPath", "urlPathTemplate", "urlPathPattern", "urlPattern"]
        let given = kinds.compactMap { request[$0] }
        guard given.count == 1, let piece = given.first, let text = notes.text(piece) else {
            if given.isEmpty { notes.cannot(.leftOut, request, "it matches every URL; an operation has one path") }
            if given.count > 1 { notes.cannot(.leftOut, given[1], "a second URL matcher besides the first") }
            return nil
        }
        if request["url"] != nil { return url(piece, text) }
        if request["urlPath"] != nil { return path(piece, text).map { Address(path: $0) } }
        if request["urlPathTemplate"] != nil { return template(piece, text) }
        return request["urlPathPattern"] != nil ? pattern(piece, text) : urlPattern(piece, text)
    }

    /// A whole address: path and query are just these.
    private func url(_ piece: LocatedJSON, _ text: String) -> Address? {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.last?.isEmpty == true { return warn(piece, "a request without a query has no question mark") }
        let query = parts.count > 1 ? Condition(.rawQuery, .value(.string(parts[1]))) : Condition(.rawQuery, .absent)
        return path(piece, parts[0]).map { Address(path: $0, when: [query]) }
    }

    /// A path without a query, whole and as it is.
    func plain(_ piece: LocatedJSON, _ text: String) -> Address? { path(piece, text).map { Address(path: $0) } }

    private func path(_ piece: LocatedJSON, _ text: String) -> String? {
        guard text.hasPrefix("/") else { return warn(piece, "no request has a path that does not begin with a slash") }
        return joined(piece, text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { compared(String($0)) })
    }

    /// A piece of a path as the bank compares it; nil if an escape is broken.
    private func compared(_ piece: String) -> String? { asSent ? piece : percentDecoded(piece, plusIsSpace: false) }

    private func joined(_ piece: LocatedJSON, _ segments: [String?]) -> String? {
        let isSayable = segments.allSatisfy { segment in segment.map { !$0.contains { " {}/\n\t".contains($0) } } ?? false }
        guard isSayable else { return warn(piece, "a path with a space, brace, \(asSent ? "" : "encoded slash ")or invalid escape") }
        return "/" + segments.compactMap(\.self).joined(separator: "/")
    }

    private func template(_ piece: LocatedJSON, _ text: String) -> Address? {
        guard let template = PathTemplate(text), !text.contains(" "), !text.contains("%"),
            Set(template.parameters).count == template.parameters.count
        else { return warn(piece, "a template other than whole path segments, such as /accounts/{id}") }
        return Address(path: text)
    }

    private func urlPattern(_ piece: LocatedJSON, _ text: String) -> Address? {
        guard let mark = text.firstRange(of: "\\?") else {
            guard var address = pattern(piece, text) else { return nil }
            // A pattern that ends in `.*` matches any query too.
            if !text.hasSuffix(".*"), !text.hasSuffix(".*$") { address.when.append(Condition(.rawQuery, .absent)) }
            return address
        }
        guard var address = pattern(piece, String(text[..<mark.lowerBound])) else { return nil }
        guard let atoms = RegexAtom.atoms(String(text[mark.upperBound...])), let query = atoms.pattern else {
            return warn(piece, "for a query, only literal text and runs such as .* or [^&]+ are supported")
        }
        if query.isWider { notes.cannot(.wider, piece, "`*` matches any text where the expression demands certain characters") }
        address.when.append(Condition(.rawQuery, atoms.text.map { .value(.string($0)) } ?? .like([query.text])))
        return address
    }

    /// An expression for the path: literal pieces, and runs that become parameters.
    func pattern(_ piece: LocatedJSON, _ text: String) -> Address? {
        let sayable = "for a path, only literal segments and runs such as [^/]+ are supported"
        guard let atoms = RegexAtom.atoms(text), atoms.first?.character == "/" else { return warn(piece, sayable) }
        var parts: [String] = []
        var when: [Condition] = []
        for atoms in atoms.dropFirst().split(whereSeparator: { $0.character == "/" }).map(Array.init) {
            if let literal = atoms.text {
                guard let literal = joined(piece, [compared(literal)]) else { return nil }
                parts.append(String(literal.dropFirst()))
                continue
            }
            if let first = atoms.first, first == RegexAtom(kind: .notSlash, count: .oneOrMore), let suffix = Array(atoms.dropFirst()).text,
                joined(piece, [suffix]) != nil
            {
                parts.append("{part\(parts.count + 1)}\(suffix)")
                continue
            }
            guard atoms.contains(where: \.isRun) || atoms.contains(where: { $0.character == nil }), let glob = atoms.pattern else {
                return warn(piece, sayable)
            }
            let name = "part\(parts.count + 1)"
            parts.append("{\(name)}")
            if glob.text != "*" { when.append(Condition(.path, name, .like([glob.text]))) }
            note(atoms, glob.text, piece)
        }
        let empty = atoms.dropFirst().split(maxSplits: .max, omittingEmptySubsequences: false) { $0.character == "/" }.count - parts.count
        guard empty == 0 else { return warn(piece, "an empty path segment") }
        return Address(path: "/" + parts.joined(separator: "/"), when: when)
    }

    /// How a piece of a path with runs in it differs from what is said of it.
    private func note(_ atoms: [RegexAtom], _ pattern: String, _ piece: LocatedJSON) {
        let runs = atoms.filter { $0.character == nil }
        if runs.contains(where: { $0.kind == .any && $0.count != .once }) {
            notes.cannot(.narrower, piece, "`.` matches a slash too; a parameter is one path segment")
        }
        let isExact = runs.allSatisfy { $0.kind == .notSlash && (pattern == "*" ? $0.count != .other : $0.count == .any) }
        if !isExact, runs.contains(where: { $0.kind == .set || $0.kind == .notSlash || $0.count == .once }) {
            notes.cannot(.wider, piece, "a parameter matches any text where the expression demands certain characters, or at least one")
        }
    }

    private func warn<Value>(_ piece: LocatedJSON, _ reason: String) -> Value? {
        notes.cannot(.leftOut, piece, reason)
        return nil
    }
}
