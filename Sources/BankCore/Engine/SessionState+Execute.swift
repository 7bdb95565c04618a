package import BankModel

extension SessionState {
    /// Executes an admitted request: its effect and its key's record are one step.
    ///
    /// - Parameter twist: a fault's effect on a read.
    package mutating func execute(_ ticket: Ticket, at now: Instant, twist: ReadTwist? = nil) -> Reply {
        if case .stale(let age) = twist {
            var past = asOf(now + (.zero - age))
            defer { generator = past.generator }
            return past.perform(ticket, at: now, nil)
        }
        settle(at: now)
        return perform(ticket, at: now, twist)
    }

    private mutating func perform(_ ticket: Ticket, at now: Instant, _ twist: ReadTwist?) -> Reply {
        var scope = scope(of: ticket, at: now)
        scope.twist = twist
        let operation = ticket.match.prepared
        var reply: Reply
        let mark = changes.count
        isExecuting = true
        defer {
            isExecuting = false
            if !isLogged { changes.removeAll(keepingCapacity: true) }
        }
        do throws(Refused) {
            if let grant = operation.definition.grant { try perform(grant, &scope) }
            if let move = operation.move { try perform(move, ticket, &scope) }
            if let insert = operation.insert { try perform(insert, &scope) }
            reply = try self.reply(operation, &scope)
            reply.committed = true
        } catch {
            if changes.count > mark { undo(Array(changes[mark...])) }
            changes.removeSubrange(mark...)
            if let family = error.revokedFamily { alter(tokens.tokens(ofFamily: family)) { $0.isRevoked = true } }
            reply = refusal(error, operation, &scope)
        }
        // Nothing is undone from here on.
        isExecuting = false
        remember(reply, scope.inserted.map { (table: $0.table, key: $0.row.key) }, ticket, at: now)
        return reply
    }

    /// Abandons an admitted request; its key is free again.
    package mutating func abandon(_ ticket: Ticket) {
        if let id = ticket.keyID { keys.drop(id) }
    }

    /// The reply with a success status whose body refuses; nil if the operation has none.
    package mutating func businessFailure(_ request: BankRequest, _ match: Match, at now: Instant) -> Reply? {
        guard let template = match.operation.businessFailure else { return nil }
        let customer = tokens.presented(request.header("Authorization")).known.flatMap { self.customer($0.customer) }
        var scope = Scope(request: request, parameters: match.parameters, customer: customer, now: now)
        scope.json = try? request.json()
        scope.form = request.form
        let own = ReplyTemplate(
            status: match.operation.status, headers: match.operation.headers, body: template, contentType: bank.dialect.contentType,
            invented: false)
        return reply(own, &scope)
    }

    func scope(of ticket: Ticket, at now: Instant) -> Scope {
        var scope = Scope(
            request: ticket.request, parameters: ticket.match.parameters, customer: ticket.customer, token: ticket.token, now: now)
        (scope.json, scope.form) = (ticket.json, ticket.form)
        return scope
    }

    // MARK: effects

    private mutating func perform(_ grant: Operation.Grant, _ scope: inout Scope) throws(Refused) {
        switch grant {
        case .password(let user, let password, let wanted):
            let login = text(user, scope) ?? ""
            let word = text(password, scope) ?? ""
            guard let customer = customer(login), let right = customer.password, right == word else {
                if let magic = refusal(magicPassword: word) { throw magic }
                throw Refused(.badRequest, "user name or password is wrong", situation: .wrongLogin)
            }
            if customer.locked { throw Refused(.badRequest, "the account is locked", situation: .locked) }
            scope.issued = try issue(login, wanted, renewing: nil, scope)
        case .refresh(let source, let wanted):
            let presented = text(source, scope).flatMap { tokens.token($0) }
            if let token = presented, token.kind == .refresh, token.isUsed {
                throw Refused(
                    .badRequest, "the refresh token was used before", situation: .invalidGrant, revokedFamily: token.family)
            }
            guard let token = presented, token.kind == .refresh, !token.isRevoked, scope.now < token.expiresAt else {
                throw Refused(.badRequest, "the refresh token is unknown, expired or revoked", situation: .invalidGrant)
            }
            alter([token]) { $0.isUsed = true }
            scope.issued = try issue(token.customer, wanted, renewing: token, scope)
        case .revoke(let source):
            guard let token = text(source, scope).flatMap({ tokens.token($0) }) else { return }
            alter(token.kind == .refresh ? tokens.tokens(ofFamily: token.family) : [token]) { $0.isRevoked = true }
        }
    }

    private mutating func issue(
        _ login: String, _ wanted: ValueSource?, renewing renewed: TokenBook.Token?, _ scope: borrowing Scope
    ) throws(Refused) -> IssuedTokens {
        // An empty one counts as absent (RFC 6749 §3.2).
        let named = wanted.flatMap { text($0, scope) }?.split(separator: " ").map(String.init) ?? []
        let scopes = named.isEmpty ? nil : named
        do throws(TokenError) {
            return try issueTokens(login: login, scopes: scopes, renewing: renewed, at: scope.now)
        } catch {
            throw Refused(.badRequest, "\(error)", situation: .invalidScope)
        }
    }

    private mutating func perform(_ insert: PreparedInsert, _ scope: inout Scope) throws(Refused) {
        if let row = try add(insert, &scope) { scope.inserted = (insert.table.table.name, row) }
    }
}

extension TokenBook.Presented {
    var known: TokenBook.Token? { if case .known(let token) = self { token } else { nil } }
}
