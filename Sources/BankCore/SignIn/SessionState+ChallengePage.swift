import BankModel

/// The sign-in page of a challenge, on which the customer decides a request.
extension SessionState {
    /// Reads a request for the page of a challenge; nil if it names none.
    ///
    /// The page returns to the address that the request names, or to that of the sign-in whose token was challenged.
    func challenged(_ reader: AuthorizationReader, at now: Instant) throws(AuthorizationFailure) -> AuthorizationRequest? {
        let name = SignInPage.challengeParameter
        guard let number = reader.fields[name].flatMap(Challenge.number) else { return nil }
        guard !reader.fields.repeated.contains(name), let challenge = challenges[number]?.at(now), challenge.kind == .redirect,
            challenge.stage == .pending
        else { throw .onPage("The challenge is unknown, or no longer awaits the customer.") }
        var reader = reader
        if let signIn = challenge.family.flatMap({ authorizations.authorization(ofFamily: $0) })?.request {
            guard [nil, signIn.client].contains(reader.value(.client)) else {
                throw .onPage("\(reader.policy.name(.client)) is not the client that was challenged.")
            }
            reader.fill(.client, with: signIn.client)
            reader.fill(.redirect, with: signIn.redirect)
        }
        var (client, redirect) = ("", "")
        if reader.value(.client) != nil || reader.value(.redirect) != nil {
            let named = try reader.client()
            guard reader.value(.state)?.isVisible ?? true else {
                throw .onPage("\(reader.policy.name(.state)) has characters that are not printable ASCII.")
            }
            client = named.id
            redirect = answer(to: try reader.redirect(of: named), reader.state, [(name, challenge.id)])
        }
        return AuthorizationRequest(
            client: client, redirect: redirect, isRedirectGiven: false, scopes: [], state: nil, challenge: nil, hint: challenge.customer,
            nonce: nil, challengeNumber: number)
    }

    /// Whether a pending authorization can still be decided.
    func isOpen(_ pending: Authorization, at now: Instant) -> Bool {
        guard now < pending.expiresAt else { return false }
        guard let number = pending.request.challengeNumber else { return true }
        return challenges[number]?.at(now).stage == .pending
    }
}

extension AuthorizationReader {
    /// Adds a parameter that the request lacks.
    fileprivate mutating func fill(_ parameter: SignInPolicy.Parameter, with text: String) {
        if value(parameter) == nil { fields.all.append(FormFields.Field(policy.name(parameter), text)) }
    }
}
