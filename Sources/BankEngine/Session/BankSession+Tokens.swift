package import BankCore
package import BankModel
import Platform

/// Changes of a tester to the bank's own state: tokens, sign-ins and provider states.
extension BankSession {
    /// Issues a token as if the customer had signed in.
    package func issueTokens(login: String?, scopes: [String]? = nil, lifetime: Duration? = nil) throws(TokenError) -> IssuedTokens {
        let login = login ?? bank.customers.first?.login ?? ""
        // After what is due: an outage's due token expiry must not reach the new token.
        return try change("a token of \(login)") { inner, now throws(TokenError) in
            guard !inner.state.hasAllTokens(inner.limit) else { throw .sessionFull(inner.limit) }
            return try inner.state.issueTokens(login: login, scopes: scopes, lifetime: lifetime, at: now)
        }
    }

    /// Expires one token, or all access tokens.
    package func expireTokens(id: String? = nil) throws(TokenError) {
        try change("expiry of tokens") { inner, now throws(TokenError) in try inner.state.expireTokens(id: id, at: now) }
    }

    /// Revokes one token, or all.
    package func revokeTokens(id: String? = nil) throws(TokenError) {
        try change("revocation of tokens") { inner, _ throws(TokenError) in try inner.state.revokeTokens(id: id) }
    }

    /// Removes scopes from one token, or all: the given ones remain.
    package func downscopeTokens(id: String? = nil, to scopes: [String] = []) throws(TokenError) {
        try change("fewer scopes") { inner, _ throws(TokenError) in try inner.state.downscopeTokens(id: id, to: scopes) }
    }

    /// The attempts to sign in on the bank's page since the last reset, oldest first.
    package var authorizations: [Authorization] { inner.withLock { $0.state.authorizations.all } }

    /// The headers of ID tokens that the bank has signed lately; none if it signs none.
    package var idTokenHeaders: [String] { settledState.idTokenHeaders }

    /// The consents since the last reset, oldest first in each table.
    package var consents: [Consent] { settledState.consents }

    /// Decides an attempt to sign in, as its customer would on the page.
    ///
    /// - Parameters:
    ///   - login: the customer who approves; nil for the one that the client named, or the first.
    ///   - accounts: the accounts that the customer shares; nil for all for which the consent asks.
    /// - Returns: the attempt as it is then, and the address with which the client gets the answer; nil if it gets none.
    package func decide(
        _ number: Int, _ decision: SignInDecision, login: String?, accounts: [String]? = nil
    ) throws(AuthorizationError) -> (decided: Authorization, address: String?) {
        try signingIn("authorization \(number)") { state, now throws(AuthorizationError) in
            try state.decide(number, decision, login: login, accounts: accounts, at: now)
        }
    }

    /// The challenges since the last reset, as they are now, oldest first.
    package var challenges: [Challenge] {
        inner.withLock { inner in
            let now = inner.processDueEvents(clock)
            return inner.state.challenges.all.map { $0.at(now) }
        }
    }

    /// The right code of every `otp` challenge.
    package var challengeCode: String { bank.challenges?.code ?? ChallengePolicy().code }

    /// Approves or denies a challenge, as its customer would in the bank's own app; the request of an approved one is executed.
    ///
    /// - Parameter number: nil for the latest one that is pending.
    /// - Returns: the challenge as it is then.
    package func decide(challenge number: Int? = nil, approves: Bool) throws(ChallengeError) -> Challenge {
        try booking("a challenge") { inner, now throws(ChallengeError) in
            let number = number ?? inner.state.challenges.all.last { $0.at(now).stage == .pending }?.number
            return try inner.state.decide(challenge: number ?? 0, approves: approves, inner.limit, at: now)
        }
    }

    /// The path of the sign-in page; nil if the bank has none.
    package var signInPage: String? { bank.signInPage }

    /// Opens the sign-in page and decides there, as a browser with a customer would; the journal records no exchange.
    ///
    /// - Parameters:
    ///   - query: the query of the page's address.
    ///   - login: the customer who approves; nil for the one that the client named, or the first.
    /// - Returns: the address that the client gets; nil if it gets no answer.
    package func authorize(_ query: String, _ decision: SignInDecision, login: String?) throws(AuthorizationError) -> String? {
        try signingIn("a sign-in") { state, now throws(AuthorizationError) in
            try state.authorize(query, decision, login: login, at: now)
        }
    }

    /// Changes a sign-in, unless the session is full.
    private func signingIn<Result: Sendable>(
        _ command: String, _ body: (inout SessionState, Instant) throws(AuthorizationError) -> Result
    ) throws(AuthorizationError) -> Result {
        try booking(command) { inner, now throws(AuthorizationError) in
            guard !inner.state.hasAllTokens(inner.limit) else { throw .sessionFull(inner.limit) }
            return try body(&inner.state, now)
        }
    }

    /// Changes the session by what may make payments, and counts these.
    private func booking<Result: Sendable, Failure: Error>(
        _ command: String, _ body: (inout LockedState, Instant) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try change(command) { inner, now throws(Failure) in
            let booked = inner.state.ledger.movements.count
            let result = try body(&inner, now)
            inner.tally.countBooked(inner.state.ledger.movements, after: booked)
            return result
        }
    }

    /// All tokens issued since the last reset. Their texts are secrets: for scanning, never for display.
    package var tokens: [TokenBook.Token] { Array(settledState.tokens.tokens) }

    /// The token that a request presents to be refreshed or revoked; nil if it presents none.
    package func presentedToken(_ method: String, _ target: String, _ body: [UInt8]) -> String? {
        let path = target.prefix { $0 != "?" }
        let request = BankRequest(method, String(path), query: String(target.dropFirst(path.count + 1)), body: body)
        return inner.withLock { $0.state.prepared.router }.match(request)?.presentedToken(in: request)
    }

    /// Establishes a provider state, completely or not at all.
    ///
    /// - Returns: the values that the state reports to the verifier.
    package func enter(_ wanted: ProviderState) throws(ProviderStateError) -> JSONObject {
        try booking(wanted.name) { inner, now throws(ProviderStateError) in
            guard !inner.state.isFull(inner.limit) else { throw .sessionFull(inner.limit) }
            var state = inner.state
            let values = try state.enter(wanted, at: now)
            inner.state = state
            return values
        }
    }
}
