import BankModel

/// Replacements of personal data: the same value has the same replacement everywhere, of the same length and shape.
///
/// Replacements are drawn from the seed in the order in which values are found, never computed from them: nobody who knows the seed can
/// try out originals.
struct Pseudonyms {
    private var generator: SeededGenerator
    private(set) var replacements: [String: String] = [:]
    private var taken: Set<String> = []
    /// In the order in which they were found.
    private var found: [(text: String, kind: PersonalData)] = []
    /// The member that has each first.
    private(set) var members: [String: String] = [:]
    /// What no replacement may have in it.
    private var originals = OriginalFinder([])

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Notes an original.
    mutating func add(_ text: String, _ kind: PersonalData, member: String) {
        guard members[text] == nil else { return }
        members[text] = member
        found.append((text, kind))
    }

    /// Draws the replacements of all that was noted, but for what is kept.
    ///
    /// - Parameter originals: what no replacement may have in it: for the account `ava-gbp` of the customer `ava`, not `ava-dkl`.
    mutating func assign(keeping kept: Set<String>, avoiding originals: OriginalFinder) {
        self.originals = originals
        taken = Set(members.keys)
        for (text, kind) in found where !kept.contains(text) { replacements[text] = replacement(text, kind) }
        for text in kept { members[text] = nil }
    }

    private mutating func replacement(_ text: String, _ kind: PersonalData) -> String {
        // Numbers in groups are replaced as the same numbers without.
        let isGrouped = [.iban, .card, .account, .phone].contains(kind) && text.contains { " -".contains($0) }
        // A variable of Postman's without a value is no name that a customer could type.
        let isVariable = kind == .name && text.hasPrefix("{{") && text.hasSuffix("}}")
        let plain = isVariable ? String(text.dropFirst(2).dropLast(2)) : text
        let core = isGrouped ? text.filter { $0 != " " && $0 != "-" } : plain
        if isGrouped, let known = replacements[core] { return Pseudonyms.grouped(known, as: text) }
        var drawn = core
        for _ in 0..<200 {
            drawn = draw(core, kind)
            if drawn != core, !taken.contains(drawn), isClean(drawn) { break }
        }
        taken.insert(drawn)
        if isGrouped { replacements[core] = drawn }
        return isGrouped ? Pseudonyms.grouped(drawn, as: text) : drawn
    }

    private func isClean(_ text: String) -> Bool { originals.first(in: Array(text.utf8)) == nil }

    private static func grouped(_ core: String, as text: String) -> String {
        var rest = core[...]
        return String(text.map { " -".contains($0) ? $0 : rest.popFirst() ?? "0" })
    }

    private mutating func draw(_ core: String, _ kind: PersonalData) -> String {
        switch kind {
        case .birthday:
            guard core.count >= 10, CivilDate(String(core.prefix(10))) != nil else { return reshaped(core) }
            let (year, month, day) = (1940 + number(60), 1 + number(12), 1 + number(28))
            return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)" + core.dropFirst(10)
        case .iban:
            let drawn = String(core.prefix(2)) + reshaped(String(core.dropFirst(2)))
            return Checksums.isIBAN(core) ? Checksums.iban(drawn) : drawn
        case .card:
            let drawn = reshaped(core)
            guard Checksums.luhn(core) == 0, let excess = Checksums.luhn(drawn), let last = drawn.last?.wholeNumberValue else {
                return drawn
            }
            return drawn.dropLast() + String((last + 10 - excess) % 10)
        default: return reshaped(core)
        }
    }

    private mutating func number(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    private mutating func pick(_ signs: String) -> Character { Array(signs)[number(signs.count)] }

    /// Another text of the same shape: digits for digits, vowels for vowels, consonants for consonants, in the same case.
    mutating func reshaped(_ text: String) -> String {
        let isHex = text.count >= 8 && text.allSatisfy { $0.isHexDigit && $0.isASCII || $0 == "-" } && text.contains { $0.isLetter }
        let isUUID = isHex && text.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12]
        var out = ""
        for (index, sign) in text.enumerated() {
            // The version and the variant of a UUID (RFC 9562 §4) remain.
            if isUUID, index == 14 || index == 19 {
                out.append(sign)
            } else if sign.isNumber {
                out.append(index == 0 && sign != "0" ? pick("123456789") : pick("0123456789"))
            } else if sign.isLetter {
                let lower = sign.lowercased()
                let drawn = isHex ? pick("abcdef") : "aeiouy".contains(lower) ? pick("aeiou") : pick("bdfgklmnprstvz")
                out += sign.isUppercase ? drawn.uppercased() : String(drawn)
            } else {
                out.append(sign)
            }
        }
        return out
    }

    /// A password for a customer of the bank.
    mutating func password() -> String {
        let words = [
            "amber", "bridge", "candle", "drawer", "feather", "garden", "lantern", "mirror", "orchard", "pencil", "ribbon", "saddle",
        ]
        var drawn = ""
        for _ in 0..<200 {
            drawn = "\(words[number(words.count)])-\(words[number(words.count)])-\(1000 + number(9000))"
            if isClean(drawn) { break }
        }
        return drawn
    }

    /// A factor from 0.9 to 1.1.
    mutating func jitter() -> Double { 0.9 + Double(number(2001)) / 10_000 }
}
