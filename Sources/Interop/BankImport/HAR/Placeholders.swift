import BankModel

extension APIFacts {
    /// Whether the text is no secret that can be compared: it is masked, a word that a tool writes in place of each secret, or the
    /// beginning of one.
    ///
    /// Wider than ``isMasked(_:)``, by which an import decides what it must not write.
    static func isPlaceholder(_ text: String) -> Bool {
        if isMasked(text) || words.contains(RecordedExchange.plain(text)) { return true }
        let small = text.lowercased()
        if parts.contains(where: small.contains) { return true }
        // The first part of a JWT is the same for all of an issuer (RFC 7515 §3.1): nothing else is left of one that was cut.
        return jwtBeginnings.contains(where: text.hasPrefix) && !text.contains(".")
    }

    private static let parts = [
        "anonymi", "censored", "confidential", "obfuscat", "omitted", "placeholder", "stripped", "truncated", "...",
    ]
    /// Letters and digits only.
    private static let words: Set<String> = [
        "accesstoken", "bearertoken", "deleted", "dummy", "jwt", "replaced", "secret", "string", "token", "youraccesstoken", "yourtoken",
        "yourtokenhere",
    ]
    /// Of `{"alg":`, `{"typ":` and `{"kid":`.
    private static let jwtBeginnings = ["eyJhbGciOi", "eyJ0eXAiOi", "eyJraWQiOi"]
}
