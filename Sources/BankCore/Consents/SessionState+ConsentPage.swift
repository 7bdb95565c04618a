import BankModel

/// The sign-in page of a bank with consents.
extension SessionState {
    /// Reads a client's request for the page, and the consent that it names.
    func requested(_ reader: AuthorizationReader, at now: Instant) throws(AuthorizationFailure) -> AuthorizationRequest {
        if bank.consents.isEmpty { return try reader.request() }
        let named = try named(reader.fields)
        if let named, let redirect = named.policy.redirect {
            let address = named.row.fields.at(redirect)?.string ?? ""
            guard named.state == .awaiting, let client = bank.signIn?.clients.first(where: { $0.accepts(address) }) else {
                throw onPage("The consent no longer awaits the customer.")
            }
            return AuthorizationRequest(
                client: client.id, redirect: address, isRedirectGiven: false, scopes: reader.usual, state: nil, challenge: nil, hint: nil,
                nonce: nil, consent: named.id)
        }
        var request = try reader.request()
        let destination = AuthorizationFailure.Destination(redirect: request.redirect, state: request.state)
        if let named {
            guard named.state == .awaiting else {
                throw AuthorizationFailure(
                    code: .invalidRequest, words: "The consent no longer awaits the customer.", destination: destination)
            }
            request.consent = named.id
        } else if bank.consents.values.allSatisfy({ $0.row == nil }) {
            throw AuthorizationFailure(
                code: .invalidRequest, words: "The request names no consent, or an unknown one.", destination: destination)
        }
        return request
    }

    /// The consent that the page's address names; nil if there is none.
    private func named(_ fields: FormFields) throws(AuthorizationFailure) -> FoundConsent? {
        for policy in bank.consents.values.sorted(by: { $0.table < $1.table }) {
            guard let parameter = policy.parameter, let key = fields[parameter], !key.isEmpty else { continue }
            if fields.repeated.contains(parameter) { throw onPage("\(parameter) is given more than once.") }
            if let found = consent(ConsentID(table: policy.table, key: key)) { return found }
        }
        return nil
    }

    private func onPage(_ words: String) -> AuthorizationFailure {
        AuthorizationFailure(code: .invalidRequest, words: words, destination: nil)
    }

    /// The address to which the page returns without a code; nil if the client gets a code.
    func returnAddress(of request: AuthorizationRequest) -> String? {
        let returnsBare = request.challengeNumber != nil || request.consent.flatMap { bank.consents[$0.table]?.redirect } != nil
        return returnsBare ? request.redirect : nil
    }

    /// Makes the key of a consent the token of the customer who has authorised it, if the bank has it so.
    ///
    /// - Returns: the family of that token; nil if there is none.
    mutating func credential(_ authorization: Authorization, _ customer: Customer, at now: Instant) -> Int? {
        guard let consent = authorization.request.consent, bank.consents[consent.table]?.isCredential == true else { return nil }
        let token = tokens.new(
            .access, text: consent.key, customer: customer.login, scopes: authorization.request.scopes,
            expiresAt: Instant(nanoseconds: .max), family: tokens.newFamily, signedInAt: now)
        make(.issued(token))
        return token.family
    }
}

/// Payments that are made when their customer authorises them: until then they are consents.
extension SessionState {
    /// Makes the move of the operation that has added the consent; nil if it makes none.
    mutating func pay(
        _ found: FoundConsent, _ customer: Customer, _ accounts: [String], at now: Instant
    ) throws(RequestRejection) -> TableRow.Origin? {
        guard let operation = prepared.router.mover(into: found.id.table), let move = operation.move else { return nil }
        var scope = Scope(request: BankRequest("GET", "/"), customer: customer, now: now)
        (scope.json, scope.consentAccount) = (found.body, accounts.first)
        try perform(move, named: operation.definition.name, key: nil, &scope)
        return TableRow.Origin(movement: Int32(ledger.movements.count - 1), list: nil, isDebit: true)
    }

    /// A payment that its customer has not authorised, as deliveries show it: without what its order leaves open.
    mutating func payment(_ move: Operation.Move, of found: FoundConsent, as state: Movement.State, at now: Instant) -> JSONObject {
        var scope = Scope(request: BankRequest("GET", "/"), now: now)
        (scope.json, scope.consentAccount) = (found.body, payingAccount(of: found))
        let currency = text(move.currency, scope).flatMap { Currency($0) }
        let amount = currency.flatMap { self.amount(move, $0, scope) }
        let from = move.from.first.flatMap { text($0.key, scope) }
        let to = move.to.first.flatMap { text($0.key, scope) }
        var object = JSONObject([("id", .string(found.id.key)), ("state", .string(state.rawValue))])
        object["amount"] = (amount?.major).map(JSON.string)
        object["currency"] = (amount?.currency.code).map(JSON.string)
        object["from"] = from.map(JSON.string)
        object["to"] = to.map(JSON.string)
        return object
    }

    /// The account from which a payment is to be made that its customer has not authorised; nil if its order names none.
    private func payingAccount(of found: FoundConsent) -> String? {
        found.named.isEmpty ? nil : bank.customers.lazy.compactMap { covered(by: found, of: $0).first }.first
    }
}
