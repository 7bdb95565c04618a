import BankCore
import BankModel

/// Reads what a rule wants of a text: a header, a field of the query or of a form.
struct PactMatcherReader {
    let notes: Notes

    /// What must hold; nil if it cannot be converted, which is then noted.
    ///
    /// - Parameter example: what stands in the pact; without a rule just that.
    func wanted(_ rule: PactRules.MatchingRule?, example: JSON) -> Condition.Wanted? {
        guard let rule, !rule.matchers.isEmpty else { return exactly(example) }
        let wanted = rule.matchers.compactMap { self.wanted($0, example: example) }
        guard wanted.count == rule.matchers.count else { return nil }
        return wanted.count == 1 ? wanted[0] : rule.isEither ? .any(wanted) : .all(wanted)
    }

    private func exactly(_ example: JSON) -> Condition.Wanted { example == .null ? .absent : .value(example) }

    private func wanted(_ matcher: LocatedJSON, example: JSON) -> Condition.Wanted? {
        let name = PactRules.name(matcher)
        let reader = MatcherReader(notes: notes)
        if let expression = PactMatcherReader.expressions[name] { return reader.matched(expression, matcher) }
        switch name {
        case "equality": return exactly(example)
        case "null": return .absent
        case "notEmpty", "not-empty": return .like(["*"])
        case "include":
            guard let text = matcher["value"].flatMap(notes.text) else { return nil }
            return text.contains("*") ? reader.matched("(?s).*\(TextPattern.escaped(text)).*", matcher) : .like(["*\(text)*"])
        case "regex":
            guard let text = matcher["regex"].flatMap(notes.text) else { return nil }
            return reader.matched(text, matcher)
        case let name where PactRules.known.contains(name):
            notes.cannot(.wider, matcher, "`*` matches any text that is not empty, of any type")
            return .like(["*"])
        case let name:
            notes.cannot(.leftOut, matcher, PactMatcherReader.unknown(name))
            return nil
        }
    }

    /// The matchers of texts that are an expression.
    private static let expressions = [
        "type": "(?s).*", "integer": #"-?\d+"#, "decimal": #"-?\d+\.\d+"#, "number": #"-?\d+(\.\d+)?"#, "boolean": "true|false",
    ]

    /// Why a matcher of this name is not read.
    static func unknown(_ name: String) -> String { name.isEmpty ? "a rule without `match`" : "the rule `\(name)` is unknown" }
}
