import BankCore
import BankModel

/// Takes secrets out of what is about to be recorded: a known token becomes its id wherever it stands.
struct Redaction {
    let tokens: TokenBook
    /// The journal's name of the token that the request presents; nil: it is looked up.
    var presented: String?

    /// Headers whose values are never kept.
    private static let hidden = ["cookie", "set-cookie", "proxy-authorization", "x-api-key"]

    /// How long the names are that are not recorded like all others.
    private static let lengths = Set((hidden + ["authorization"]).map(\.utf8.count))

    func header(_ header: JournalEntry.Header) -> JournalEntry.Header {
        guard Redaction.lengths.contains(header.name.utf8.count) else { return JournalEntry.Header(header.name, text(header.value)) }
        let name = header.name.lowercased()
        if name == "authorization" {
            let label = presented ?? tokens.presented(header.value).label ?? "unknown"
            return JournalEntry.Header(header.name, header.value.prefix(6).lowercased() == "bearer" ? "Bearer \(label)" : "[redacted]")
        }
        if Redaction.hidden.contains(name) { return JournalEntry.Header(header.name, "[redacted]") }
        return JournalEntry.Header(header.name, text(header.value))
    }

    func text(_ text: String) -> String {
        guard text.utf8.withContiguousStorageIfAvailable(Redaction.mayHoldToken) ?? true else { return text }
        let bytes = Array(text.utf8)
        let clean = self.bytes(bytes)
        return clean == bytes ? text : String(decoding: clean, as: UTF8.self)
    }

    /// The bytes with every text that begins like a token of ours replaced by the token's id, or by `unknown`. As in URLs
    /// and forms, any of its characters may be percent-encoded (RFC 3986 §2.1); encoded twice it is not found.
    func bytes(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.withUnsafeBufferPointer(Redaction.mayHoldToken) else { return bytes }
        var out: [UInt8] = []
        var copied = 0
        var index = 0
        while index + 3 <= bytes.count {
            // Most bytes are neither a `c` before an `f` nor the beginning of an encoded one.
            guard Redaction.mayBegin(bytes[index], bytes[index + 1]), let found = Redaction.token(in: bytes, at: index)
            else {
                index += 1
                continue
            }
            if found.text.count > 20 {
                out += bytes[copied..<index]
                out += (tokens.token(String(decoding: found.text, as: UTF8.self))?.id ?? "unknown").utf8
                copied = found.end
            }
            index = found.end
        }
        return copied == 0 ? bytes : out + bytes[copied...]
    }

    /// Whether there may be a token, by one quick look: most texts have none.
    private static func mayHoldToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        zip(bytes, bytes.dropFirst()).contains(where: mayBegin)
    }

    /// Whether a token's text may begin with these two bytes.
    private static func mayBegin(_ first: UInt8, _ second: UInt8) -> Bool {
        first == UInt8(ascii: "%") || first == UInt8(ascii: "c") && (second == UInt8(ascii: "f") || second == UInt8(ascii: "%"))
    }

    /// The text from there on that is made like a token, decoded, and where it ends; nil if it does not begin with `cf_`.
    private static func token(in bytes: [UInt8], at start: Int) -> (text: [UInt8], end: Int)? {
        var text: [UInt8] = []
        var end = start
        while end < bytes.count {
            let (byte, length) = Percent.decoded(bytes, at: end)
            guard isTokenByte(byte) else { break }
            text.append(byte)
            end += length
            if text.count == 3, text != Array("cf_".utf8) { return nil }
        }
        return text.count < 3 ? nil : (text, end)
    }

    /// As ``bytes(_:)``, and with a secret text replaced, as it stands and percent-encoded.
    func bytes(_ bytes: [UInt8], hiding secret: String?) -> [UInt8] {
        let bytes = self.bytes(bytes)
        guard let secret, !secret.isEmpty else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self)
        return Array(text.replacing(secret, with: "[redacted]").replacing(percentEncoded(secret), with: "[redacted]").utf8)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

private enum Percent {
    /// The byte that stands there, plain or percent-encoded, and how many bytes that takes: 1 or 3.
    static func decoded(_ bytes: [UInt8], at index: Int) -> (byte: UInt8, length: Int) {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
            let low = hexValue(bytes[index + 2])
        else { return (bytes[index], 1) }
        return (high << 4 | low, 3)
    }
}
