package import BankModel

/// A response, and the operation that gave it.
package struct Answer: Sendable {
    /// The operation that the request met; nil if it met none.
    package let match: Match?
    package let response: BankResponse

    /// The operation's index among the bank's operations; nil if the request met none.
    package var operation: Int? { match?.index }
}

extension SessionState {
    /// Answers a request without a wire, faults or a journal: exporters, the provider check and tests ask a bank so. A session of a
    /// server adds those (`Exchange` in the engine), and calls the same three functions.
    package mutating func answer(_ request: BankRequest, at now: Instant) -> Answer {
        guard let (match, admission) = admit(request, at: now) else {
            return Answer(match: nil, response: dialectResponse(.notFound, to: request, at: now))
        }
        switch admission.verdict {
        case .ready(let ticket): return Answer(match: match, response: admission.completed(execute(ticket, at: now)))
        case .replay(let response), .rejected(let response): return Answer(match: match, response: admission.completed(response))
        }
    }

    /// Finds a request's operation, and admits the request there: limit, token, scope, body, parents, key.
    ///
    /// - Returns: nil if the bank has no such operation.
    package mutating func admit(_ request: BankRequest, at now: Instant) -> (match: Match, admission: Admission)? {
        guard let match = prepared.router.match(request, states: states) else { return nil }
        return (match, admit(request, match, at: now))
    }

    /// Validates a request that matched an operation: limit, token, scope, body, parents; then claims its key.
    package mutating func admit(_ request: BankRequest, _ match: Match, at now: Instant) -> Admission {
        settle(at: now)
        let presented = presented(request)
        var admission = Admission(verdict: .rejected(BankResponse(status: 500)), token: label(presented, match.operation))
        if case .known(let token) = presented { (admission.customer, admission.consent) = (token.customer, consent(of: token)) }
        var scope = Scope(request: request, parameters: match.parameters, now: now)
        let operation = match.operation
        var found = key(operation, scope)
        admission.key = compared(found)
        if let nonce = nonceHeader(for: request, at: now) { admission.extraHeaders.append(nonce) }
        do throws(RequestRejection) {
            if let limit = operation.rateLimit(bank.dialect) { try count(limit, presented, operation, &admission, at: now) }
            try authenticate(presented, operation, &scope)
            try checkQuery(operation, request)
            if operation.issuesTokens { scope.binding = try binding(request, at: now) }
            // The token remains valid for everything else. A value that is not an instant is not rejected here.
            if let rule = operation.fresh, isTooOld(rule, scope) { throw RequestRejection(.stepUp) }
            if let rule = operation.body { try readBody(rule, operation, &scope) }
            // It may be in the body.
            found = key(operation, scope)
            admission.key = compared(found)
            try requireParents(operation.parents, scope)
            let key = try checked(found, operation)
            let id = key.map { keyID($0, operation, scope) }
            admission.verdict = try claim(Ticket(match, scope, keyID: id), at: now)
        } catch {
            var response = rejection(error, operation, &scope)
            if let seconds = error.retryAfter { response.setHeader("Retry-After", "\(seconds)") }
            admission.verdict = .rejected(response)
        }
        admission.attempt = attempts.count(
            operation: match.index, customer: admission.customer, key: admission.key, body: request.body)
        return admission
    }

    /// The response for a rejection: the operation's own for the situation, or the dialect's.
    mutating func rejection(_ rejection: RequestRejection, _ operation: Operation, _ scope: inout Scope) -> BankResponse {
        (scope.detail, scope.lacking, scope.consentState) = (rejection.detail, rejection.scope, rejection.consent)
        scope.challenge = rejection.challenge
        if let sender = rejection.sender { return response(sender, rejection, &scope) }
        if let situation = rejection.situation, let own = operation.rejections[situation] { return response(own, &scope) }
        return inScheme(dialectResponse(rejection.name, &scope), of: scope.request)
    }

    /// The journal's name of a request's token; nil if the header holds a client's own credentials.
    func label(_ presented: TokenBook.Presented, _ operation: Operation) -> String? {
        presented == .otherScheme && operation.authenticatesClients ? nil : presented.label
    }

    /// The journal's name of the token of a request that matches no operation; nil if it may hold a client's own credentials. Such is a request
    /// to a token endpoint for an unknown grant, or one of which only the head is known.
    package func label(ofUnmatched request: BankRequest) -> String? {
        let presented = presented(request)
        return presented == .otherScheme && prepared.router.authenticatesClients(at: request) ? nil : presented.label
    }

    /// Counts a request for its limit. This comes before the token is checked, so that rejected requests count and show the limit too.
    private mutating func count(
        _ limit: RateLimit, _ presented: TokenBook.Presented, _ operation: Operation, _ admission: inout Admission, at now: Instant
    ) throws(RequestRejection) {
        let usage = requests.count(limit, operation, presented.known, at: now)
        admission.extraHeaders += usage.headers(at: now)
        if usage.isOver { throw RequestRejection(name: .rateLimited, detail: usage.reason, retryAfter: usage.secondsLeft(at: now)) }
    }

    private mutating func authenticate(
        _ presented: TokenBook.Presented, _ operation: Operation, _ scope: inout Scope
    ) throws(RequestRejection) {
        guard case .token(let wanted) = operation.access else { return }
        switch presented {
        case .nothing, .otherScheme: throw RequestRejection(.noCredentials)
        case .empty: throw RequestRejection(.tokenRejected, "found an empty bearer token")
        case .unknown: throw RequestRejection(.tokenRejected)
        case .known(let token):
            let rejection = rejection(token, wanted, at: scope.now)
            // A client that does not have the token's key learns nothing about its scopes.
            if rejection == nil || rejection?.name == .scopeRefused { try requireSender(of: token, scope.request, at: scope.now) }
            guard token.kind == .access, !token.isRevoked else { throw RequestRejection(.tokenRejected) }
            (scope.customer, scope.token) = (customer(token.customer), token)
            var found: FoundConsent?
            if let id = consent(of: token) { found = try inForce(id) }
            // The end of a consent comes first: a refresh does not help. An expired token comes before a missing permission.
            if let rejection, rejection.name == .tokenExpired { throw rejection }
            if let found { scope.customer = try consenting(found, scope.customer, operation) }
            if scope.customer == nil, !operation.permissions.isEmpty {
                throw RequestRejection(.scopeRefused, "a client's own token carries no consent")
            }
            if let rejection { throw rejection }
        }
    }

    /// The reason why a token does not authorize an operation; nil if it does.
    private func rejection(_ token: TokenBook.Token, _ wanted: String?, at now: Instant) -> RequestRejection? {
        guard now < token.expiresAt else { return RequestRejection(.tokenExpired) }
        if let wanted, !token.scopes.contains(wanted) {
            return RequestRejection(name: .scopeRefused, detail: "the token lacks the scope \(wanted)", scope: wanted)
        }
        if wanted == nil, token.scopes.isEmpty, bank.auth?.scopes.isEmpty == false {
            return RequestRejection(.scopeRefused, "the token has no scope")
        }
        return nil
    }

    /// Rejects a query with a broken escape (RFC 3986 §2.1): without its field the request would be another one. A sign-in page reports it
    /// by itself, and an operation that selects the query as sent has selected this one.
    private func checkQuery(_ operation: Operation, _ request: BankRequest) throws(RequestRejection) {
        guard operation.signIn == nil, let query = request.query, query.utf8.contains(UInt8(ascii: "%")),
            let name = request.queryFields.firstBroken,
            !operation.when.contains(where: { $0.part == .rawQuery || $0.part == .url })
        else { return }
        throw .badRequest("found a broken escape in the query's \(name), expected percent-encoded UTF-8")
    }

    private func readBody(_ rule: Operation.BodyRule, _ operation: Operation, _ scope: inout Scope) throws(RequestRejection) {
        let isGrant = operation.grant != nil
        switch rule.form {
        case .json:
            do throws(JSONError) { scope.json = try scope.request.json() } catch {
                throw .badRequest("the body is not JSON: \(error)", .malformed)
            }
        case .form:
            scope.form = scope.request.form
            // A token endpoint accepts each parameter once, and treats an empty one as absent (RFC 6749 §3.2).
            if isGrant, let field = scope.form?.repeated.sorted().first {
                throw .badRequest("the body has `\(field.echoed)` more than once", .malformed)
            }
            if operation.signIn == nil, let name = scope.form?.firstBroken {
                throw .badRequest("found a broken escape in the body's `\(name)`, expected percent-encoded UTF-8", .malformed)
            }
        }
        for field in rule.required {
            let value = rule.form == .json ? scope.json?.at(field) : scope.form?[field].map(JSON.string)
            let isEmptyParameter = isGrant && rule.form == .form && value == ""
            if value == nil || value == .null || isEmptyParameter {
                let found = value.map { $0 == .null ? "null" : "empty" } ?? "missing"
                throw .badRequest("the body's `\(field)` is \(found)", .malformed)
            }
        }
        for (field, kind) in rule.kinds {
            guard let value = scope.json?.at(field), !kind.fits(value) else { continue }
            throw .badRequest("found \(value.kindName) for the body's `\(field)`, expected \(kind.words)", .malformed)
        }
    }

    private mutating func requireParents(_ parents: [Operation.Parent], _ scope: Scope) throws(RequestRejection) {
        for parent in parents {
            let key = text(parent.key, scope)
            guard let key, let row = row(parent.table, key: key), isVisible(row, of: parent.table, to: scope.customer) else {
                throw RequestRejection(.notFound, "no row of \(parent.table) with key \(key ?? "nothing")")
            }
        }
    }

    /// Finds the operation, token and customer that the head of a request names. Nothing is validated, claimed or counted.
    ///
    /// The key is left out: without its body an attempt cannot be compared with others under that key.
    ///
    /// - Returns: nil if the bank has no such operation. The admission is a rejection: a request of which only the head is known is never
    ///   executed.
    package func recognize(_ request: BankRequest) -> (match: Match, admission: Admission)? {
        guard let match = prepared.router.match(request, states: states) else { return nil }
        let presented = presented(request)
        var admission = Admission(verdict: .rejected(BankResponse(status: 500)), token: label(presented, match.operation))
        if case .known(let token) = presented { admission.customer = token.customer }
        return (match, admission)
    }

    /// Whether a query is for old rows, and the sign-in is too long ago.
    func isTooOld(_ rule: Operation.Freshness, _ scope: Scope) -> Bool {
        guard let token = scope.token, let text = scope.request.queryValue(rule.query),
            let from = Instant(rfc3339: text) ?? CivilDate(text).map({ Instant($0) })
        else { return false }
        return from < scope.now + (.zero - rule.older) && scope.now > token.signedInAt + rule.within
    }
}

/// The core's decision on a request before anything is executed.
package struct Admission: Sendable {
    package enum Verdict: Sendable {
        /// The request may be executed; a key is claimed.
        case ready(Ticket)
        /// The response stored under its key.
        case replay(BankResponse)
        case rejected(BankResponse)
    }

    package var verdict: Verdict
    package var customer: String?
    /// The consent that the token carries; nil if it carries none.
    package var consent: RowID?
    /// The token presented, by its name in the journal.
    package var token: String?
    /// The key without quotes; as remembered, once it is valid.
    package var key: String?
    package var attempt = 1
    /// The headers by which the bank's response shows the request's limit, and the nonce for the next proof.
    fileprivate(set) var extraHeaders: [JournalEntry.Header] = []

    /// Whose data the response shows: the customer, and the consent if there is one; nil for nobody's.
    package var viewer: String? { customer.map { login in consent.map { "\(login)\n\($0.table)/\($0.key)" } ?? login } }

    /// The bank's response with the headers that belong to the request. They are never stored with it.
    package func completed(_ response: BankResponse) -> BankResponse {
        if extraHeaders.isEmpty { return response }
        var response = response
        response.setHeaders(extraHeaders)
        return response
    }
}

/// The right to execute a request once: from ``SessionState/admit(_:_:at:)`` to execute or abandon.
package final class Ticket: Sendable {
    package let match: Match
    /// The findings about the request.
    let scope: Scope
    let keyID: IdempotencyBook.ID?

    init(_ match: Match, _ scope: Scope, keyID: IdempotencyBook.ID?) {
        self.match = match
        self.scope = scope
        self.keyID = keyID
    }
}
