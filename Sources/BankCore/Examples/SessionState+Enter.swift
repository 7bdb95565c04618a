package import BankModel

extension SessionState {
    /// Establishes a provider state.
    ///
    /// Only adds to the session: no other customer, token or key changes.
    ///
    /// - Returns: the values supplied, by name, such as `token`.
    package mutating func enter(_ wanted: ProviderState, at now: Instant) throws(ProviderStateError) -> JSONObject {
        switch wanted {
        case .known(let login):
            let customer = try known(login)
            return JSONObject([("username", .string(customer.login)), ("password", .string(customer.password ?? ""))])
        case .signedIn(let login): return try signIn(known(login), at: now)
        case .tokenRevoked:
            let family = try newestToken().family
            alter(tokens.tokens(ofFamily: family)) { $0.isRevoked = true }
        case .tokenExpired:
            alter([try newestToken()]) { $0.expiresAt = min($0.expiresAt, now) }
        case .tokenLacks(let scope):
            let known = bank.allScopes
            guard known.contains(scope) else { throw .unknownScope(scope, known: known) }
            alter([try newestToken()]) { $0.scopes.removeAll { $0 == scope } }
        case .keyNew: return JSONObject([(ProviderState.keyName, .string(uuid()))])
        case .keyUsed(_, let name):
            let (index, operation) = try keyed(name)
            let done = try carryOut(index, operation, at: now)
            return done.filter { $0 == ProviderState.keyName }
        case .entry(let table):
            let adding = bank.operations.enumerated().filter { $0.element.insert?.table == table }
            guard let (index, operation) = adding.first.map({ ($0.offset, $0.element) }) else {
                throw .unknownTable(table, known: Set(bank.operations.compactMap(\.insert?.table)).sorted())
            }
            _ = try carryOut(index, operation, at: now)
            return JSONObject([(table, .string(lastAdded(to: table) ?? ""))])
        }
        return JSONObject()
    }

    private func known(_ login: String) throws(ProviderStateError) -> Customer {
        guard let customer = customer(login) else { throw .unknownCustomer(login, known: bank.customers.map(\.login)) }
        return customer
    }

    private func newestToken() throws(ProviderStateError) -> TokenBook.Token {
        guard let token = tokens.tokens.last(where: { $0.kind == .access }) else { throw .noToken }
        return token
    }

    private mutating func signIn(_ customer: Customer, at now: Instant) throws(ProviderStateError) -> JSONObject {
        let issued: IssuedTokens
        do throws(TokenError) { issued = try issueTokens(login: customer.login, scopes: bank.allScopes, at: now) } catch {
            throw .token(error)
        }
        var values = JSONObject([("token", .string(issued.access.text))])
        values["refresh_token"] = issued.refresh.map { .string($0.text) }
        for table in bank.tables.values.sorted(by: { $0.name < $1.name }) where table.belongs != nil {
            values[table.name] = visibleKeys(table.name, customer: customer.login, limit: 1).first.map(JSON.string)
        }
        return values
    }

    /// The operation of that name with a key; without a name the first of role `pay`, or the first with a key.
    private func keyed(_ name: String?) throws(ProviderStateError) -> (Int, Operation) {
        let all = bank.operations.enumerated().filter { $0.element.key != nil }.map { ($0.offset, $0.element) }
        guard let name else {
            guard let found = all.first(where: { $0.1.roles.contains(.pay) }) ?? all.first else { throw .noPayment }
            return found
        }
        guard let found = all.first(where: { $0.1.name == name }) else { throw .unknownOperation(name, known: all.map { $0.1.name }) }
        return found
    }

    /// Executes the example of an operation for the customer of the newest token, and returns its values.
    private mutating func carryOut(_ index: Int, _ operation: Operation, at now: Instant) throws(ProviderStateError) -> JSONObject {
        let customer = tokens.tokens.last { $0.kind == .access }?.customer
        let found = example(of: index, customer: customer, at: now) ?? example(of: index, at: now)
        guard let found else { throw .rejected(operation: operation.name, status: 404) }
        // Uses a separate token: the newest one may be revoked or without scopes on purpose.
        var known = JSONObject()
        for state in found.states {
            for member in try enter(state, at: now).members { known[member.key] = member.value }
        }
        let response = answer(found.draft.request(known), at: now).response
        guard response.status == operation.status else { throw .rejected(operation: operation.name, status: response.status) }
        return known
    }
}

extension JSONObject {
    fileprivate func filter(_ isWanted: (String) -> Bool) -> JSONObject { JSONObject(members.filter { isWanted($0.key) }) }
}
