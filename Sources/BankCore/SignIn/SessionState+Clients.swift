import BankModel
import Crypto
import Platform

extension SessionState {
    /// The client that a request to the token endpoint comes from (RFC 6749 §2.3 and §3.2.1).
    mutating func authenticatedClient(_ request: BankRequest, at now: Instant) throws(RequestRejection) -> OAuthClient {
        guard let policy = bank.signIn else { throw .badRequest("the bank has no clients", .invalidClient) }
        let (form, id, secret) = (request.form, policy.name(.client), policy.name(.secret))
        let fields = [id, secret, ClientAssertion.field, ClientAssertion.typeField]
        if form.isBroken || !form.repeated.isDisjoint(with: fields) || request.headerValues("Authorization").count > 1 {
            throw .badRequest("The client is given more than once, or not encoded as a form.", .malformed)
        }
        let basic = try basicCredentials(request)
        let assertion = try assertion(form)
        if [basic != nil, form[secret] != nil, assertion != nil].count(where: \.self) > 1 {
            throw .badRequest("The client authenticates in two ways at once.", .malformed)
        }
        guard let named = basic?.id ?? form[id] ?? assertion?.subject, !named.isEmpty else {
            throw .badRequest("\(id) is missing.", .malformed)
        }
        guard let client = policy.client(named), form[id].map({ $0.utf8.elementsEqual(named.utf8) }) ?? true,
            client.isProved(basic: basic?.secret, post: form[secret], isSigned: assertion != nil)
        else {
            throw .badRequest("The client is unknown, or has not authenticated as registered.", .invalidClient)
        }
        if let assertion, let objection = assertion.objection(client, audiences: [baseURL, baseURL + request.path], at: now) {
            throw .badRequest(objection, .invalidClient)
        }
        if let (id, end) = assertion?.use, !usedIDs.insert(tokens.digest("\(client.id) \(id)"), until: end, at: now) {
            throw .badRequest("The assertion's jti was used before.", .invalidClient)
        }
        return client
    }

    /// The client's signed token in the form; nil if it sends none.
    private func assertion(_ form: FormFields) throws(RequestRejection) -> ClientAssertion? {
        guard let text = form[ClientAssertion.field] else { return nil }
        guard form[ClientAssertion.typeField] == ClientAssertion.type, let assertion = ClientAssertion(text) else {
            throw .badRequest("The client's assertion is not a signed token, or of another type.", .invalidClient)
        }
        return assertion
    }

    /// The client and its secret in the header `Authorization`, each encoded as in a form (RFC 6749 §2.3.1); nil without the header.
    private func basicCredentials(_ request: BankRequest) throws(RequestRejection) -> (id: String, secret: String)? {
        guard let header = request.header("Authorization") else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64.decoded(String(parts[1])),
            let text = String(validUTF8: bytes)
        else {
            throw .badRequest("The header Authorization has no id and secret of a client.", .invalidClient)
        }
        let pair = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, let id = percentDecoded(pair[0], plusIsSpace: true),
            let secret = percentDecoded(pair[1], plusIsSpace: true)
        else {
            throw .badRequest("The header Authorization has no id and secret of a client.", .invalidClient)
        }
        return (id, secret)
    }

    // MARK: grants

    /// The customer with that login and password.
    func signedIn(_ login: String, _ word: String) throws(RequestRejection) -> Customer {
        guard let customer = customer(login), let right = customer.password, right == word else {
            if let magic = rejection(magicPassword: word) { throw magic }
            throw .badRequest("user name or password is wrong", .wrongLogin)
        }
        if customer.locked { throw .badRequest("the account is locked", .locked) }
        return customer
    }

    /// Issues tokens for an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.6).
    mutating func exchange(
        code source: ValueSource, redirect: ValueSource, verifier: ValueSource, _ scope: Scope
    ) throws(RequestRejection) -> IssuedTokens {
        func invalid(_ words: String, revoking family: Int? = nil) -> RequestRejection {
            RequestRejection(name: .badRequest, situation: .invalidGrant, detail: words, revokedFamily: family)
        }
        let client = try authenticatedClient(scope.request, at: scope.now)
        guard let code = text(source, scope).flatMap({ tokens.token($0) }), code.kind == .code,
            let authorization = authorizations.authorization(ofFamily: code.family), authorization.request.client == client.id
        else { throw invalid("the code is unknown, or another client's") }
        // RFC 6749 §4.1.2: the tokens of the first use are revoked.
        if code.isUsed { throw invalid("the code was used before", revoking: code.family) }
        guard !code.isRevoked, scope.now < code.expiresAt, isConsented(code) else { throw invalid("the code is expired or revoked") }
        let address = text(redirect, scope).flatMap { $0.isEmpty ? nil : $0 }
        if address != nil || authorization.request.isRedirectGiven {
            guard let address, address.utf8.elementsEqual(authorization.request.redirect.utf8) else {
                throw invalid("the redirect address is not the one of the authorization request")
            }
        }
        let word = text(verifier, scope).flatMap { $0.isEmpty ? nil : $0 }
        if let challenge = authorization.request.challenge {
            guard let word else { throw .badRequest("the code verifier is missing", .malformed) }
            guard (43...128).contains(word.utf8.count), SessionState.challenge(of: word) == challenge else {
                throw invalid("the code verifier does not match the code challenge")
            }
        } else if word != nil {
            // An attacker may have taken the challenge out of the authorization request (RFC 9700 §4.8).
            throw invalid("found a code verifier, but the authorization request had no code challenge")
        }
        if let key = authorization.request.proofKey, key != scope.binding.key {
            throw invalid("the proof is not signed with the key that the authorization request names")
        }
        alter([code]) { $0.isUsed = true }
        do throws(TokenError) {
            let refreshScope = bank.signIn?.refreshScope
            return try issueTokens(
                login: code.customer, renewing: code, withRefresh: refreshScope.map(code.scopes.contains) ?? true,
                binding: scope.binding, refreshBinding: client.refreshBinding(scope.binding), at: scope.now)
        } catch {
            throw invalid("\(error)")
        }
    }

    /// The S256 code challenge of a verifier (RFC 7636 §4.2).
    private static func challenge(of verifier: String) -> String { Base64.url(Array(SHA256.hash(data: Array(verifier.utf8)))) }

    /// Issues tokens for a refresh token (RFC 6749 §6), and treats the old one as the bank does.
    mutating func refresh(_ source: ValueSource, _ wanted: [String]?, _ scope: Scope) throws(RequestRejection) -> IssuedTokens {
        guard let token = text(source, scope).flatMap({ tokens.token($0) }), token.kind == .refresh else {
            throw .badRequest("the refresh token is unknown", .invalidGrant)
        }
        try requireClient(of: token, scope.request, at: scope.now)
        guard token.binding.isMet(by: scope.binding) else {
            throw .badRequest("the refresh token is bound to another key or certificate", .invalidGrant)
        }
        let rotation = bank.auth?.rotation ?? .always
        if token.isUsed, !rotation.allowsAgain(token, at: scope.now) {
            throw RequestRejection(
                name: .badRequest, situation: .invalidGrant, detail: "the refresh token was used before", revokedFamily: token.family)
        }
        guard !token.isRevoked, scope.now < token.expiresAt, isConsented(token) else {
            throw .badRequest("the refresh token is expired or revoked", .invalidGrant)
        }
        if rotation != .never {
            let now = scope.now
            alter([token]) {
                $0.isUsed = true
                $0.usedAt = $0.usedAt ?? now
            }
        }
        do throws(TokenError) {
            return try issueTokens(
                login: token.customer, scopes: wanted, renewing: token, withRefresh: rotation != .never,
                binding: scope.binding, refreshBinding: owner(of: token)?.refreshBinding(scope.binding) ?? scope.binding, at: scope.now)
        } catch {
            throw .badRequest("\(error)", .invalidScope)
        }
    }

    /// The client that got a token by a code; nil if none did.
    private func owner(of token: TokenBook.Token) -> OAuthClient? {
        authorizations.authorization(ofFamily: token.family).flatMap { bank.signIn?.client($0.request.client) }
    }

    /// A token that a client got by a code is that client's only; one of a password grant may be used by anybody who has it. With a token that
    /// the bank does not know, a client that names itself must authenticate.
    ///
    /// - Parameter token: nil for an unknown one.
    mutating func requireClient(of token: TokenBook.Token?, _ request: BankRequest, at now: Instant) throws(RequestRejection) {
        guard let policy = bank.signIn else { return }
        let owner = token.flatMap { self.owner(of: $0) }
        if token != nil, owner == nil { return }
        let isNamed =
            request.form[policy.name(.client)] != nil || request.header("Authorization") != nil
            || request.form[ClientAssertion.field] != nil
        let isPublic = owner.map { $0.authentication == .none } ?? true
        // A public client need not name itself (RFC 6749 §6).
        if !isNamed, isPublic, request.form[policy.name(.secret)] == nil { return }
        if !isNamed { throw .badRequest("The client has not authenticated.", .invalidClient) }
        let client = try authenticatedClient(request, at: now)
        if let owner, client.id != owner.id {
            throw .badRequest("the token is another client's", .invalidGrant)
        }
    }

    /// Issues a token for a client itself, without a customer (RFC 6749 §4.4).
    mutating func clientToken(_ wanted: [String]?, _ scope: Scope) throws(RequestRejection) -> IssuedTokens {
        let client = try authenticatedClient(scope.request, at: scope.now)
        guard client.authentication != .none else {
            throw .badRequest("a public client gets no client token", .unauthorizedClient)
        }
        let known = bank.auth?.scopes ?? []
        guard let auth = bank.auth, (wanted ?? []).allSatisfy(known.contains) else {
            throw .badRequest("expected scopes among \(known.joined(separator: " "))", .invalidScope)
        }
        let text = newTokenText()
        let token = tokens.new(
            .access, text: text, customer: client.id, scopes: wanted.map(distinct) ?? known, expiresAt: scope.now + auth.lifetime,
            family: tokens.newFamily, signedInAt: scope.now, binding: scope.binding)
        make(.issued(token))
        return IssuedTokens(access: IssuedToken(token: token, text: text), refresh: nil)
    }
}

extension OAuthClient {
    /// What its refresh tokens are bound to: a client that authenticates need hold nothing else (RFC 9449 §5, RFC 8705 §7.1).
    fileprivate func refreshBinding(_ binding: TokenBinding) -> TokenBinding { authentication == .none ? binding : TokenBinding() }

    /// Whether the presented secrets are what the client must present, and nothing else.
    ///
    /// - Parameter isSigned: whether it presents a signed token, which is checked afterwards.
    fileprivate func isProved(basic: String?, post: String?, isSigned: Bool) -> Bool {
        switch authentication {
        case .none: basic == nil && post == nil && !isSigned
        case .basic: secret != nil && basic == secret
        case .post: secret != nil && post == secret
        case .privateKey: isSigned
        }
    }
}

extension AuthPolicy.Rotation {
    /// Whether a used refresh token may be used once more.
    fileprivate func allowsAgain(_ token: TokenBook.Token, at now: Instant) -> Bool {
        guard case .grace(let time) = self, let usedAt = token.usedAt else { return false }
        return now < usedAt + time
    }
}
