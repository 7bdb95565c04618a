package import BankModel

/// The issued tokens: their texts go to the client that requested them, and nowhere else.
package struct IssuedTokens: Sendable {
    package let access: IssuedToken
    package let refresh: IssuedToken?
}

/// A token that was issued now, with its text.
@dynamicMemberLookup
package struct IssuedToken: Sendable {
    let token: TokenBook.Token
    package let text: String

    package subscript<Value>(dynamicMember member: KeyPath<TokenBook.Token, Value>) -> Value { token[keyPath: member] }
}

extension AuthPolicy {
    /// The credential of a customer that no call issues; nil if there is none.
    package func fixedToken(of customer: Customer) -> String? {
        guard location == .basic else { return customer.token }
        return customer.password.map { Base64.encoded(Array("\(customer.login):\($0)".utf8)) }
    }
}

/// The reason why tokens cannot be issued or changed.
package enum TokenError: Error, Sendable, Hashable, CustomStringConvertible {
    case bankHasNoTokens(String)
    case unknownCustomer(String, known: [String])
    case unknownToken(String)
    case unknownScope(String, known: [String])
    /// A refresh token cannot widen the granted scopes (RFC 6749 §6).
    case widerScope(String, granted: [String])
    case sessionFull(SessionSize)

    package var description: String {
        switch self {
        case .bankHasNoTokens(let bank): "bank \(bank) has no tokens"
        case .unknownCustomer(let login, let known): "found the customer \"\(login)\", expected \(oneOf(known))"
        case .unknownToken(let id): "found the token \"\(id)\", expected the id of one that was issued, such as token#1"
        case .unknownScope(let scope, let known): "found the scope \"\(scope)\", expected \(oneOf(known))"
        case .sessionFull(let limit): limit.rejection
        case .widerScope(let scope, let granted):
            "found the scope \"\(scope)\", expected one that was granted: \(granted.isEmpty ? "none was" : granted.joined(separator: " "))"
        }
    }
}

extension SessionState {
    /// The credential that a request presents.
    package func presented(_ request: BankRequest) -> TokenBook.Presented {
        let presented = tokens.presented(request, bank.auth?.location ?? .bearer)
        guard presented == .otherScheme, bank.signIn?.dpop != nil else { return presented }
        return tokens.presented(request.header("Authorization"), scheme: "DPoP")
    }

    /// The tokens of a session that begins at that instant: the customers' fixed credentials.
    static func tokens(of bank: Bank, salt: String, from start: Instant) -> TokenBook {
        var book = TokenBook(salt: salt)
        guard let auth = bank.auth else { return book }
        for customer in bank.customers where !customer.locked {
            guard let text = auth.fixedToken(of: customer) else { continue }
            book.append(
                book.new(
                    .access, text: text, customer: customer.login, scopes: auth.scopes, expiresAt: Instant(nanoseconds: .max),
                    family: book.newFamily, signedInAt: start))
        }
        return book
    }

    /// Issues an access token, and a refresh token if the bank has them.
    ///
    /// - Parameters:
    ///   - scopes: nil means those of `auth`, or of the renewed sign-in.
    ///   - lifetime: the access token's; nil means the bank's own.
    ///   - renewed: the refresh token or code that is exchanged: its family, its sign-in and at most its scopes; nil for a sign-in.
    ///   - withRefresh: whether a refresh token is issued too, if the bank has them.
    ///   - binding: what the access token's sender must hold.
    ///   - refreshBinding: what the refresh token's sender must hold: a client that authenticates need hold nothing (RFC 9449 §5).
    package mutating func issueTokens(
        login: String, scopes: [String]? = nil, lifetime: Duration? = nil, renewing renewed: TokenBook.Token? = nil,
        withRefresh: Bool = true, binding: TokenBinding = TokenBinding(), refreshBinding: TokenBinding = TokenBinding(), at now: Instant
    ) throws(TokenError) -> IssuedTokens {
        guard let auth = bank.auth else { throw .bankHasNoTokens(bank.name) }
        guard customer(login) != nil else { throw .unknownCustomer(login, known: bank.customers.map(\.login)) }
        let known = bank.allScopes
        for scope in scopes ?? [] where !known.contains(scope) { throw .unknownScope(scope, known: known) }
        let granted = renewed?.scopes ?? known
        for scope in scopes ?? [] where !granted.contains(scope) { throw .widerScope(scope, granted: granted) }
        // A request of 1 MiB may name a scope 100,000 times, and tokens are stored.
        let scopes = scopes.map(distinct) ?? renewed?.scopes ?? auth.scopes
        let (family, signedInAt) = (renewed?.family ?? tokens.newFamily, renewed?.signedInAt ?? now)
        func issue(_ kind: TokenBook.Token.Kind, _ scopes: [String], until end: Instant) -> IssuedToken {
            let text = newTokenText()
            let token = tokens.new(
                kind, text: text, customer: login, scopes: scopes, expiresAt: end, family: family, signedInAt: signedInAt,
                binding: kind == .access ? binding : refreshBinding)
            make(.issued(token))
            return IssuedToken(token: token, text: text)
        }
        let access = issue(.access, scopes, until: now + (lifetime ?? auth.lifetime))
        // The scopes of a refresh token are those of the previous one, whatever was requested for the access token (RFC 6749 §6).
        let refresh = (withRefresh ? auth.refreshLifetime : nil).map { issue(.refresh, renewed?.scopes ?? scopes, until: now + $0) }
        return IssuedTokens(access: access, refresh: refresh)
    }

    /// Expires one token now, or all access tokens; refresh tokens remain valid.
    package mutating func expireTokens(id: String? = nil, at now: Instant) throws(TokenError) {
        alter(try named(id).filter { id != nil || $0.kind == .access }) { $0.expiresAt = min($0.expiresAt, now) }
    }

    /// Revokes one token, or all, refresh tokens included.
    package mutating func revokeTokens(id: String? = nil) throws(TokenError) {
        alter(try named(id)) { $0.isRevoked = true }
    }

    /// Removes scopes from one token, or all: the given ones remain, none by default.
    package mutating func downscopeTokens(id: String? = nil, to scopes: [String] = []) throws(TokenError) {
        alter(try named(id)) { $0.scopes = scopes }
    }

    /// The token with that id, or all.
    private func named(_ id: String?) throws(TokenError) -> [TokenBook.Token] {
        guard let id else { return tokens.tokens }
        guard let token = tokens.token(id: id) else { throw .unknownToken(id) }
        return [token]
    }

    mutating func alter(_ wanted: [TokenBook.Token], _ change: (inout TokenBook.Token) -> Void) {
        for token in wanted {
            var altered = token
            change(&altered)
            if altered != token { make(.altered(altered, before: token)) }
        }
    }

    /// What the texts of all tokens begin with that are issued before the next reset or restore.
    var tokenPrefix: String { "cf_\(id)_\(epoch)_" }

    mutating func newTokenText() -> String { tokenPrefix + generator.letters() }
}

extension RandomNumberGenerator {
    /// 26 random letters and digits: 128 bits.
    mutating func letters() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        return String((0..<26).map { _ in alphabet[Int(next() >> 59)] })
    }
}
