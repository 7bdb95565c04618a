import BankCore
import BankModel

/// Reads what a rule wants of a text, number or truth value.
struct PactMatcherReader {
    let notes: Notes

    /// Everything that must hold; what cannot be said is noted.
    ///
    /// - Parameter example: what stands in the pact; without a rule just that.
    func wanted(_ rule: PactRules.Rule?, example: JSON) -> [Condition.Wanted] {
        guard let rule, !rule.matchers.isEmpty else { return [exactly(example)] }
        guard !rule.isEither else {
            notes.cannot(.leftOut, rule.piece, "alternative rules are not supported")
            return []
        }
        return rule.matchers.flatMap { wanted($0, example: example) }
    }

    private func exactly(_ example: JSON) -> Condition.Wanted { example == .null ? .absent : .value(example) }

    private func wanted(_ matcher: LocatedJSON, example: JSON) -> [Condition.Wanted] {
        switch PactRules.name(matcher) {
        case "equality": return [exactly(example)]
        case "null": return [.absent]
        case "notEmpty", "not-empty": return [.like(["*"])]
        case "include":
            guard let text = matcher["value"].flatMap(notes.text) else { return [] }
            guard !text.contains("*") else { return warn(matcher, "in a pattern `*` matches any text, never itself") }
            return [.like(["*\(text)*"])]
        case "regex":
            guard let text = matcher["regex"].flatMap(notes.text) else { return [] }
            return MatcherReader(notes: notes).matched(PactMatcherReader.whole(text), matcher).map { [$0] } ?? []
        case let name where PactRules.known.contains(name):
            notes.cannot(.wider, matcher, "`*` matches any text that is not empty, of any type")
            return [.like(["*"])]
        case let name:
            return warn(matcher, name.isEmpty ? "a rule without `match`" : "the rule `\(name)` is unknown")
        }
    }

    /// The expression for a whole text: one of a pact's may stand anywhere in it.
    static func whole(_ expression: String) -> String {
        var text = expression
        if !text.hasPrefix("^") { text = ".*" + text }
        if !text.hasSuffix("$") || text.hasSuffix("\\$") { text += ".*" }
        return text
    }

    private func warn(_ piece: LocatedJSON, _ reason: String) -> [Condition.Wanted] {
        notes.cannot(.leftOut, piece, reason)
        return []
    }
}
