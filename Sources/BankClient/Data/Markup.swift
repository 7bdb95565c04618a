import Foundation

/// Text as banks send it.
enum Markup {
    /// Plain text: `<br/>`, in any spelling, becomes a line break. Everything else is unchanged.
    static func plain(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        return text.replacingOccurrences(of: "<br\\s*/?>", with: "\n", options: [.regularExpression, .caseInsensitive])
    }
}
