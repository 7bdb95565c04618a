import BankModel
import Platform

/// Stores one token between requests and between runs.
package protocol TokenStore: Sendable {
    /// The stored token; nil if there is none.
    func load() throws(StorageError) -> Token?
    /// Stores the token, replacing any other; it survives a crash once this returns, if the store is persistent.
    func save(_ token: Token) throws(StorageError)
    /// Removes the token. An empty one never replaces it: it would be sent.
    func clear() throws(StorageError)
    /// Held during a refresh by the process that makes it; nil if no other process uses the store.
    var processLock: ProcessLock? { get }
}

extension TokenStore {
    package var processLock: ProcessLock? { nil }
}

/// Stores the token for as long as the process lives.
package final class MemoryTokenStore: TokenStore {
    private let token = Locked<Token?>(nil)

    package init() {}

    package func load() -> Token? { token.withLock { $0 } }
    package func save(_ token: Token) { self.token.withLock { $0 = token } }
    package func clear() { token.withLock { $0 = nil } }
}

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

extension Token: CustomStringConvertible, CustomReflectable {
    /// Never the secret itself: descriptions end up in logs.
    package var description: String { "Token(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Token {
    /// Reads the bearer token in the response of a token call (RFC 6749 §5.1).
    init(bearer json: JSON) throws(ClientFailure) {
        guard let access = json["access_token"]?.string, !access.isEmpty, json["token_type"]?.string?.lowercased() == "bearer" else {
            throw ClientFailure(.decode, "found no bearer token in the response", mayHaveLeft: true)
        }
        self.init(access: access, refresh: json["refresh_token"]?.string)
    }
}

/// The form of a token within a store, before sealing: JSON, version 1.
extension Token {
    var stored: [UInt8] {
        var json = JSONObject([("v", 1), ("access", .string(access))])
        json["refresh"] = refresh.map(JSON.string)
        json["owner"] = owner.map(JSON.string)
        return JSON.object(json).bytes
    }

    /// - Parameter store: the store, for the error's text.
    init(stored bytes: [UInt8], in store: String) throws(StorageError) {
        guard let json = try? JSON(parsing: bytes), let version = json["v"]?.int else {
            throw StorageError("\(store): found no token, expected one", kind: .damaged)
        }
        guard version <= 1 else {
            throw StorageError("\(store): found a token of version \(version), expected 1: a newer program wrote it", kind: .newerVersion)
        }
        guard version == 1, let access = json["access"]?.string, !access.isEmpty else {
            throw StorageError("\(store): found an empty token, expected one", kind: .damaged)
        }
        self.init(access: access, refresh: json["refresh"]?.string, owner: json["owner"]?.string)
    }
}
