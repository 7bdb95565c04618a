import BankModel

/// The sign-in page of a bank with consents.
extension SessionState {
    /// Reads a client's request for the page, and the consent that it names.
    func requested(_ reader: AuthorizationReader, at now: Instant) throws(AuthorizationFailure) -> AuthorizationRequest {
        if bank.consents.isEmpty { return try reader.request() }
        let named = try named(reader.fields)
        if let named, let redirect = named.policy.redirect {
            let address = named.row.fields.at(redirect)?.string ?? ""
            guard named.state == .awaiting, let client = bank.signIn?.clients.first(where: { $0.acceptsReturn(to: address) }) else {
                throw .onPage("The consent no longer awaits the customer.")
            }
            return AuthorizationRequest(
                client: client.id, redirect: address, isRedirectGiven: false, scopes: reader.usual, state: nil, challenge: nil, hint: nil,
                nonce: nil, consent: named.id)
        }
        var request = try reader.request()
        if let named, isConsent(named, of: request.client) {
            guard named.state == .awaiting else { throw .sent("The consent no longer awaits the customer.", for: request) }
            request.consent = named.id
        } else if named != nil || bank.consents.values.allSatisfy({ $0.row == nil }) {
            throw .sent("The request names no consent, or an unknown one.", for: request)
        }
        return request
    }

    /// Adds the consent that a sign-in makes; nil if sign-ins of this bank make none.
    mutating func made(by customer: Customer, for client: String, at now: Instant) -> RowID? {
        guard let policy = madePolicy, let row = policy.row, let table = prepared.tables[policy.table] else { return nil }
        var scope = Scope(request: BankRequest("GET", "/"), customer: customer, now: now)
        let insert = RowInsertion(table, row, RowStages())
        guard let added = try? ask(insert, policy, &scope, for: client) else { return nil }
        return RowID(table: policy.table, key: added.key)
    }

    /// The consent that the page's address names; nil if there is none.
    private func named(_ fields: FormFields) throws(AuthorizationFailure) -> FoundConsent? {
        for policy in bank.consents.values.sorted(by: { $0.table < $1.table }) {
            guard let parameter = policy.parameter, let key = fields[parameter], !key.isEmpty else { continue }
            if fields.repeated.contains(parameter) { throw .onPage("\(parameter) is given more than once.") }
            if let found = consent(RowID(table: policy.table, key: key)) { return found }
        }
        return nil
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
