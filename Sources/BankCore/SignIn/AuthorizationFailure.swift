import BankModel

/// The reason why an authorization request is rejected.
struct AuthorizationFailure: Error {
    /// The client's own address, which gets the error, and the request's `state`.
    struct Destination {
        let redirect: String
        let state: String?
    }

    let code: AuthorizationErrorCode
    /// Characters of RFC 6749 §5.2 only, and nothing from the request.
    let words: String
    /// Nil if client or address are not known to be valid: the error is then shown on a page, and nothing is redirected.
    let destination: Destination?

    /// A failure that the customer sees, and the client does not.
    static func onPage(_ words: String) -> AuthorizationFailure {
        AuthorizationFailure(code: .invalidRequest, words: words, destination: nil)
    }

    /// A failure that the client gets in response to its request.
    static func sent(_ words: String, for request: AuthorizationRequest) -> AuthorizationFailure {
        AuthorizationFailure(
            code: .invalidRequest, words: words, destination: Destination(redirect: request.redirect, state: request.state))
    }
}

/// Reads a client's authorization request from a query, or from the form of a pushed one.
struct AuthorizationReader {
    /// Longer values are rejected, so that no session stores them.
    static let longest = 2048

    var fields: FormFields
    let policy: SignInPolicy
    /// The scopes of `auth`, which a request without scopes gets.
    let usual: [String]

    /// The value of a parameter; an empty one counts as absent (RFC 6749 §3.1).
    func value(_ parameter: SignInPolicy.Parameter) -> String? {
        fields[policy.name(parameter)].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The request's `state`, which the response repeats; nil for one that is given twice, too long, or not of VSCHAR.
    var state: String? {
        guard let state = value(.state), !isRepeated(.state), state.utf8.count <= AuthorizationReader.longest, state.isVisible else {
            return nil
        }
        return state
    }

    private func isRepeated(_ parameter: SignInPolicy.Parameter) -> Bool { fields.repeated.contains(policy.name(parameter)) }

    /// The client that the request names.
    func client() throws(AuthorizationFailure) -> OAuthClient {
        let name = policy.name(.client)
        if isRepeated(.client) { throw .onPage("\(name) is given more than once.") }
        guard let id = value(.client) else { throw .onPage("\(name) is missing.") }
        guard let client = policy.client(id) else { throw .onPage("\(name) is not the id of a registered client.") }
        return client
    }

    /// The whole request, checked.
    func request() throws(AuthorizationFailure) -> AuthorizationRequest {
        let client = try client()
        let redirect = try redirect(of: client)
        let destination = AuthorizationFailure.Destination(redirect: redirect, state: state)
        func fail(_ words: String, _ code: AuthorizationErrorCode = .invalidRequest) -> AuthorizationFailure {
            AuthorizationFailure(code: code, words: words, destination: destination)
        }
        if fields.isBroken { throw fail("A parameter is not encoded as application/x-www-form-urlencoded.") }
        for parameter in SignInPolicy.Parameter.allCases {
            if isRepeated(parameter) { throw fail("\(policy.name(parameter)) is given more than once.") }
            if let value = value(parameter), value.utf8.count > AuthorizationReader.longest {
                throw fail("\(policy.name(parameter)) has more than \(AuthorizationReader.longest) bytes.")
            }
        }
        if value(.state)?.isVisible == false {
            throw fail("\(policy.name(.state)) has characters that are not printable ASCII.")
        }
        guard let type = value(.responseType) else { throw fail("\(policy.name(.responseType)) is missing.") }
        guard type == "code" else { throw fail("\(policy.name(.responseType)) must be code.", .unsupportedResponseType) }
        guard ["query", nil].contains(value(.responseMode)) else { throw fail("\(policy.name(.responseMode)) must be query.") }
        let challenge = try self.challenge(of: client, fail)
        let known = usual + policy.scopes
        let scopes = value(.scope)?.split(separator: " ").map(String.init)
        guard (scopes ?? []).allSatisfy(known.contains) else {
            let words =
                known.isEmpty ? "This bank has no scopes: omit the scope." : "The scope must be among \(known.joined(separator: " "))."
            throw fail(words, .invalidScope)
        }
        if policy.openID != nil, fields["request"]?.isEmpty == false {
            throw fail("This bank reads no request objects: send the parameters themselves.", .requestNotSupported)
        }
        if value(.prompt)?.split(separator: " ").contains("none") == true {
            throw fail("The customer must sign in: the bank stores no sign-in.", .loginRequired)
        }
        // The customer signs in on each page, which is younger than any age; `auth_time` shows when (OpenID Connect Core 1.0 §3.1.2.1).
        if policy.openID != nil, value(.maxAge)?.isDigits == false {
            throw fail("\(policy.name(.maxAge)) is not a whole number of seconds.")
        }
        let proofKey = policy.dpop == nil ? nil : value(.proofKey)
        if let proofKey, !proofKey.isSHA256 {
            throw fail("\(policy.name(.proofKey)) is not a SHA-256 digest in base64url without padding.")
        }
        return AuthorizationRequest(
            client: client.id, redirect: redirect, isRedirectGiven: value(.redirect) != nil, scopes: scopes.map(distinct) ?? usual,
            state: state, challenge: challenge, hint: value(.loginHint), nonce: value(.nonce), proofKey: proofKey)
    }

    /// The client's registered address that the request names; without one the only one that it has.
    func redirect(of client: OAuthClient) throws(AuthorizationFailure) -> String {
        let name = policy.name(.redirect)
        if isRepeated(.redirect) { throw .onPage("\(name) is given more than once.") }
        guard let redirect = value(.redirect) else {
            guard client.redirects.count == 1, !fields.isBroken else {
                throw .onPage("\(name) is missing, or not encoded as application/x-www-form-urlencoded.")
            }
            return client.redirects[0]
        }
        guard client.accepts(redirect) else { throw .onPage("\(name) is not an address that the client has registered.") }
        return redirect
    }

    private func challenge(
        of client: OAuthClient, _ fail: (String, AuthorizationErrorCode) -> AuthorizationFailure
    ) throws(AuthorizationFailure) -> String? {
        let (name, method) = (policy.name(.challenge), policy.name(.challengeMethod))
        guard let challenge = value(.challenge) else {
            if value(.challengeMethod) != nil { throw fail("\(method) is given without \(name).", .invalidRequest) }
            if client.requiresChallenge { throw fail("\(name) is missing: the client must use PKCE.", .invalidRequest) }
            return nil
        }
        guard value(.challengeMethod) == "S256" else { throw fail("\(method) must be S256.", .invalidRequest) }
        guard challenge.isSHA256 else { throw fail("\(name) is not a SHA-256 digest in base64url without padding.", .invalidRequest) }
        return challenge
    }
}

extension String {
    /// Whether it has printable characters of ASCII only: VSCHAR in RFC 6749, appendix A.
    var isVisible: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// Whether it may be a SHA-256 digest in base64url without padding: that has 43 characters.
    fileprivate var isSHA256: Bool { utf8.count == 43 && utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_".utf8.contains($0) } }
}
