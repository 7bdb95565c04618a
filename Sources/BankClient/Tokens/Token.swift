/// What a bank gave to be known by.
public struct Token: Sendable, Hashable {
    /// Sent as `Authorization: Bearer …` (RFC 6750 §2.1).
    public var access: String
    /// Good for one new token, where the bank gives such (RFC 6749 §6).
    public var refresh: String?

    public init(access: String, refresh: String? = nil) { (self.access, self.refresh) = (access, refresh) }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible {
    /// Never the secret itself: descriptions end up in logs.
    public var description: String { "Token(redacted)" }
    public var debugDescription: String { description }
}
