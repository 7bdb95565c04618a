import BankCore
import BankModel

/// Takes secrets out of what is about to be recorded: a known token becomes its id wherever it stands.
struct Redaction {
    let tokens: TokenBook

    /// Headers whose values are never kept.
    private static let hidden = ["cookie", "set-cookie", "proxy-authorization", "x-api-key"]

    /// How long the names are that are not recorded like all others.
    private static let lengths = Set((hidden + ["authorization"]).map(\.utf8.count))

    func header(_ header: JournalEntry.Header) -> JournalEntry.Header {
        guard Redaction.lengths.contains(header.name.utf8.count) else { return JournalEntry.Header(header.name, text(header.value)) }
        let name = header.name.lowercased()
        if name == "authorization" {
            let label = tokens.presented(header.value).label ?? "unknown"
            return JournalEntry.Header(header.name, header.value.lowercased().hasPrefix("bearer") ? "Bearer \(label)" : "[redacted]")
        }
        if Redaction.hidden.contains(name) { return JournalEntry.Header(header.name, "[redacted]") }
        return JournalEntry.Header(header.name, text(header.value))
    }

    func text(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "_")) else { return text }
        let bytes = Array(text.utf8)
        let clean = self.bytes(bytes)
        return clean == bytes ? text : String(decoding: clean, as: UTF8.self)
    }

    /// The bytes with every text that begins like a token of ours replaced by the token's id, or by `unknown`.
    func bytes(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        var copied = 0
        var index = 0
        while index + 3 <= bytes.count {
            guard bytes[index] == UInt8(ascii: "c"), bytes[index + 1] == UInt8(ascii: "f"), bytes[index + 2] == UInt8(ascii: "_") else {
                index += 1
                continue
            }
            let end = bytes[index...].firstIndex { !Redaction.isTokenByte($0) } ?? bytes.count
            let text = String(decoding: bytes[index..<end], as: UTF8.self)
            if end - index > 20 {
                out += bytes[copied..<index]
                out += (tokens.token(text)?.id ?? "unknown").utf8
                copied = end
            }
            index = end
        }
        return copied == 0 ? bytes : out + bytes[copied...]
    }

    /// As ``bytes(_:)``, and with a secret text replaced, as it stands and percent-encoded.
    func bytes(_ bytes: [UInt8], hiding secret: String?) -> [UInt8] {
        let bytes = self.bytes(bytes)
        guard let secret, !secret.isEmpty else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self)
        let encoded = secret.utf8.map { byte in
            let isPlain =
                byte < 0x80
                && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber || "-._~".utf8.contains(byte))
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return Array(text.replacing(secret, with: "[redacted]").replacing(encoded, with: "[redacted]").utf8)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
