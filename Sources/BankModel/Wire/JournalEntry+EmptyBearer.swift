extension JournalEntry {
    /// The header's value where a request has a bearer's scheme and no token: `Bearer`, or `Bearer null`; nil for any other request.
    package var emptyBearer: String? {
        if token == "empty" { return "Bearer" }
        guard token == "unknown" else { return nil }
        return requestHeaders.first { $0.name.lowercased() == "authorization" && JournalEntry.isWordForNothing($0.value) }?.value
    }

    /// Whether the value of an `Authorization` header has one of the words that languages write for a missing value, where the token
    /// belongs. No bank issues such a token, so it is not a secret.
    package static func isWordForNothing(_ authorization: String) -> Bool {
        guard authorization.prefix(7).lowercased() == "bearer " else { return false }
        return wordsForNothing.contains(authorization.dropFirst(7).lowercased())
    }

    private static let wordsForNothing: Set<String> = [
        "none", "null", "(null)", "undefined", "nil", "optional(nil)", "nan", "[object object]", "[object promise]",
    ]
}
