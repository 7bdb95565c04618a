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
