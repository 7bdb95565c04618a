import BankCore
import BankModel

/// Reads what a body must be: a mapping's `bodyPatterns`.
struct BodyPatternReader {
    let notes: Notes

    func conditions(_ patterns: [LocatedJSON]) -> [Condition] {
        var texts: [Condition.Wanted] = []
        var conditions: [Condition] = []
        for pattern in patterns {
            guard let wanted = MatcherReader(notes: notes).wanted(pattern) else { continue }
            if case .alike(let likeness) = wanted, !likeness.allowsMore, !likeness.anyOrder, !likeness.hasPlaceholders, conditions.isEmpty {
                conditions.append(Condition(.json, .value(likeness.document)))
            } else {
                texts.append(wanted)
            }
        }
        if texts.count == 1 { conditions.append(Condition(.text, texts[0])) }
        if texts.count > 1 { conditions.append(Condition(.text, .all(texts))) }
        return conditions
    }
}

extension JSONLikeness {
    /// Whether a text in it matches other values.
    fileprivate var hasPlaceholders: Bool { document.text.contains("${json-unit.") }
}
