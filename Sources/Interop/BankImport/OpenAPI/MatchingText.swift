/// Generates a text that a regular expression of JSON Schema (ECMA-262) matches: literals, sets, groups, alternatives and counts.
///
/// It takes the first alternative and the smallest counts. Assertions are skipped, so the result is to be checked by the expression itself.
/// `RegexAtom` is the opposite: it keeps only what tells whether two expressions match the same, and has neither sets nor counts.
struct MatchingText {
    private var rest: Substring
    /// How often a part that may be repeated is repeated beyond the smallest number.
    private let stretch: Int
    private var isBroken = false

    /// Longer repetitions are not generated.
    private static let longest = 1_000

    private init(_ pattern: String, stretch: Int) {
        rest = Substring(pattern)
        self.stretch = stretch
    }

    /// A text of at least and at most that many characters that the expression matches; nil if none is found.
    static func text(_ pattern: String, shortest: Int = 0, longest: Int = longest) -> String? {
        for stretch in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
            var reader = MatchingText(pattern, stretch: stretch)
            let text = reader.alternatives()
            guard !reader.isBroken, reader.rest.isEmpty else { return nil }
            guard text.count <= longest else { return nil }
            if text.count >= shortest, matches(text, pattern) { return text }
        }
        return nil
    }

    /// Whether the expression matches some part of the text; false if it is none that can be read.
    static func matches(_ text: String, _ pattern: String) -> Bool {
        guard text.utf8.count <= longest, let expression = try? Regex(pattern) else { return false }
        return text.firstMatch(of: expression) != nil
    }

    // MARK: parts

    private mutating func alternatives() -> String {
        let first = sequence()
        while rest.first == "|" {
            rest = rest.dropFirst()
            _ = sequence()
        }
        return first
    }

    private mutating func sequence() -> String {
        var text = ""
        while let character = rest.first, character != "|", character != ")", !isBroken {
            rest = rest.dropFirst()
            var piece = ""
            var isSet = false
            switch character {
            case "^", "$": continue
            case "(": piece = group()
            case "[": (piece, isSet) = (set(), true)
            case ".": (piece, isSet) = ("a", true)
            case "\\": (piece, isSet) = escaped()
            case "*", "+", "?":
                isBroken = true
                return text
            default: piece = String(character)
            }
            text += String(repeating: piece, count: min(count(isSet: isSet), MatchingText.longest / max(1, piece.count)))
        }
        return text
    }

    private mutating func group() -> String {
        var isAssertion = false
        if rest.hasPrefix("?") {
            rest = rest.dropFirst()
            switch rest.first {
            case ":": rest = rest.dropFirst()
            case "=", "!":
                isAssertion = true
                rest = rest.dropFirst()
            case "<":
                isAssertion = rest.hasPrefix("<=") || rest.hasPrefix("<!")
                guard let end = rest.firstIndex(where: { isAssertion ? $0 == "=" || $0 == "!" : $0 == ">" }) else {
                    isBroken = true
                    return ""
                }
                rest = rest[rest.index(after: end)...]
            default: isBroken = true
            }
        }
        let inner = alternatives()
        guard rest.popFirst() == ")" else {
            isBroken = true
            return ""
        }
        return isAssertion ? "" : inner
    }

    /// What a count says: the smallest number, but once for a set that may be missing.
    private mutating func count(isSet: Bool) -> Int {
        var (least, most) = (1, 1)
        switch rest.first {
        case "*": (least, most) = (0, .max)
        case "+": (least, most) = (1, .max)
        case "?": (least, most) = (0, 1)
        case "{":
            guard let end = rest.firstIndex(of: "}") else { return 1 }
            let parts = rest[rest.index(after: rest.startIndex)..<end].split(separator: ",", omittingEmptySubsequences: false)
            guard let first = parts.first, let smallest = Int(first) else { return 1 }
            least = smallest
            most = parts.count == 1 ? smallest : Int(parts[1]) ?? .max
            rest = rest[end...]
        default: return 1
        }
        rest = rest.dropFirst()
        if rest.first == "?" || rest.first == "+" { rest = rest.dropFirst() }
        if least == 0, isSet, most == .max { least = 1 }
        return least == most ? least : min(most, least + stretch)
    }

    private mutating func escaped() -> (String, isSet: Bool) {
        guard let character = rest.popFirst() else { return ("", false) }
        switch character {
        case "d": return ("1", true)
        case "w", "S", "D": return ("a", true)
        case "W", "s": return (" ", true)
        case "b", "B": return ("", false)
        case "p", "P":
            if rest.first == "{", let end = rest.firstIndex(of: "}") { rest = rest[rest.index(after: end)...] }
            return (character == "p" ? "A" : "1", true)
        case "n", "r", "t", "v", "f", "u", "x", "c", "0"..."9", "k":
            isBroken = true
            return ("", false)
        default: return (String(character), false)
        }
    }

    /// A character of a set.
    private mutating func set() -> String {
        let isNegated = rest.first == "^"
        if isNegated { rest = rest.dropFirst() }
        var ranges: [ClosedRange<Character>] = []
        while let character = rest.popFirst(), character != "]" {
            var low = character
            if character == "\\", let next = rest.popFirst() {
                switch next {
                case "d": ranges.append("0"..."9")
                case "w": ranges += ["a"..."z", "A"..."Z", "0"..."9", "_"..."_"]
                case "s": ranges.append(" "..." ")
                case "p":
                    if rest.first == "{", let end = rest.firstIndex(of: "}") { rest = rest[rest.index(after: end)...] }
                    ranges += ["A"..."Z", "a"..."z"]
                default: low = next
                }
                if "dwsp".contains(next) { continue }
            }
            if rest.first == "-", let high = rest.dropFirst().first, high != "]", high >= low {
                rest = rest.dropFirst(2)
                ranges.append(low...high)
            } else {
                ranges.append(low...low)
            }
        }
        guard isNegated else {
            let good = MatchingText.usual.first { character in ranges.contains { $0.contains(character) } }
            guard let found = good ?? ranges.first?.lowerBound else {
                isBroken = true
                return ""
            }
            return String(found)
        }
        guard let other = MatchingText.usual.first(where: { character in !ranges.contains { $0.contains(character) } }) else {
            isBroken = true
            return ""
        }
        return String(other)
    }

    /// Characters that are taken before others.
    private static let usual: [Character] = ["A", "a", "1", "0", "-", "_", " ", "."]
}
