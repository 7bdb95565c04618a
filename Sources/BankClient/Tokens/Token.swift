/// What a bank gave to be known by.
public struct Token: Sendable, Hashable {
    /// Sent as `Authorization: Bearer …` (RFC 6750 §2.1).
    public var access: String
    /// Good for one new token, where the bank gives such (RFC 6749 §6).
    public var refresh: String?
    /// Names whose token it is, without telling: what is cached for one customer is never shown to another. Stays when the
    /// token is renewed.
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
