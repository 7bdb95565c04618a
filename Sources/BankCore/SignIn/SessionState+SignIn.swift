package import BankModel

extension SessionState {
    /// Performs an operation of the sign-in: its response is a page, a redirect, or RFC 9126's JSON.
    mutating func perform(_ part: Operation.SignIn, _ scope: inout Scope) throws(RequestRejection) -> BankResponse {
        guard let policy = bank.signIn else { return signInResponse(400, SignInPage.ended, scope) }
        switch part {
        case .page: return page(policy, scope)
        case .decision: return try decision(policy, scope)
        case .push: return try push(policy, &scope)
        }
    }

    /// Decides a pending authorization.
    ///
    /// - Parameters:
    ///   - login: the customer who approves; nil for the one that the client named, or the first.
    ///   - accounts: the accounts that the customer shares; nil for all for which the consent asks.
    /// - Returns: the authorization as it is then, and the address that the client gets; nil if it gets no answer.
    package mutating func decide(
        _ number: Int, _ decision: SignInDecision, login: String? = nil, accounts: [String]? = nil, at now: Instant
    ) throws(AuthorizationError) -> (decided: Authorization, address: String?) {
        guard let policy = bank.signIn else { throw .bankHasNoSignIn(bank.name) }
        guard let authorization = authorizations[number] else { throw .unknown(number, known: authorizations.all.count) }
        guard authorization.stage == .pending, isOpen(authorization, at: now) else {
            throw .decided(number, authorization.stage == .pending ? .abandoned : authorization.stage)
        }
        guard let customer = customer(for: authorization.request, login ?? authorization.customer) else {
            let isChallenge = authorization.request.challengeNumber != nil
            throw .unknownCustomer(login ?? "", known: isChallenge ? [authorization.request.hint ?? ""] : bank.customers.map(\.login))
        }
        let (decided, address) = announcing(at: now) { state in
            switch decision {
            case .approve: state.approve(authorization, customer, policy, accounts: accounts, at: now)
            case .deny: state.deny(authorization, at: now)
            case .cancel: state.cancel(authorization)
            case .abandon: (state.end(authorization, .abandoned), "")
            }
        }
        executeConfirmed(at: now)
        return (decided, address.isEmpty ? nil : address)
    }

    /// Does what a browser with a customer does: opens the page, and decides.
    ///
    /// - Parameters:
    ///   - query: the query of the page's address.
    ///   - login: the customer who approves; nil for the one that the client names, or the first.
    /// - Returns: the address that the client gets; nil if it gets no answer.
    package mutating func authorize(
        _ query: String, _ decision: SignInDecision, login: String?, at now: Instant
    ) throws(AuthorizationError) -> String? {
        guard let policy = bank.signIn else { throw .bankHasNoSignIn(bank.name) }
        if let login, customer(login) == nil { throw .unknownCustomer(login, known: bank.customers.map(\.login)) }
        let number: Int
        do throws(AuthorizationFailure) {
            number = try opened(FormFields(query, broken: .leftOut), policy, at: now).0.number
        } catch {
            guard let address = address(of: error) else { throw .rejectedOnPage(error.words) }
            return address
        }
        return try decide(number, decision, login: login, at: now).address
    }

    /// The customer who approves without a page: the given one, the one that the client expects, or the first. A challenge has only one.
    private func customer(for request: AuthorizationRequest, _ login: String?) -> Customer? {
        if request.challengeNumber != nil, let login, login != request.hint { return nil }
        if let login { return customer(login) }
        return request.hint.flatMap(customer) ?? bank.customers.first { !$0.locked }
    }

    /// Issues a code.
    private mutating func approve(
        _ authorization: Authorization, _ customer: Customer, _ policy: SignInPolicy, accounts: [String]? = nil, at now: Instant
    ) -> (decided: Authorization, address: String) {
        var authorization = authorization
        let client = authorization.request.client
        if authorization.request.consent == nil, authorization.request.challengeNumber == nil,
            let made = made(by: customer, for: client, at: now)
        {
            let before = authorization
            authorization.request.consent = made
            make(.authorization(authorization, before: before))
        }
        if let consent = authorization.request.consent, !authorise(consent, customer, accounts: accounts, at: now) {
            return deny(authorization, at: now)
        }
        if let address = returnAddress(of: authorization.request) {
            return (end(authorization, .approved, by: customer.login, family: credential(authorization, customer, at: now)), address)
        }
        let text = newSecret()
        let code = tokens.new(
            .code, text: text, customer: customer.login, scopes: authorization.request.scopes, expiresAt: now + policy.lifetimes.code,
            family: tokens.newFamily, signedInAt: now)
        make(.issued(code))
        let address = answer(to: authorization.request.redirect, authorization.request.state, [("code", text)])
        return (end(authorization, .approved, by: customer.login, family: code.family), address)
    }

    private mutating func deny(_ authorization: Authorization, at now: Instant) -> (decided: Authorization, address: String) {
        if let consent = authorization.request.consent { reject(consent, at: now) }
        return leave(authorization, as: .denied, .accessDenied, "The customer has denied access.")
    }

    /// Returns to the client with the error of a fault; nil if there is no fault.
    private mutating func failed(_ pending: Authorization, _ scope: Scope) -> BankResponse? {
        guard case .failedSignIn(let code, let description) = scope.readAlteration else { return nil }
        return redirect(to: leave(pending, code, description).address, scope)
    }

    private mutating func cancel(_ pending: Authorization) -> (decided: Authorization, address: String) {
        leave(pending, .accessDenied, "The customer has cancelled.")
    }

    /// Ends a pending authorization with an error; by default without a decision: a consent or a challenge still awaits the customer.
    ///
    /// - Returns: `address`, the one that the client gets, has the error unless the page returns without a code.
    private mutating func leave(
        _ pending: Authorization, as stage: Authorization.Stage = .abandoned, _ code: AuthorizationErrorCode, _ description: String?
    ) -> (decided: Authorization, address: String) {
        let ended = end(pending, stage)
        if let address = returnAddress(of: ended.request) { return (ended, address) }
        var parameters: [(name: String, value: String)] = [(name: "error", value: code.rawValue)]
        if let description { parameters.append((name: "error_description", value: description)) }
        return (ended, answer(to: ended.request.redirect, ended.request.state, parameters))
    }

    /// Ends a pending authorization, with the challenge that it is about: its page's form is no longer valid.
    private mutating func end(
        _ authorization: Authorization, _ stage: Authorization.Stage, by customer: String? = nil, family: Int? = nil
    ) -> Authorization {
        var ended = authorization
        (ended.handle, ended.stage, ended.customer, ended.family) = (nil, stage, customer, family)
        make(.authorization(ended, before: authorization))
        if stage != .abandoned, let challenge = authorization.request.challengeNumber.flatMap({ challenges[$0] }) {
            end(challenge, approves: stage == .approved)
        }
        return ended
    }

    /// The client's address with the parameters of a response, `state` and `iss` (RFC 9207 §2).
    func answer(to redirect: String, _ state: String?, _ parameters: [(name: String, value: String)]) -> String {
        let all = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", baseURL)]
        return redirect + (redirect.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + formEncoded(all)
    }

    /// A text that nobody can guess: from the system's randomness, not from the session's seed, as it stands for a customer's consent.
    func newSecret() -> String {
        var randomness = SystemRandomNumberGenerator()
        return tokenPrefix + randomness.letters()
    }

    // MARK: the page

    private mutating func page(_ policy: SignInPolicy, _ scope: Scope) -> BankResponse {
        let fields = scope.request.queryFields
        do throws(AuthorizationFailure) {
            let (opened, value) = try opened(fields, policy, at: scope.now)
            if let failed = failed(opened, scope) { return failed }
            if metadata.approvesAlone, fields["auto"] == SignInDecision.approve.rawValue, let customer = customer(for: opened.request, nil)
            {
                return redirect(to: approve(opened, customer, policy, at: scope.now).address, scope)
            }
            return form(opened, value: value, scope)
        } catch {
            guard let address = address(of: error) else { return signInResponse(400, .failure(error.words), scope) }
            return redirect(to: address, scope)
        }
    }

    /// Opens the page for a client's request.
    ///
    /// - Returns: the attempt to sign in, and the value of the form's hidden field.
    private mutating func opened(
        _ fields: FormFields, _ policy: SignInPolicy, at now: Instant
    ) throws(AuthorizationFailure) -> (Authorization, value: String) {
        let reader = AuthorizationReader(fields: fields, policy: policy, usual: bank.auth?.scopes ?? [])
        let pushed = try pushed(reader, at: now)
        let challenged = try challenged(reader, at: now)
        let request: AuthorizationRequest
        if let known = pushed?.request ?? challenged { request = known } else { request = try requested(reader, at: now) }
        if pushed == nil, challenged == nil, policy.requiresPushed { throw .sent("The request must be pushed first.", for: request) }
        let value = newSecret()
        let opened = Authorization(
            number: pushed?.number ?? authorizations.newNumber, request: request, stage: .pending, handle: tokens.digest(value),
            expiresAt: now + policy.lifetimes.page)
        make(.authorization(opened, before: pushed))
        return (opened, value)
    }

    /// The client's address with the error; nil if the client must not get it.
    private func address(of failure: AuthorizationFailure) -> String? {
        failure.destination.map {
            answer(to: $0.redirect, $0.state, [("error", failure.code.rawValue), ("error_description", failure.words)])
        }
    }

    /// The pushed request that the parameters refer to, which leads here once; nil if they refer to none.
    private func pushed(_ reader: AuthorizationReader, at now: Instant) throws(AuthorizationFailure) -> Authorization? {
        guard let address = reader.value(.pushed) else { return nil }
        let client = try reader.client()
        let name = reader.policy.name(.pushed)
        guard !reader.fields.repeated.contains(name), address.hasPrefix(pushedPrefix),
            let pushed = authorizations.authorization(handle: tokens.digest(String(address.dropFirst(pushedPrefix.count)))),
            pushed.stage == .pushed, pushed.request.client == client.id, now < pushed.expiresAt
        else {
            throw .onPage("\(name) is unknown, used or expired: the client must push its request again.")
        }
        return pushed
    }

    /// Whether a browser says that a request comes from a page of another site.
    ///
    /// Browsers that send no `Sec-Fetch-Site` send `Origin`. It is `null` if the page hides its address, as this one does by its policy.
    private func isForeign(_ request: BankRequest) -> Bool {
        if let site = request.header("Sec-Fetch-Site") { return !["same-origin", "none"].contains(site.lowercased()) }
        guard let origin = request.header("Origin")?.lowercased(), origin != "null" else { return false }
        let base = baseURL.lowercased().split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(
            separator: "/")
        // The server may have other names than its own address, and a proxy may end TLS.
        let host = request.header("Host")?.lowercased()
        return origin != base && host.map { !["http://\($0)", "https://\($0)"].contains(origin) } ?? true
    }

    /// Takes the page's form.
    private mutating func decision(_ policy: SignInPolicy, _ scope: Scope) throws(RequestRejection) -> BankResponse {
        let form = scope.request.form
        if isForeign(scope.request) { return signInResponse(403, .failure("The form was sent from another site."), scope) }
        guard form.repeated.subtracting([SignInPage.accountsField]).isEmpty, let value = form[SignInPage.valueField],
            let pending = authorizations.authorization(handle: tokens.digest(value)), pending.stage == .pending,
            isOpen(pending, at: scope.now)
        else { return signInResponse(400, .ended, scope) }
        if let failed = failed(pending, scope) { return failed }
        let isChallenge = pending.request.challengeNumber != nil
        guard let button = form["decision"].flatMap(SignInPage.Button.init) else {
            return self.form(pending, value: value, problem: "Choose whether to allow or to deny access.", scope)
        }
        if button == .cancel { return redirect(to: cancel(pending).address, scope) }
        if button == .deny, !isChallenge { return redirect(to: deny(pending, at: scope.now).address, scope) }
        if let customer = pending.customer.flatMap(customer) {
            let chosen = choices(pending.request, of: customer).map(\.key).filter(form.values(SignInPage.accountsField).contains)
            guard !chosen.isEmpty else { return self.form(pending, value: value, problem: "Choose at least one account.", scope) }
            return redirect(to: approve(pending, customer, policy, accounts: chosen, at: scope.now).address, scope)
        }
        let customer: Customer
        do throws(RequestRejection) {
            customer = try signedIn(form["username"] ?? "", form["password"] ?? "")
        } catch {
            switch error.situation {
            case .wrongLogin: return self.form(pending, value: value, problem: "The user name or the password is wrong.", scope)
            case .locked: return self.form(pending, value: value, problem: "This account is locked.", scope)
            default: throw error
            }
        }
        if isChallenge {
            guard customer.login == pending.request.hint else {
                return self.form(pending, value: value, problem: "This is another customer's request.", scope)
            }
            let decided = button == .approve ? approve(pending, customer, policy, at: scope.now) : deny(pending, at: scope.now)
            return redirect(to: decided.address, scope)
        }
        if form[SignInPage.listField] == "yes", !choices(pending.request, of: customer).isEmpty { return choose(pending, customer, scope) }
        return redirect(to: approve(pending, customer, policy, at: scope.now).address, scope)
    }
}
