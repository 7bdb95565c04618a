package import BankModel
import Crypto

/// A session's access and refresh tokens, and its authorization codes. Texts are known here and at the wire only: everything else uses ids, and a state file digests.
package struct TokenBook: Sendable {
    package struct Token: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable { case access = "token", refresh, code }

        /// `token#1`, `refresh#1`, `code#1`: counted per session and kind.
        package let id: String
        package let kind: Kind
        let credential: Credential
        package let customer: String
        package internal(set) var scopes: [String]
        package internal(set) var expiresAt: Instant
        package internal(set) var isRevoked = false
        /// Whether a refresh token or a code was exchanged for a new token.
        package internal(set) var isUsed = false
        /// The instant at which a refresh token was exchanged first.
        var usedAt: Instant?
        /// Nil if the token comes from a state file.
        package var text: String? { if case .text(let text) = credential { text } else { nil } }

        /// The number shared by all tokens of one sign-in.
        package let family: Int
        /// The instant of the customer's sign-in, or of the last confirmation of a read; a refresh does not count.
        package internal(set) var signedInAt: Instant
        /// The key or certificate that its sender must have.
        let binding: TokenBinding
    }

    /// How a token is recognised.
    enum Credential: Sendable, Hashable {
        case text(String)
        /// The digest of its text: the token comes from a state file, which has no more.
        case digest(String)
    }

    /// In the order of issue.
    package private(set) var tokens: [Token] = []
    /// Part of every digest, so that digests of two sessions reveal nothing about each other.
    private let salt: String
    private var byDigest: [String: Int] = [:]
    private var byID: [String: Int] = [:]
    private var byFamily: [Int: [Int]] = [:]
    private var counts: [Token.Kind: Int] = [:]
    private var families = 0

    package init(salt: String = "") { self.salt = salt }

    /// The credential that a request presents.
    package enum Presented: Sendable, Hashable {
        case nothing
        /// A header without a credential: `Bearer ` alone.
        case empty
        case unknown
        case known(Token)

        /// A header with another scheme, such as `Basic`: no credentials for a bearer's bank (RFC 6750 §3.1).
        case otherScheme

        /// Its name in the journal; nil for no token.
        package var label: String? {
            switch self {
            case .nothing: nil
            case .empty: "empty"
            case .unknown, .otherScheme: "unknown"
            case .known(let token): token.id
            }
        }
    }

    /// The credential of a request, at the location where the bank wants it.
    package func presented(_ request: BankRequest, _ location: AuthPolicy.CredentialLocation) -> Presented {
        let found: String?
        switch location {
        case .bearer: return presented(request.header("Authorization"))
        case .basic: return presented(request.header("Authorization"), scheme: "Basic")
        case .header(let name): found = request.header(name)
        case .query(let name): found = request.queryValue(name)
        case .cookie(let name): found = request.cookie(name)
        }
        guard let found else { return .nothing }
        return found.isEmpty ? .empty : token(found).map(Presented.known) ?? .unknown
    }

    /// Parses the header's value (RFC 6750 §2.1; the scheme's name in any case).
    package func presented(_ authorization: String?, scheme: String = "Bearer") -> Presented {
        guard let authorization else { return .nothing }
        guard let credential = TokenBook.credential(in: authorization, scheme) else { return .otherScheme }
        if credential.isEmpty { return .empty }
        return token(String(credential)).map(Presented.known) ?? .unknown
    }

    /// What follows the scheme in the header's value; nil if it has another scheme.
    static func credential(in authorization: String, _ scheme: String) -> Substring? {
        let (text, length) = (authorization.utf8, scheme.utf8.count)
        guard text.count >= length,
            text.prefix(length).elementsEqual(scheme.utf8) || authorization.prefix(length).lowercased() == scheme.lowercased()
        else { return nil }
        return Substring(text.dropFirst(length).drop { $0 == 0x20 })
    }

    package func token(_ text: String) -> Token? { byDigest[digest(text)].map { tokens[$0] } }

    /// The digest by which a token is recognised: SHA-256 of the salt and its text, in hexadecimal digits.
    func digest(of token: Token) -> String {
        switch token.credential {
        case .text(let text): digest(text)
        case .digest(let digest): digest
        }
    }

    func digest(_ text: String) -> String { hexadecimal(Array(SHA256.hash(data: Array("\(salt)\n\(text)".utf8)))) }

    package func token(id: String) -> Token? { byID[id].map { tokens[$0] } }

    /// All tokens of one sign-in, in the order of issue.
    func tokens(ofFamily family: Int) -> [Token] { (byFamily[family] ?? []).map { tokens[$0] } }

    /// Makes a token that is not in the book yet.
    func new(
        _ kind: Token.Kind, text: String, customer: String, scopes: [String], expiresAt: Instant, family: Int, signedInAt: Instant,
        binding: TokenBinding = TokenBinding()
    ) -> Token {
        Token(
            id: "\(kind.rawValue)#\(counts[kind, default: 0] + 1)", kind: kind, credential: .text(text), customer: customer, scopes: scopes,
            expiresAt: expiresAt, family: family, signedInAt: signedInAt, binding: binding)
    }

    /// An unused family number.
    var newFamily: Int { families + 1 }

    /// Adds a token; its text and id must be new.
    mutating func append(_ token: Token) {
        families = max(families, token.family)
        counts[token.kind, default: 0] += 1
        byDigest[digest(of: token)] = tokens.count
        byID[token.id] = tokens.count
        byFamily[token.family, default: []].append(tokens.count)
        tokens.append(token)
    }

    /// Removes the token that was added last. Its family's number is not used again.
    mutating func removeLast() {
        guard let token = tokens.popLast() else { return }
        counts[token.kind, default: 1] -= 1
        (byDigest[digest(of: token)], byID[token.id]) = (nil, nil)
        byFamily[token.family]?.removeLast()
        if byFamily[token.family]?.isEmpty == true { byFamily[token.family] = nil }
    }

    /// Replaces the token with the same id.
    mutating func replace(_ token: Token) {
        guard let index = byID[token.id] else { return }
        tokens[index] = token
    }
}
