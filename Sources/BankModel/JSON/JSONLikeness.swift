/// A JSON document that another one must be like: equal, but for what is allowed to differ.
///
/// A text `${json-unit.ignore}` matches any value, `${json-unit.any-string}`, `${json-unit.any-number}` and
/// `${json-unit.any-boolean}` for any value of that kind, `${json-unit.regex}a+` for a text that fits, as in JsonUnit.
package struct JSONLikeness: Sendable, Hashable {
    package var document: JSON
    /// Whether objects may have further members, and arrays further elements.
    package var allowsMore: Bool
    /// Whether the elements of arrays may come in any order.
    package var anyOrder: Bool

    package init(_ document: JSON, allowsMore: Bool = false, anyOrder: Bool = false) {
        self.document = document
        self.allowsMore = allowsMore
        self.anyOrder = anyOrder
    }

    /// Whether a document is like this one.
    package func fits(_ found: JSON) -> Bool { fits(document, found) }

    private func fits(_ wanted: JSON, _ found: JSON) -> Bool {
        switch (wanted, found) {
        case (.string(let text), _) where text.hasPrefix("${json-unit."): return fits(placeholder: text, found)
        case (.object(let wanted), .object(let found)):
            guard allowsMore || found.keys.allSatisfy({ wanted[$0] != nil }) else { return false }
            return wanted.members.allSatisfy { key, value in
                guard let member = found[key] else { return value == "${json-unit.ignore-element}" }
                return fits(value, member)
            }
        case (.array(let wanted), .array(let found)):
            guard allowsMore ? found.count >= wanted.count : found.count == wanted.count else { return false }
            if anyOrder { return fits(wanted, anyOrder: found) }
            return zip(wanted, found).allSatisfy { fits($0, $1) }
        default: return wanted == found
        }
    }

    private func fits(placeholder: String, _ found: JSON) -> Bool {
        let name = placeholder.dropFirst("${json-unit.".count)
        switch name {
        case "ignore}", "ignore-element}": return true
        case "any-string}": return found.string != nil
        case "any-number}": return found.number != nil
        case "any-boolean}": return found.bool != nil
        default:
            guard name.hasPrefix("regex}"), let text = found.string else { return false }
            return (try? TextPattern(String(name.dropFirst("regex}".count))))?.matches(text) ?? false
        }
    }

    /// Whether each wanted element can be paired with a different found one. Augmenting paths: an element that fits several gives way.
    private func fits(_ wanted: [JSON], anyOrder found: [JSON]) -> Bool {
        var taken: [Int?] = Array(repeating: nil, count: found.count)
        // Finds a position for a wanted element; those that have one may move.
        func give(_ number: Int, _ tried: inout Set<Int>) -> Bool {
            for position in found.indices where !tried.contains(position) && fits(wanted[number], found[position]) {
                tried.insert(position)
                if let other = taken[position], !give(other, &tried) { continue }
                taken[position] = number
                return true
            }
            return false
        }
        for number in wanted.indices {
            var tried: Set<Int> = []
            guard give(number, &tried) else { return false }
        }
        return true
    }
}
