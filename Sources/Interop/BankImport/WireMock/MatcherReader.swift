import BankCore
import BankModel

/// Reads what a text must be: WireMock's `equalTo`, `contains`, `matches`, `absent`, `and`.
struct MatcherReader {
    let notes: Notes

    /// Everything that must hold; what cannot be said is noted.
    ///
    /// - Parameter modifiers: keys beside the matcher that the caller has read.
    func wanted(_ piece: LocatedJSON, modifiers: Set<String> = []) -> [Condition.Wanted] {
        guard piece.json.object != nil else { return notes.wrong(piece, expected: "a matcher such as {\"equalTo\": \"a\"}") ?? [] }
        let ignoresCase = notes.flag(piece["caseInsensitive"])
        return piece.members.flatMap { key, value -> [Condition.Wanted] in
            switch key {
            case "equalTo": return text(value).flatMap { equal($0, value, ignoresCase: ignoresCase) }.map { [$0] } ?? []
            case "contains": return text(value).flatMap { contained($0, value) }.map { [$0] } ?? []
            case "matches": return text(value).flatMap { matched($0, value) }.map { [$0] } ?? []
            case "absent": return notes.flag(value) ? [.absent] : [.like(["*"])]
            case "and": return value.elements.flatMap { wanted($0) }
            case "caseInsensitive": return []
            case _ where modifiers.contains(key): return []
            default:
                notes.cannot(.leftOut, value, "`\(key)` is not supported; equalTo, contains, matches, absent and `and` are")
                return []
            }
        }
    }

    private func text(_ piece: LocatedJSON) -> String? { piece.json.string ?? (piece.json.number?.digits) ?? notes.text(piece) }

    private func equal(_ text: String, _ piece: LocatedJSON, ignoresCase: Bool) -> Condition.Wanted? {
        guard !ignoresCase || text.lowercased() == text.uppercased() else {
            notes.cannot(.leftOut, piece, "text comparison is case-sensitive")
            return nil
        }
        return .value(.string(text))
    }

    private func contained(_ text: String, _ piece: LocatedJSON) -> Condition.Wanted? {
        guard !text.contains("*") else {
            notes.cannot(.leftOut, piece, "in a pattern `*` matches any text, never itself")
            return nil
        }
        return .like(["*\(text)*"])
    }

    /// A regular expression for the whole text.
    func matched(_ expression: String, _ piece: LocatedJSON) -> Condition.Wanted? {
        guard let atoms = RegexAtom.atoms(expression), let pattern = atoms.pattern else {
            notes.cannot(.leftOut, piece, "only literal text and runs such as .* of regular expressions are supported")
            return nil
        }
        if let text = atoms.text { return .value(.string(text)) }
        if pattern.isWider {
            notes.cannot(.wider, piece, "`*` matches any text where the expression demands certain characters, or at least one")
        }
        return .like([pattern.text])
    }
}
