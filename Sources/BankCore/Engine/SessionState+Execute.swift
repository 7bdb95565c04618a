package import BankModel

extension SessionState {
    /// Executes an admitted request: its effect and its key's record are one step.
    ///
    /// - Parameter alteration: a fault's effect on a read.
    package mutating func execute(_ ticket: Ticket, at now: Instant, alteration: ReadAlteration? = nil) -> BankResponse {
        if case .stale(let age) = alteration {
            var past = asOf(now + (.zero - age))
            defer { generator = past.generator }
            return past.perform(ticket, at: now, nil)
        }
        settle(at: now)
        let response = perform(ticket, at: now, alteration)
        if ticket.match.operation.challenge != nil || ticket.match.operation.signIn != nil { executeConfirmed(at: now) }
        return response
    }

    /// - Parameter isConfirmed: whether the customer has confirmed the request.
    mutating func perform(_ ticket: Ticket, at now: Instant, _ alteration: ReadAlteration?, isConfirmed: Bool = false) -> BankResponse {
        var scope = ticket.scope
        (scope.now, scope.readAlteration) = (now, alteration)
        let operation = ticket.match.operation
        var response: BankResponse
        let mark = log.begin()
        defer { log.end() }
        do throws(RequestRejection) {
            if let rule = operation.stepUp?.freshness { try requireConfirmation(ofRead: rule, ticket, scope) }
            if let condition = operation.ifMatch { try require(condition, &scope) }
            if let grant = operation.grant { try perform(grant, &scope) }
            if let use = operation.uses { try self.use(use, &scope) }
            if let quote = operation.quote { try use(quote, &scope) }
            // A payment that its customer has yet to authorise is made when they do.
            if let move = operation.move, operation.insert.flatMap({ bank.consents[$0.table] }) == nil {
                try perform(move, named: ticket.match.name, key: ticket.keyID?.key, &scope)
            }
            scope.isDecoupled = operation.decoupled != nil
            if let insert = operation.insert { try perform(insert, &scope) }
            if let login = operation.decoupled { try askElsewhere(login, ticket.match.name, &scope) }
            if let registration = operation.registers { try perform(registration, &scope) }
            if let repeats = operation.repeats { try begin(repeats, scope) }
            if let update = operation.update { try perform(update, &scope) }
            if let delete = operation.delete { try perform(delete, scope) }
            if let cancel = operation.cancel { try cancelPayment(cancel, scope) }
            if let consent = operation.revoke { try revoke(consent, scope) }
            for (variable, state) in operation.then where states[variable] != state {
                make(.state(variable: variable, state, before: states[variable]))
            }
            if operation.stepUp != nil, !isConfirmed { try requireConfirmation(ticket, scope) }
            if let call = operation.challenge { try perform(call, &scope) }
            if let part = operation.signIn {
                response = try perform(part, &scope)
            } else {
                response = try self.response(operation, &scope)
            }
            if let policy = operation.stream { begin(policy, in: &response, scope) }
            response.committed = true
        } catch {
            rollBack(to: mark)
            if let family = error.revokedFamily { alter(tokens.tokens(ofFamily: family)) { $0.isRevoked = true } }
            if let challenge = error.challenge, challenges[challenge.number] != challenge {
                make(.challenge(challenge, before: challenges[challenge.number]))
            }
            response = rejection(error, operation, &scope)
        }
        // Nothing is undone from here on.
        announceChanges(since: mark, at: now)
        remember(response, scope.inserted.map { (table: $0.table, key: $0.row.key) }, ticket, at: now)
        return response
    }

    /// The response with a success status whose body reports a failure; nil if the operation has none.
    package mutating func businessFailure(_ request: BankRequest, _ match: Match, at now: Instant) -> BankResponse? {
        guard let template = match.operation.businessFailure else { return nil }
        let customer = presented(request).known.flatMap { self.customer($0.customer) }
        var scope = Scope(request: request, parameters: match.parameters, customer: customer, now: now)
        scope.json = try? request.json()
        scope.form = request.form
        let own = ResponseTemplate(
            status: match.operation.status, headers: match.operation.headers, body: template, contentType: bank.dialect.contentType,
            invented: false)
        return response(own, &scope)
    }

    // MARK: effects

    private mutating func perform(_ grant: Operation.Grant, _ scope: inout Scope) throws(RequestRejection) {
        switch grant {
        case .password(let user, let password, let wanted):
            let customer = try signedIn(text(user, scope) ?? "", text(password, scope) ?? "")
            let scopes = named(wanted, scope)
            do throws(TokenError) {
                scope.issued = try issueTokens(
                    login: customer.login, scopes: scopes, binding: scope.binding, refreshBinding: scope.binding, at: scope.now)
            } catch {
                throw .badRequest("\(error)", .invalidScope)
            }
        case .refresh(let source, let wanted): scope.issued = try refresh(source, named(wanted, scope), scope)
        case .code(let code, let redirect, let verifier):
            scope.issued = try exchange(code: code, redirect: redirect, verifier: verifier, scope)
        case .client(let wanted): scope.issued = try clientToken(named(wanted, scope), scope)
        case .revoke(let source):
            let token = text(source, scope).flatMap { tokens.token($0) }
            try requireClient(of: token, scope.request, at: scope.now)  // RFC 7009 §2.1
            guard let token else { return }
            alter(token.kind == .refresh ? tokens.tokens(ofFamily: token.family) : [token]) { $0.isRevoked = true }
        }
        // The response to a sign-in, and a row that it adds, may show whose it is.
        if let issued = scope.issued, let customer = customer(issued.access.customer) { scope.customer = customer }
    }

    /// The scopes that a request names; nil if it names none, and for an empty list, which counts as absent (RFC 6749 §3.2).
    private mutating func named(_ wanted: ValueSource?, _ scope: Scope) -> [String]? {
        let named = wanted.flatMap { text($0, scope) }?.split(separator: " ").map(String.init) ?? []
        return named.isEmpty ? nil : named
    }

    mutating func perform(_ insert: Operation.Insert, _ scope: inout Scope) throws(RequestRejection) {
        guard let table = prepared.tables[insert.table] else { return }
        let new = RowInsertion(table, insert.row, insert.stages)
        let consents = bank.consents[insert.table]
        let row = if let consents { try ask(new, consents, &scope) } else { try add(new, &scope) }
        if let row { scope.inserted = (insert.table, row) }
    }

    /// Moves money from one row to another: validates everything first, then books both postings at once.
    ///
    /// - Parameters:
    ///   - operation: the name of the operation.
    ///   - key: the idempotency key of the request; nil if there is none.
    ///   - event: what makes it, if no request does.
    mutating func perform(
        _ move: Operation.Move, named operation: String, key: String?, event: String? = nil, _ scope: inout Scope
    ) throws(RequestRejection) {
        let currency = text(move.currency, scope).flatMap { Currency($0) }
        let amount = currency.flatMap { self.amount(move, $0, scope) }
        let payees = named(move.to, scope)
        let magic = magicOutcome(of: amount, to: payees)
        if case .errorResponse(let name) = magic { throw RequestRejection(name) }
        guard let currency else {
            throw .badRequest(
                "found \(move.currency.location) \(shown(value(move.currency, scope))), expected an ISO 4217 code such as GBP")
        }
        guard let amount, amount.minorUnits > 0 else {
            throw .badRequest("found \(move.amount.location) \(shown(value(move.amount, scope))), expected \(move.unit.expected(currency))")
        }
        let from = try side(named(move.from, scope), move.from, scope, "pays")
        let to: PayingSide
        if let payee = magicPayee(payees) { to = payee } else { to = try side(payees, move.to, scope, "is paid") }
        guard from.account != to.account else { throw .badRequest("found one account twice, expected two") }
        for side in [from, to] where isClosed(side) {
            throw .badRequest("the account \(side.account.id) is closed", .accountClosed)
        }
        try require(currency, in: from)
        try require(currency, in: to)
        guard let left = balance(from).map({ $0.subtractingReportingOverflow(amount.minorUnits) }), !left.overflow else {
            throw RequestRejection(.insufficientFunds, "the account has less than \(amount)")
        }
        if isTooLow(left.partialValue, in: from) { throw RequestRejection(.insufficientFunds, "the account has less than \(amount)") }
        if balance(to)?.addingReportingOverflow(amount.minorUnits).overflow ?? false {
            throw .badRequest("the sum does not fit 64 bits of minor units")
        }
        let ending = ending(of: move, to: to.account, magic, at: scope.now)
        let movement = Movement(
            id: "movement-\(ledger.movements.count + 1)", operation: operation, key: key,
            customer: scope.customer?.login, state: ending?.pendingState ?? .settled, from: from.account, to: to.account,
            amount: amount, at: scope.now, ending: ending, event: event)
        guard ledger.accepts(movement, openings: (from.opening ?? 0, to.opening ?? 0)) else {
            throw .badRequest("the sum does not fit 64 bits of minor units")
        }
        make(.moved(movement))
        (scope.movement, scope.unit) = (movement, move.unit)
        try list(from: from, to: to, move.lists, &scope)
    }

    /// The spendable balance of an account; nil for a row that holds no money of this bank, such as a payee.
    package func spendable(_ account: Movement.Account) -> Money? {
        guard let side = party(account), let currency = side.currency, let units = balance(side) else { return nil }
        return Money(minorUnits: units, currency: currency)
    }

    /// The spendable balance in minor units; nil for a row that holds no money of this bank, such as a payee.
    func balance(_ side: PayingSide) -> Int64? {
        guard let opening = side.opening else { return nil }
        let (sum, overflow) = opening.addingReportingOverflow(ledger.spendableChange(of: side.account))
        return overflow ? nil : sum
    }

    /// Whether an account is closed: its row has the fields that say so.
    func isClosed(_ side: PayingSide) -> Bool {
        guard let closed = side.table.table.closed else { return false }
        return closed.members.allSatisfy { side.fields.at($0.key) == $0.value }
    }

    /// Whether a balance is lower than a payment may leave it.
    func isTooLow(_ units: Int64, in side: PayingSide) -> Bool { side.table.table.holds?.lowest.map { units < $0 } ?? false }

    /// An account with its row's balance.
    func side(_ account: Movement.Account, _ table: PreparedTable, _ fields: JSONObject) -> PayingSide {
        var side = PayingSide(account: account, table: table, fields: fields)
        guard let holds = table.table.holds, let currency = currency(holds, fields) else { return side }
        side.currency = currency
        side.opening = holds.amounts.first.flatMap { fields.at($0) }.flatMap { holds.unit.amount($0, currency)?.minorUnits }
        return side
    }

    /// The rows that a request names as an account, one for each possible table.
    private mutating func named(_ parents: [Operation.Parent], _ scope: Scope) -> [NamedAccount] {
        var named: [NamedAccount] = []
        named.reserveCapacity(parents.count)
        for parent in parents {
            guard let table = prepared.tables[parent.table], let key = text(parent.key, scope) else { continue }
            let row = row(table, key: key).flatMap { isVisible($0, of: table, to: scope.customer) ? $0 : nil }
            named.append(NamedAccount(table: table, key: key, row: row))
        }
        return named
    }

    /// The first of the accounts that exists and is visible.
    private mutating func side(
        _ named: [NamedAccount], _ candidates: [Operation.Parent], _ scope: Scope, _ does: String
    ) throws(RequestRejection) -> PayingSide {
        for account in named {
            guard let row = account.row else { continue }
            return side(Movement.Account(table: account.table.table.name, id: account.key), account.table, row.fields)
        }
        let found = candidates.first.flatMap { value($0.key, scope) }
        throw .badRequest(
            "found \(shown(found)) for the account that \(does), expected one of the customer's \(oneOf(candidates.map(\.table)))")
    }

    private func require(_ wanted: Currency, in side: PayingSide) throws(RequestRejection) {
        guard let currency = side.currency, currency != wanted else { return }
        throw .badRequest("found the currency \(wanted), expected \(currency), as \(side.account) has")
    }

    private func shown(_ value: JSON?) -> String {
        guard let text = value?.text else { return "nothing" }
        return text.count > 60 ? "\(text.prefix(60))…" : text
    }
}

// MARK: the move of money

/// A request's reference to an account, looked up once in one table.
struct NamedAccount {
    let table: PreparedTable
    let key: String
    /// Nil if no row has that key, or the customer may not see it.
    let row: TableRow?
}

/// A debited or credited account: its current row, looked up once.
struct PayingSide {
    let account: Movement.Account
    let table: PreparedTable
    let fields: JSONObject
    /// The currency of its money; nil for a row that holds no money of this bank.
    var currency: Currency?
    /// The balance in its row, in minor units.
    var opening: Int64?
}

extension AmountUnit {
    fileprivate func expected(_ currency: Currency) -> String {
        switch self {
        case .major: "an amount above zero as a text with at most \(currency.digits) digits after the point"
        case .minor: "a whole number of minor units above zero"
        case .number: "a number above zero with at most \(currency.digits) digits after the point"
        }
    }
}

extension TokenBook.Presented {
    var known: TokenBook.Token? { if case .known(let token) = self { token } else { nil } }
}
