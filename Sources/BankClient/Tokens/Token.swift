/// A bank's credentials for a customer.
package struct Token: Sendable, Hashable {
    /// Sent as `Authorization: Bearer …` (RFC 6750 §2.1).
    package var access: String
    /// Exchanged once for a new token; nil if the bank issues none (RFC 6749 §6).
    package var refresh: String?
    /// A pseudonym of the customer: data cached for one customer is never shown to another. Remains when the token is
    /// refreshed.
    package var owner: String?

    package init(access: String, refresh: String? = nil, owner: String? = nil) {
        self.access = access
        self.refresh = refresh
        self.owner = owner
    }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the secret itself: descriptions end up in logs.
    package var description: String { "Token(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
