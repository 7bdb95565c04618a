import BankModel

/// Puts the values of variables into the texts of Postman collections.
///
/// A value may have variables in it, so a collection of 1 MB could fill the memory: of each text and of all together the length is bounded.
final class PostmanTexts {
    /// By how many bytes all texts together may grow: as long as a source of an import may be.
    static let limit = 64 << 20

    private static let longest = 1 << 20

    /// By how many bytes they have grown.
    private var growth = 0

    /// Whether they would grow beyond the limit. Then no further value is put in.
    var isTooLong: Bool { growth > PostmanTexts.limit }

    /// The JSON without comments, which Postman does not send; any other text as it is.
    static func withoutComments(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard text.contains("/"), (try? JSON(parsing: bytes)) == nil else { return text }
        var out: [UInt8] = []
        var (index, isInText) = (0, false)
        while index < bytes.count {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch (bytes[index], next) {
            case (UInt8(ascii: "\\"), _) where isInText:
                out += bytes[index..<min(index + 2, bytes.count)]
                index += 2
            case (UInt8(ascii: "\""), _):
                isInText.toggle()
                out.append(bytes[index])
                index += 1
            case (UInt8(ascii: "/"), UInt8(ascii: "/")) where !isInText:
                index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            case (UInt8(ascii: "/"), UInt8(ascii: "*")) where !isInText:
                let end = bytes[(index + 2)...].firstRange(of: Array("*/".utf8))?.upperBound
                index = end ?? bytes.count
            default:
                out.append(bytes[index])
                index += 1
            }
        }
        return (try? JSON(parsing: out)) == nil ? text : String(decoding: out, as: UTF8.self)
    }

    /// The text with the values of variables; those without a value remain.
    func resolved(_ text: String, _ values: [String: String]) -> String {
        guard text.contains("{{") else { return text }
        var text = text
        for _ in 0..<5 where !isTooLong {
            var out = ""
            var rest = text[...]
            while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
                let name = rest[start.upperBound..<end.lowerBound]
                out += rest[..<start.lowerBound] + (values[String(name)].flatMap { $0.isEmpty ? nil : $0 } ?? "{{\(name)}}")
                rest = rest[end.upperBound...]
                guard out.utf8.count < PostmanTexts.longest else { return text }
            }
            out += rest
            guard out != text, out.utf8.count < PostmanTexts.longest else { break }
            growth += max(0, out.utf8.count - text.utf8.count)
            text = out
        }
        return text
    }
}
