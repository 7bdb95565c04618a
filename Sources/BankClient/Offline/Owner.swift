import Crypto

/// Whose data something is.
enum Owner {
    /// A name for a customer of a bank that does not tell who it is: 64 hexadecimal digits.
    ///
    /// - Parameter identity: the user's name at a bank that signs in by name; the token handed over at any other, where
    ///   two tokens may be two customers.
    static func name(bank parts: ClientParts, identity: String) -> String {
        let text = "\(parts.adapter.name)\0\(parts.caller.baseURL)\0\(identity)"
        return SHA256.hash(data: Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
