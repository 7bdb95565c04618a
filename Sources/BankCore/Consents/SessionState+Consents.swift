import BankModel

/// Consents: rows of a table, from the request of an app to their end.
extension SessionState {
    /// Private fields of a consent's row.
    enum Hidden {
        static let customer = "_customer"
        static let accounts = "_accounts"
        /// The body of the request that has added it.
        static let body = "_body"
    }

    /// A consent that exists, with its table's rules.
    struct FoundConsent {
        let id: RowID
        let policy: ConsentPolicy
        let row: TableRow

        /// A state for which the bank has no word counts as revoked.
        var state: ConsentState { policy.state(of: row.fields) ?? .revoked }

        var accounts: [String] { row.fields[Hidden.accounts]?.array?.compactMap(\.string) ?? [] }

        var permissions: [String] {
            let listed = policy.permissions.flatMap { row.fields.at($0) }
            return listed?.object?.keys ?? listed?.array?.compactMap(\.string) ?? []
        }

        /// The body of the request for it.
        var body: JSON? { row.fields[Hidden.body] }

        /// The names of the accounts for which it asks; empty if for all of the customer.
        var named: [String] {
            switch policy.asked?.path.find(in: .object(row.fields)) {
            case .one(let value)?: value.array?.map(\.plainText) ?? [value.plainText]
            case .several(let values)?: values.map(\.plainText)
            case .nothing?, nil: []
            }
        }
    }

    func consent(_ id: RowID) -> FoundConsent? {
        guard let policy = bank.consents[id.table], let row = row(id.table, key: id.key) else { return nil }
        return FoundConsent(id: id, policy: policy, row: row)
    }

    /// The consent with that key, in whatever table.
    private func consent(key: String) -> FoundConsent? {
        bank.consents.keys.sorted().lazy.compactMap { consent(RowID(table: $0, key: key)) }.first
    }

    /// The consent that a token carries; nil if it carries none, and covers everything.
    func consent(of token: TokenBook.Token) -> RowID? { authorizations.authorization(ofFamily: token.family)?.request.consent }

    /// Whether the consent that a token carries is in force; true for a token without one.
    func isConsented(_ token: TokenBook.Token) -> Bool { consent(of: token).map { consent($0)?.state.allows ?? false } ?? true }

    /// All consents, in the order in which they were added.
    package var consents: [Consent] {
        bank.consents.keys.sorted().flatMap { table in
            (rows.added[table]?.rows ?? []).filter { $0.isThere(at: present) }.compactMap { row in
                consent(RowID(table: table, key: row.key)).map(shown)
            }
        }
    }

    private func shown(_ found: FoundConsent) -> Consent {
        Consent(
            id: found.id, state: found.state, customer: found.row.fields[Hidden.customer]?.string, accounts: found.accounts,
            permissions: found.permissions, expiresAt: found.row.until.nanoseconds == .max ? nil : found.row.until)
    }

    // MARK: what a token may do

    /// The consent of a token, which must be in force.
    func inForce(_ id: RowID) throws(RequestRejection) -> FoundConsent {
        let found = consent(id)
        let state = found?.state ?? .revoked
        guard let found, state.allows else {
            let words = state == .expired ? "The consent has expired." : "The consent was revoked."
            throw RequestRejection(name: .consentExpired, detail: words, consent: state)
        }
        return found
    }

    /// Requires that the consent of a token has the operation's permission.
    ///
    /// - Returns: the customer, who sees only the accounts that it covers.
    func consenting(_ found: FoundConsent, _ customer: Customer?, _ operation: Operation) throws(RequestRejection) -> Customer? {
        if !operation.permissions.isEmpty, found.permissions.allSatisfy({ !operation.permissions.contains($0) }) {
            throw RequestRejection(.scopeRefused, "the consent lacks the permission \(operation.permissions.joined(separator: " or "))")
        }
        return limited(customer, by: found)
    }

    /// The customer, who sees only the accounts that a consent covers.
    func limited(_ customer: Customer?, by consent: FoundConsent) -> Customer? {
        guard let covers = consent.policy.covers else { return customer }
        return customer.map { Customer($0, limitedTo: [covers: Set(consent.accounts)]) }
    }

    /// Uses the consent of the request's token, once.
    mutating func use(_ use: Operation.ConsentUse, _ scope: inout Scope) throws(RequestRejection) {
        func wrong(_ words: String) -> RequestRejection { RequestRejection.badRequest(words, .wrongConsent) }
        guard let key = text(use.consent.key, scope), let id = scope.token.flatMap(consent),
            id == RowID(table: use.consent.table, key: key), let found = consent(id)
        else { throw wrong("The consent is unknown, or not the one of the token.") }
        guard found.state == .authorised else { throw wrong("The consent is \(found.state.rawValue), expected it authorised.") }
        for path in use.same where scope.json?.at(path) != found.body?.at(path) {
            throw wrong("The body's \(path) is not that of the consent.")
        }
        replace(found, by: .used, at: scope.now)
    }

    /// A property of the consent that a request's token carries, of the one that ends it, or of the one that a webhook is about.
    func consentValue(_ field: ValueSource.ConsentField, _ scope: Scope) -> JSON? {
        switch field {
        case .account:
            let covered = scope.token.flatMap(consent).flatMap(consent)?.accounts.first
            return (scope.consentAccount ?? covered).map(JSON.string)
        case .byState(let values): return scope.consentState.flatMap { values[$0] }
        }
    }

    // MARK: from the request to the end

    /// Adds the consent for which an operation asks, or that a sign-in makes for a client.
    mutating func ask(
        _ insert: RowInsertion, _ policy: ConsentPolicy, _ scope: inout Scope, for asker: String? = nil
    ) throws(RequestRejection) -> TableRow? {
        guard let fields = try fields(insert.row, &scope) else { return nil }
        if let text = policy.until.flatMap({ fields.at($0.path) })?.plainText {
            guard let end = end(text), end > scope.now else {
                throw .badRequest("found \(text.prefix(40)) for the end of the consent, expected an instant or a day in the future")
            }
        }
        if let redirect = policy.redirect, !scope.isDecoupled {
            let address = fields.at(redirect)?.string ?? ""
            guard bank.signIn?.clients.contains(where: { $0.acceptsReturn(to: address) }) ?? false else {
                throw .badRequest("the address to return to is not one that a client has registered")
            }
        }
        var object = fields
        show(.awaiting, policy, in: &object, at: scope.now)
        if let body = scope.json { object[Hidden.body] = body }
        if let owner = asker ?? scope.token.flatMap({ client(of: $0) }) { object[Hidden.client] = .string(owner) }
        return try add(TableRow(object, insert.table.table, since: scope.now), insert)
    }

    /// Authorises a consent; the move of its operation is made now.
    ///
    /// - Parameter chosen: the accounts that the customer shares; nil for all that it asks for.
    /// - Returns: false if the consent no longer awaits the customer, or can do nothing with their accounts or money: it is rejected then.
    mutating func authorise(_ id: RowID, _ customer: Customer, accounts chosen: [String]? = nil, at now: Instant) -> Bool {
        guard let found = consent(id), found.state == .awaiting else { return false }
        let accounts = covered(by: found, of: customer).filter { chosen?.contains($0) ?? true }
        var end = found.policy.lifetime.map { now + $0 }
        if let wanted = found.policy.until.flatMap({ found.row.fields.at($0.path)?.plainText }).flatMap(self.end) {
            end = min(end ?? wanted, wanted)
        }
        // A customer without accounts can sign in where that makes the consent.
        let isEmpty = accounts.isEmpty && (chosen != nil || found.policy.row == nil)
        guard found.policy.covers == nil || !isEmpty, end.map({ $0 > now }) ?? true else {
            replace(found, by: .rejected, at: now)
            return false
        }
        var object = found.row.fields
        object[Hidden.customer] = .string(customer.login)
        object[Hidden.accounts] = .array(accounts.map(JSON.string))
        if let field = found.policy.accounts { object.set(.array(accounts.map(JSON.string)), at: field) }
        if let end, let until = found.policy.until { object.set(.string(until.style.text(end)), at: until.path) }
        let origin: TableRow.Origin?
        let mark = log.changes.count
        do throws(RequestRejection) { origin = try pay(found, customer, accounts, at: now) } catch {
            rollBack(to: mark)
            replace(found, by: .rejected, at: now)
            return false
        }
        replace(found, by: .authorised, fields: object, until: end, origin: origin, at: now)
        return true
    }

    /// The customer does not authorise it.
    mutating func reject(_ id: RowID, at now: Instant) {
        if let found = consent(id), found.state == .awaiting { replace(found, by: .rejected, at: now) }
    }

    /// Ends a consent that is in force, or awaits the customer; one that has ended stays as it is.
    mutating func revoke(_ consent: Operation.Parent, _ scope: Scope) throws(RequestRejection) {
        guard let key = text(consent.key, scope), let found = self.consent(RowID(table: consent.table, key: key)),
            isConsent(found, of: scope.token.flatMap { client(of: $0) })
        else {
            throw RequestRejection(.notFound, "there is no such consent")
        }
        if isInForce(found) { replace(found, by: .terminated, at: scope.now) }
    }

    /// Ends a consent as the customer does it elsewhere, such as on the bank's website.
    ///
    /// - Parameter key: nil for the newest that is authorised.
    mutating func revokeConsent(_ key: String?, at now: Instant) throws(EventError) -> Consent {
        if bank.consents.isEmpty { throw .impossible("the bank \(bank.name) has no `consents`") }
        guard let found = key == nil ? newestAuthorised : key.flatMap({ consent(key: $0) }) else { throw .unknownConsent(key) }
        guard isInForce(found) else { throw .wrongState(payment: found.id.key, found: found.state.rawValue, expected: "authorised") }
        replace(found, by: .revoked, at: now)
        return consent(found.id).map(shown) ?? shown(found)
    }

    /// The authorised consent that was changed last, of those that can be ended.
    private var newestAuthorised: FoundConsent? {
        consents.compactMap { consent($0.id) }.last { isInForce($0) && $0.state == .authorised }
    }

    /// Whether it awaits the customer or was authorised; a payment that was authorised is made, and cannot be ended.
    private func isInForce(_ found: FoundConsent) -> Bool {
        found.state == .awaiting || found.state == .authorised && prepared.router.mover(into: found.id.table) == nil
    }

    // MARK: rows

    /// The rules of the consents that sign-ins make; nil if they make none.
    var madePolicy: ConsentPolicy? { bank.consents.values.filter { $0.row != nil }.min { $0.table < $1.table } }

    /// The rules of the consent that a request is about, or that its sign-in makes; nil if there is none.
    func policy(of request: AuthorizationRequest) -> ConsentPolicy? {
        if let consent = request.consent { bank.consents[consent.table] } else { madePolicy }
    }

    /// The accounts that a customer can share by a request, with the names that the page shows.
    func choices(_ request: AuthorizationRequest, of customer: Customer) -> [SignInPage.Choice] {
        guard let policy = policy(of: request), let covers = policy.covers, let table = prepared.tables[covers] else { return [] }
        let keys = request.consent.flatMap(consent).map { covered(by: $0, of: customer) } ?? owned(covers, by: customer)
        return keys.map { key in
            let label = policy.label.flatMap { row(table, key: key)?.fields.at($0)?.plainText }
            return SignInPage.Choice(key: key, label: label ?? key)
        }
    }

    /// The keys of a customer's accounts, in the order of the fixture.
    private func owned(_ covers: String, by customer: Customer) -> [String] {
        guard let table = prepared.tables[covers] else { return [] }
        return (customer.owns[covers] ?? []).sorted {
            (table.positions(ofKey: $0).first ?? 0) < (table.positions(ofKey: $1).first ?? 0)
        }
    }

    /// The accounts of a customer for which a consent asks, in the order of the fixture.
    func covered(by found: FoundConsent, of customer: Customer) -> [String] {
        guard let covers = found.policy.covers, let table = prepared.tables[covers] else { return [] }
        let owned = owned(covers, by: customer)
        let named = found.named
        guard let asked = found.policy.asked, !named.isEmpty else { return owned }
        return owned.filter { key in row(table, key: key).flatMap { $0.fields.at(asked.field)?.plainText }.map(named.contains) ?? false }
    }

    func show(_ state: ConsentState, _ policy: ConsentPolicy, in object: inout JSONObject, at now: Instant) {
        object.set(policy.word(state), at: policy.state)
        if let changed = policy.changed { object.set(.string(changed.style.text(now)), at: changed.path) }
    }

    /// Replaces a consent's row from now on.
    ///
    /// - Parameter end: when it expires; nil for never.
    private mutating func replace(
        _ found: FoundConsent, by state: ConsentState, fields: JSONObject? = nil, until end: Instant? = nil,
        origin: TableRow.Origin? = nil, at now: Instant
    ) {
        guard let table = prepared.tables[found.id.table] else { return }
        let position = found.row.position
        var first: Int32?
        for number in rows.added[found.id.table]?.numbers(ofKey: found.id.key) ?? [] {
            guard let old = rows.added[found.id.table]?.rows[Int(number)], old.until > now, old.since < old.until else { continue }
            if old.since <= now { first = number }
            make(.ended(table: found.id.table, row: Int(number), at: max(now, old.since), before: old.until))
        }
        func add(_ state: ConsentState, since: Instant, until: Instant) {
            var object = fields ?? found.row.fields
            show(state, found.policy, in: &object, at: since)
            let row = TableRow(
                object, table.table, since: since, until: until, position: position ?? first.map(TableRow.Position.added),
                origin: origin ?? found.row.origin)
            make(.added(table: found.id.table, row: row))
        }
        add(state, since: now, until: end ?? Instant(nanoseconds: .max))
        if let end { add(.expired, since: end, until: Instant(nanoseconds: .max)) }
    }

    /// An instant, or the last one of a day.
    private func end(_ text: String) -> Instant? {
        Instant(rfc3339: text) ?? CivilDate(text).map { Instant($0, nanosecondsOfDay: Instant.nanosecondsPerDay - 1) }
    }
}
