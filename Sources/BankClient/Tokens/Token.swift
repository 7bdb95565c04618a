/// A bank's credentials for a customer.
public struct Token: Sendable, Hashable {
    /// Sent as `Authorization: Bearer …` (RFC 6750 §2.1).
    public var access: String
    /// Exchanged once for a new token; nil if the bank issues none (RFC 6749 §6).
    public var refresh: String?
    /// A pseudonym of the customer: data cached for one customer is never shown to another. Remains when the token is
    /// refreshed.
    public var owner: String?

    public init(access: String, refresh: String? = nil, owner: String? = nil) {
        self.access = access
        self.refresh = refresh
        self.owner = owner
    }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the secret itself: descriptions end up in logs.
    public var description: String { "Token(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
