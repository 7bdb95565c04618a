import Foundation

/// Removes secrets from texts that a user or a log will see.
package enum Secret {
    /// The replacement of a secret.
    private static let mark = "(redacted)"
    /// A secret of letters alone is not longer than this if it may be a word of a sentence.
    private static let longestWord = 15
    /// A shorter secret may be part of any text.
    private static let shortest = 4

    /// The text with every occurrence of the secret redacted.
    ///
    /// A secret that may be a word, such as the password `is`, is redacted where it stands as a value: in quotes, or behind `=` or
    /// `:`. Elsewhere it is part of the sentence: the gap would spoil the sentence and reveal the secret.
    package static func hide(_ secret: String, in text: String) -> String {
        guard !secret.isEmpty, text.contains(secret) else { return text }
        guard mayBeWord(secret) else { return text.replacingOccurrences(of: secret, with: mark) }
        var out = ""
        var rest = text.startIndex
        for range in text.ranges(of: secret) where isValue(range, in: text) {
            out += text[rest..<range.lowerBound] + mark
            rest = range.upperBound
        }
        return out + text[rest...]
    }

    private static func mayBeWord(_ secret: String) -> Bool {
        secret.count < shortest || secret.count <= longestWord && secret.allSatisfy(\.isLetter)
    }

    /// Whether the range is all of a value: `"is"`, `password=is`, `{"password": is}`.
    private static func isValue(_ range: Range<String.Index>, in text: String) -> Bool {
        let before = text[..<range.lowerBound]
        let after = text[range.upperBound...].first
        if let quote = before.last, "\"'`".contains(quote), after == quote { return true }
        if before.last == "=" || before.last == ":" { return after.map { !$0.isLetter && !$0.isNumber } ?? true }
        // `a reason: is the …` is a sentence; `password: is` ends with the value.
        return before.hasSuffix(": ") && (after.map { ",;}])&\n".contains($0) } ?? true)
    }
}

extension ClientFailure {
    /// The same failure with the secret redacted.
    func hiding(_ secret: String) -> ClientFailure {
        var failure = self
        failure.detail = Secret.hide(secret, in: detail)
        return failure
    }
}
