import BankModel

/// How clients get tokens for a customer who signs in on the bank's own page: the authorization code of RFC 6749 §4.1 with PKCE.
package struct SignInPolicy: Sendable {
    package var clients: [OAuthClient]
    /// Scopes that a client may ask for, besides those of `auth`.
    package var scopes: [String] = []
    /// The scope without which a sign-in gives no refresh token; nil if every sign-in gives one.
    package var refreshScope: String?
    package var lifetimes = Lifetimes()
    /// Whether `/authorize` accepts pushed requests only (RFC 9126 §5).
    package var requiresPushed = false
    /// Nil if the bank gives no ID tokens.
    package var openID: OpenIDPolicy?
    /// Nil if tokens are bound to no key.
    package var dpop: DPoPPolicy?
    /// Whether tokens are bound to the client's certificate (RFC 8705 §3); nil if no certificate is asked for.
    package var mtls: SenderConstraint?
    /// The bank's names of parameters that differ from the RFCs' names.
    package var names: [Parameter: String] = [:]

    package init(clients: [OAuthClient]) { self.clients = clients }

    /// The lifetimes, by the session's clock.
    package struct Lifetimes: Sendable {
        package var code: Duration = .seconds(60)
        /// The time that a customer has for the page.
        package var page: Duration = .seconds(600)
        package var pushed: Duration = .seconds(60)
    }

    /// The parameters of authorization requests and of a client's authentication, by their names in the RFCs.
    package enum Parameter: String, Sendable, CaseIterable, Hashable {
        case client = "client_id"
        case secret = "client_secret"
        case redirect = "redirect_uri"
        case responseType = "response_type"
        case scope
        case state
        case challenge = "code_challenge"
        case challengeMethod = "code_challenge_method"
        case pushed = "request_uri"
        case responseMode = "response_mode"
        case prompt
        case loginHint = "login_hint"
        case nonce
        case maxAge = "max_age"
        case proofKey = "dpop_jkt"
    }

    /// The bank's name of a parameter.
    func name(_ parameter: Parameter) -> String { names[parameter] ?? parameter.rawValue }

    func client(_ id: String) -> OAuthClient? { clients.first { $0.id.utf8.elementsEqual(id.utf8) } }
}

extension Bank {
    /// The path of the sign-in page; nil if there is none.
    package var signInPage: String? { operations.first { $0.signIn == .page }?.path.description }
}

extension Operation {
    /// The parts of the sign-in on the bank's page. Their responses are those of the RFCs.
    package enum SignIn: String, Sendable, CaseIterable, Hashable {
        /// Shows the page, for the parameters in the query (RFC 6749 §4.1.1).
        case page
        /// Takes the page's form.
        case decision
        /// Takes a pushed authorization request (RFC 9126).
        case push
    }

    /// Whether it issues tokens, which may be bound to their client.
    package var issuesTokens: Bool {
        switch grant {
        case .code, .client, .refresh, .password: true
        case .revoke, nil: false
        }
    }

    /// Whether it may be called with a client's id and secret, as token and revocation endpoints (RFC 6749 §3.2.1, RFC 7009 §2.1).
    var authenticatesClients: Bool { grant != nil || signIn == .push }
}

/// An app that is registered with a bank.
package struct OAuthClient: Sendable, Hashable {
    package var id: String
    /// The name on the sign-in page.
    package var name: String
    /// Nil for a public client.
    package var secret: String?
    package var authentication = Authentication.none
    /// The keys with which it signs, if it authenticates with a signature.
    package var keys: [ClientKey] = []
    /// The registered addresses of its callback.
    package var redirects: [String] = []
    /// Whether each sign-in needs a code challenge; a public client's always does.
    package var requiresChallenge = true

    package init(id: String) { (self.id, name) = (id, id) }

    /// How it authenticates at the token endpoint (RFC 7591 §2, `token_endpoint_auth_method`).
    package enum Authentication: String, Sendable, CaseIterable, Hashable {
        case none
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKey = "private_key_jwt"
    }

    /// Whether the address is one of the registered ones, byte for byte; the port of a loopback address may be any (RFC 8252 §7.3).
    func accepts(_ redirect: String) -> Bool {
        let portless = redirect.withoutLoopbackPort
        return redirects.contains { own in
            if own.utf8.elementsEqual(redirect.utf8) { return true }
            guard let portless, let own = own.withoutLoopbackPort else { return false }
            return own.utf8.elementsEqual(portless.utf8)
        }
    }

    /// Whether the page of a consent, which returns without a code, may return to the address: to a registered one, with any query.
    ///
    /// The page has no `state`, so an app recognises its attempt by a value in the query of its address.
    func acceptsReturn(to address: String) -> Bool {
        if accepts(address) { return true }
        let isPlain = address.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
        guard isPlain, let query = address.firstIndex(of: "?") else { return false }
        return accepts(String(address[..<query]))
    }
}

extension String {
    /// The address without its port if its host is a loopback IP literal; nil for any other, and for an invalid port.
    fileprivate var withoutLoopbackPort: String? {
        guard let origin = ["http://127.0.0.1", "http://[::1]"].first(where: { utf8.starts(with: $0.utf8) }) else { return nil }
        var rest = utf8.dropFirst(origin.utf8.count)
        if rest.first == UInt8(ascii: ":") {
            let digits = rest.dropFirst().prefix(while: \.isDigit)
            guard digits.count <= 5, let port = Int(Substring(digits)), (1...65_535).contains(port) else { return nil }
            rest = rest.dropFirst(1 + digits.count)
        }
        guard rest.first.map({ $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) ?? true else { return nil }
        return origin + String(Substring(rest))
    }
}

/// Whether a client may bind its tokens to its key or certificate, or must.
package enum SenderConstraint: String, Sendable, CaseIterable, Hashable {
    case accepted, required
}

/// How a bank binds tokens to the key with which their client signs proofs (DPoP, RFC 9449).
package struct DPoPPolicy: Sendable {
    package var use: SenderConstraint
    /// The time for which a nonce of the bank is valid at least, by the session's clock; nil if a proof needs none.
    package var nonce: Duration?
    /// The largest difference between a proof's `iat` and the session's clock. A nonce replaces it.
    package var window: Duration = .seconds(60)
    package var algorithms = Algorithm.allCases

    package init(_ use: SenderConstraint) { self.use = use }

    /// The algorithms of signatures (RFC 7518 §3.4, RFC 8037 §3.1).
    package enum Algorithm: String, Sendable, CaseIterable, Hashable {
        case es256 = "ES256"
        case es384 = "ES384"
        case edDSA = "EdDSA"
    }
}

/// The key or certificate that the sender of a token must have; neither for a bearer token.
package struct TokenBinding: Sendable, Hashable {
    /// The thumbprint of the key that signs the proofs (RFC 9449 §6.1).
    package var key: String?
    /// The thumbprint of the client's certificate (RFC 8705 §3.1).
    package var certificate: String?

    /// Whether a sender that has the other also has everything that this one demands.
    func isMet(by other: TokenBinding) -> Bool {
        (key == nil || key == other.key) && (certificate == nil || certificate == other.certificate)
    }
}
