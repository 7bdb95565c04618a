package import BankModel

/// One visit of the sign-in page, to sign in or to decide a challenge: a client's request, and its outcome.
package struct Authorization: Sendable, Hashable {
    package enum Stage: String, Sendable, CaseIterable {
        /// The client has pushed the request (RFC 9126), and nobody has opened it.
        case pushed
        /// The customer has the page.
        case pending
        case approved, denied
        /// The customer has closed the page; the client gets no response.
        case abandoned
    }

    /// Counted per session, from 1.
    package let number: Int
    package internal(set) var request: AuthorizationRequest
    package internal(set) var stage: Stage
    /// The customer who approved.
    package internal(set) var customer: String?
    /// The family of the code, and of the tokens that it gives.
    package internal(set) var family: Int?
    /// The digest of the text that leads here: the pushed request's address, then the value in the page's form; nil once decided.
    var handle: String?
    /// The instant from which that text is no longer valid.
    package internal(set) var expiresAt: Instant
}

/// A client's request for a customer's authorization, checked: its redirect address is one of the client's.
package struct AuthorizationRequest: Sendable, Hashable {
    package let client: String
    /// The address to which the page returns; for a challenge with all its parameters, and empty if the page returns nowhere.
    package let redirect: String
    /// Whether the request named the address; the token request must then name it too (RFC 6749 §4.1.3).
    let isRedirectGiven: Bool
    package let scopes: [String]
    let state: String?
    /// The S256 code challenge (RFC 7636 §4.2); nil if there is none.
    let challenge: String?
    /// The login that the client expects.
    let hint: String?
    /// What the ID token repeats (OpenID Connect Core 1.0 §3.1.2.1).
    let nonce: String?
    /// The thumbprint of the key to which the code's tokens are bound (RFC 9449 §10); nil for any.
    var proofKey: String?
    /// The consent that it is about, and that its tokens carry; nil for none.
    var consent: RowID?
    /// The number of the challenge that the customer decides, whose login `hint` is; nil for a sign-in.
    var challengeNumber: Int?
}

/// A session's attempts to sign in.
package struct AuthorizationBook: Sendable {
    /// In the order of their numbers.
    package private(set) var all: [Authorization] = []
    private var byHandle: [String: Int] = [:]
    private var byFamily: [Int: Int] = [:]

    var newNumber: Int { all.count + 1 }

    package subscript(_ number: Int) -> Authorization? { number > 0 && number <= all.count ? all[number - 1] : nil }

    /// The one of the text with that digest.
    func authorization(handle: String) -> Authorization? { byHandle[handle].map { all[$0] } }

    /// The one that gave the tokens of that family.
    func authorization(ofFamily family: Int) -> Authorization? { byFamily[family].map { all[$0] } }

    /// Adds a new one, or replaces the one with its number.
    mutating func store(_ authorization: Authorization) {
        let index = min(max(authorization.number - 1, 0), all.count)
        if index < all.count {
            forget(all[index])
            all[index] = authorization
        } else {
            all.append(authorization)
        }
        if let handle = authorization.handle { byHandle[handle] = index }
        if let family = authorization.family { byFamily[family] = index }
    }

    /// Removes the one that was added last.
    mutating func removeLast() { if let last = all.popLast() { forget(last) } }

    private mutating func forget(_ authorization: Authorization) {
        if let handle = authorization.handle { byHandle[handle] = nil }
        if let family = authorization.family { byFamily[family] = nil }
    }
}
