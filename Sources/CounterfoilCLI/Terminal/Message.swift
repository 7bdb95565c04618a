import BankModel

/// An error for a user: what happened in one line, and below it what to do.
struct Message {
    let error: String
    let hint: String?

    /// - Parameters:
    ///   - text: what happened; a suggestion at its end becomes the hint.
    ///   - hint: what to do; nil if only the text's own suggestion is known.
    init(_ text: String, hint: String? = nil) {
        let suggestion = hint == nil ? Message.suggestion(in: text) : nil
        error = (suggestion.map { String(text[..<$0.lowerBound]) } ?? text).indented
        self.hint = (hint ?? suggestion.map { "did you mean " + text[$0.upperBound...] })?.indented
    }

    /// Both lines, without a line's end.
    var text: String { "error: \(error)" + (hint.map { "\nhint: \($0)" } ?? "") }

    /// The text between a message and its suggestion: that of `didYouMean`, or that of ArgumentParser.
    private static func suggestion(in text: String) -> Range<String.Index>? {
        guard text.hasSuffix("?") else { return nil }
        return ["; did you mean ", ". Did you mean "].compactMap { text.firstRange(of: $0) }.first
    }
}

extension Output {
    /// Writes what went wrong, and below it what to do.
    func error(_ text: String, hint: String? = nil) { line(Message(text, hint: hint).text) }
}
