import BankModel

/// Finds a session's tokens in a text in any encoding: plain, upper case, percent-encoded once or several times, with JSON escapes,
/// in Base64 with or without a prefix, in hexadecimal digits.
enum TokenSpelling {
    /// A token's text has more characters than this.
    static let shortest = 20
    /// The first two letters of every token.
    static let lead = (UInt8(ascii: "c"), UInt8(ascii: "f"))

    /// The text with every token replaced.
    ///
    /// - Parameter label: returns the replacement of a token's text.
    /// - Returns: nil if there is none.
    static func replaced(in bytes: [UInt8], by label: (String) -> String) -> [UInt8]? {
        let text = Unescaped(bytes)
        var out: [UInt8] = []
        var (copied, position) = (0, 0)
        while position < text.bytes.count {
            guard isWord(text.bytes[position]) else {
                position += 1
                continue
            }
            let end = text.bytes[position...].firstIndex { !isWord($0) } ?? text.bytes.count
            let padding = text.bytes[end...].prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
            for found in tokens(in: text.bytes[position..<end], padding: padding) {
                out += bytes[copied..<text.positions[found.range.lowerBound]]
                out += label(found.token).utf8
                copied = text.positions[found.range.upperBound]
            }
            position = end
        }
        return copied == 0 ? nil : out + bytes[copied...]
    }

    /// The tokens in a word, each with the range to replace.
    ///
    /// - Parameter padding: the number of Base64 padding signs after the word.
    private static func tokens(in word: ArraySlice<UInt8>, padding: Int) -> [(range: Range<Int>, token: String)] {
        guard word.count > shortest else { return [] }
        var found: [(range: Range<Int>, token: String)] = []
        var position = word.startIndex
        while let start = beginning(in: word[position...]) {
            let end = word[start...].firstIndex { !isTokenByte($0) } ?? word.endIndex
            if end - start > shortest {
                found.append(
                    (start..<end, String(decoding: word[start..<end].map { $0 | ($0 == UInt8(ascii: "_") ? 0 : 0x20) }, as: UTF8.self)))
            }
            position = end
        }
        if !found.isEmpty { return found }
        if let token = decodedBase64(word) { return [(word.startIndex..<word.endIndex + padding, token)] }
        return decodedHexadecimal(word).map { [(word.startIndex..<word.endIndex, $0)] } ?? []
    }

    private static func beginning(in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 3 else { return nil }
        return (bytes.startIndex...bytes.endIndex - 3).first { position in
            bytes[position] | 0x20 == lead.0 && bytes[position + 1] | 0x20 == lead.1 && bytes[position + 2] == UInt8(ascii: "_")
        }
    }

    /// The token in a word decoded as Base64 (RFC 4648 §4 and §5), at any offset.
    private static func decodedBase64(_ word: ArraySlice<UInt8>) -> String? {
        guard word.withUnsafeBufferPointer(mayEncodeToken) else { return nil }
        for skipped in 0..<4 where word.count - skipped > shortest {
            let signs = word.dropFirst(skipped).dropLast((word.count - skipped) % 4 == 1 ? 1 : 0)
            guard let bytes = Base64.decoded(inEitherAlphabet: signs) else { continue }
            if let token = token(in: bytes) { return token }
        }
        return nil
    }

    /// A quick look: whether a word has a token's first three letters in Base64, in capitals or not, at any of its three alignments:
    /// `[YQ][20]Z`, `N[mG]X` or `[jD][ZR]l`. The third letter rules most positions out.
    private static func mayEncodeToken(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
        guard word.count > shortest else { return false }
        return (2..<word.count).contains { position in
            switch word[position] {
            case UInt8(ascii: "Z"): "YQ".utf8.contains(word[position - 2]) && "20".utf8.contains(word[position - 1])
            case UInt8(ascii: "X"): word[position - 2] == UInt8(ascii: "N") && "mG".utf8.contains(word[position - 1])
            case UInt8(ascii: "l"): "jD".utf8.contains(word[position - 2]) && "ZR".utf8.contains(word[position - 1])
            default: false
            }
        }
    }

    private static func decodedHexadecimal(_ word: ArraySlice<UInt8>) -> String? {
        for skipped in 0..<2 {
            let digits = word.dropFirst(skipped).prefix { hexValue($0) != nil }
            let text = String(decoding: digits.prefix(digits.count & ~1), as: UTF8.self)
            if let bytes = bytes(hexadecimal: text), let token = token(in: bytes) { return token }
        }
        return nil
    }

    private static func token(in bytes: [UInt8]) -> String? {
        guard let start = beginning(in: bytes[...]) else { return nil }
        let token = bytes[start...].prefix(while: isTokenByte)
        return token.count > shortest ? String(decoding: token, as: UTF8.self) : nil
    }

    /// Whether the byte may occur in a token, in Base64 or in hexadecimal digits.
    private static func isWord(_ byte: UInt8) -> Bool { isTokenByte(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}

/// A text without escapes, and the original position of each of its bytes.
private struct Unescaped {
    private(set) var bytes: [UInt8]
    /// The position of each byte, then the end of the original text.
    private(set) var positions: [Int]

    /// The maximum depth of nested escapes.
    private static let rounds = 6

    init(_ written: [UInt8]) {
        bytes = written
        positions = Array(0...written.count)
        for _ in 0..<Unescaped.rounds where bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") }) {
            var (plain, starts): ([UInt8], [Int]) = ([], [])
            var position = 0
            while position < bytes.count {
                let escape = Escapes.unescaped(bytes, at: position)
                for byte in escape?.plain ?? [bytes[position]] {
                    plain.append(byte)
                    starts.append(positions[position])
                }
                position += escape?.length ?? 1
            }
            if plain == bytes { return }
            bytes = plain
            positions = starts + [written.count]
        }
    }
}
