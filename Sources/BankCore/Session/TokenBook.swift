package import BankModel

/// A session's access and refresh tokens. Texts are known here and at the wire, nowhere else: all else speaks of ids.
package struct TokenBook: Sendable {
    /// One token.
    package struct Token: Sendable, Hashable {
        package enum Kind: String, Sendable { case access = "token", refresh }

        /// `token#1`, `refresh#1`: counted per session and kind.
        package let id: String
        package let kind: Kind
        package let text: String
        package let customer: String
        package internal(set) var scopes: [String]
        package internal(set) var expiresAt: Instant
        package internal(set) var isRevoked = false
        /// A refresh token that was exchanged for a new one.
        package internal(set) var isUsed = false
        /// All tokens that come from one sign-in.
        package let family: Int
        /// When the customer signed in; a refresh is no sign-in.
        package let signedInAt: Instant
    }

    /// In the order of issue.
    package private(set) var tokens: [Token] = []
    private var byText: [String: Int] = [:]
    private var families = 0
    /// Raised by every change: what was looked up holds for one revision.
    package private(set) var revision = 0

    package init() {}

    /// What an `Authorization` header presents.
    package enum Presented: Sendable, Hashable {
        case nothing
        /// A header without a credential: `Bearer ` and nothing.
        case empty
        case unknown
        case known(Token)

        /// A header with another scheme, such as `Basic`: no credentials that a bearer's bank knows (RFC 6750 §3.1).
        case otherScheme

        /// As the journal names it; nil for nothing.
        package var label: String? {
            switch self {
            case .nothing: nil
            case .empty: "empty"
            case .unknown, .otherScheme: "unknown"
            case .known(let token): token.id
            }
        }
    }

    /// What the header's value presents (RFC 6750 §2.1; the scheme's name in any case).
    package func presented(_ authorization: String?) -> Presented {
        guard let authorization else { return .nothing }
        let text = authorization.utf8
        guard text.count >= 6, text.prefix(6).elementsEqual("Bearer".utf8) || authorization.prefix(6).lowercased() == "bearer" else {
            return .otherScheme
        }
        let credential = Substring(text.dropFirst(6).drop { $0 == 0x20 })
        if credential.isEmpty { return .empty }
        return token(String(credential)).map(Presented.known) ?? .unknown
    }

    /// The token of that text.
    package func token(_ text: String) -> Token? { byText[text].map { tokens[$0] } }

    /// The token of that id.
    package func token(id: String) -> Token? { tokens.first { $0.id == id } }

    /// Adds a token; the text must be new.
    mutating func add(
        _ kind: Token.Kind, text: String, customer: String, scopes: [String], expiresAt: Instant, family: Int, signedInAt: Instant
    ) -> Token {
        let number = tokens.count { $0.kind == kind } + 1
        let token = Token(
            id: "\(kind.rawValue)#\(number)", kind: kind, text: text, customer: customer, scopes: scopes, expiresAt: expiresAt,
            family: family, signedInAt: signedInAt)
        revision += 1
        byText[text] = tokens.count
        tokens.append(token)
        return token
    }

    mutating func newFamily() -> Int {
        families += 1
        return families
    }

    /// Changes every token for which `condition` holds.
    mutating func update(where condition: (Token) -> Bool, _ change: (inout Token) -> Void) {
        revision += 1
        for index in tokens.indices where condition(tokens[index]) { change(&tokens[index]) }
    }
}
