import BankModel

/// Finds secrets and originals of replaced data in bytes, raw or encoded.
struct OriginalFinder {
    /// A text that must not be in the result.
    struct Original: Sendable {
        var text: [UInt8]
        /// The member, header or field that had it.
        var member: String
        /// Its replacement.
        var replacement: [UInt8]
        /// Found only where no letter or digit is beside it: shorter texts occur in others by chance.
        var isWord: Bool
    }

    /// Originals that begin in the same way, by their beginnings of that length, the longest first.
    private typealias Beginnings = (length: Int, originals: [ArraySlice<UInt8>: [Original]])

    /// By the first three bytes, the longest beginnings first.
    private var beginnings: [UInt32: [Beginnings]] = [:]
    /// The bytes that begin one.
    private var starts = [Bool](repeating: false, count: 256)

    /// Shorter texts are not searched for.
    static let shortest = 3
    /// How much of a longer text is looked up; of those that begin alike, each is compared.
    private static let longestBeginning = 64

    init(_ all: [Original]) {
        var seen: Set<[UInt8]> = []
        var lists: [UInt32: [Int: [ArraySlice<UInt8>: [Original]]]] = [:]
        for original in all where original.text.count >= OriginalFinder.shortest {
            guard seen.insert(original.text + [original.isWord ? 1 : 0]).inserted else { continue }
            let beginning = original.text.prefix(OriginalFinder.longestBeginning)
            lists[OriginalFinder.key(original.text, 0), default: [:]][beginning.count, default: [:]][beginning, default: []].append(
                original)
            starts[Int(original.text[0])] = true
        }
        beginnings = lists.mapValues { lengths in
            lengths.keys.sorted(by: >).map { length -> Beginnings in
                (length, (lengths[length] ?? [:]).mapValues { $0.sorted { $0.text.count > $1.text.count } })
            }
        }
    }

    private static func key(_ bytes: [UInt8], _ position: Int) -> UInt32 {
        UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2])
    }

    /// The originals in the bytes, from the left, none within another.
    func matches(in bytes: [UInt8], most: Int = .max) -> [(range: Range<Int>, original: Original)] {
        var found: [(range: Range<Int>, original: Original)] = []
        var position = 0
        while position + OriginalFinder.shortest <= bytes.count, found.count < most {
            if starts[Int(bytes[position])], let match = match(bytes, position) {
                found.append((position..<position + match.text.count, match))
                position += match.text.count
            } else {
                position += 1
            }
        }
        return found
    }

    private func match(_ bytes: [UInt8], _ position: Int) -> Original? {
        for (length, originals) in beginnings[OriginalFinder.key(bytes, position)] ?? [] where position + length <= bytes.count {
            let match = originals[bytes[position..<position + length]]?.first { original in
                let end = position + original.text.count
                guard end <= bytes.count, bytes[position..<end].elementsEqual(original.text) else { return false }
                guard original.isWord else { return true }
                return (position == 0 || !OriginalFinder.isWord(bytes[position - 1]))
                    && (end == bytes.count || !OriginalFinder.isWord(bytes[end]))
            }
            if let match { return match }
        }
        return nil
    }

    private static func isWord(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || byte >= 0x80 }

    /// The bytes with every original replaced; nil if there is none.
    func replaced(in bytes: [UInt8]) -> [UInt8]? {
        var edits = Edits()
        for match in matches(in: bytes) { edits.replace(match.range, with: match.original.replacement) }
        return edits.made(in: bytes)
    }

    // MARK: encoded

    /// The first original in the bytes: raw, with escapes of addresses or JSON, in base 64, or one within another.
    func first(in bytes: [UInt8], depth: Int = 0) -> Original? {
        if let match = matches(in: bytes, most: 1).first { return match.original }
        guard depth < 4 else { return nil }
        if let plain = Escapes.removed(bytes, plusIsSpace: false), let found = first(in: plain, depth: depth + 1) { return found }
        if bytes.contains(UInt8(ascii: "+")), depth == 0,
            let found = matches(in: bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, most: 1).first
        {
            return found.original
        }
        return firstInBase64(bytes, depth)
    }

    private func firstInBase64(_ bytes: [UInt8], _ depth: Int) -> Original? {
        var position = 0
        while position < bytes.count {
            guard OriginalFinder.isBase64(bytes[position]) else {
                position += 1
                continue
            }
            let end = bytes[position...].firstIndex { !OriginalFinder.isBase64($0) } ?? bytes.count
            // Text before the base 64 may shift its groups.
            for shift in 0..<4 where end - position - shift >= 8 {
                let signs = bytes[(position + shift)..<end]
                guard let decoded = Base64.decoded(inEitherAlphabet: signs.dropLast(signs.count % 4 == 1 ? 1 : 0)) else { continue }
                if let found = first(in: decoded, depth: depth + 1) { return found }
            }
            position = end
        }
        return nil
    }

    /// Whether the byte is a sign of one of the alphabets (RFC 4648 §4 and §5).
    private static func isBase64(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || "+/-_".utf8.contains(byte) }
}
