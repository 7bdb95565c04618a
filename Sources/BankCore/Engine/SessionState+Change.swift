import BankModel

/// Operations that change or remove a row.
extension SessionState {
    /// Changes a row, in all its stages.
    mutating func perform(_ update: Operation.Update, _ scope: inout Scope) throws(RequestRejection) {
        let (row, table) = try self.row(update.row, scope)
        guard let changes = try fields(update.changes, &scope) else { return }
        replace(row.key, of: table, at: scope.now) { $0.overlaid(with: changes) }
    }

    /// Removes a row.
    mutating func perform(_ delete: Operation.Parent, _ scope: Scope) throws(RequestRejection) {
        let (row, table) = try self.row(delete, scope)
        let account = Movement.Account(table: delete.table, id: row.key)
        let side = side(account, table, row.fields)
        let isPending = ledger.change(of: account) != ledger.settledChange(of: account)
        if let currency = side.currency, let units = balance(side), units != 0 || isPending {
            let money = isPending ? "pending payments" : "\(Money(minorUnits: units, currency: currency))"
            throw .badRequest("found \(money) in \(row.key), expected an empty one: it cannot be removed with money")
        }
        replace(row.key, of: table, at: scope.now) { _ in nil }
        removeWebhook(of: RowID(table: account.table, key: row.key))
    }

    /// Ends the pending payment that a row shows: its money returns. A payment that is cancelled already stays so.
    mutating func cancelPayment(_ payment: Operation.Parent, _ scope: Scope) throws(RequestRejection) {
        let (row, _) = try self.row(payment, scope)
        let movement = row.origin.map { ledger.movements[Int($0.movement)] }
        guard let number = row.origin.map({ Int($0.movement) }), movement?.state.isPending ?? false else {
            if movement?.state == .cancelled { return }
            throw .badRequest("the payment is no longer pending: it cannot be cancelled", .notPending)
        }
        do throws(EventError) { try end(number, as: .cancelled, at: scope.now) } catch { throw .badRequest("\(error)") }
    }

    /// Uses the quote that a payment names, if it names one: the row is removed, so that no other payment can use it.
    mutating func use(_ quote: Operation.Quote, _ scope: inout Scope) throws(RequestRejection) {
        guard let table = prepared.tables[quote.row.table], let named = value(quote.row.key, scope), named != .null else { return }
        let key = named.plainText
        guard let row = row(table, key: key), isVisible(row, of: table, to: scope.customer) else {
            throw .badRequest("the quote does not exist, or was used", .quoteEnded)
        }
        let expires = field(quote.expires, of: row)?.string.flatMap(Instant.init(rfc3339:))
        guard let expires, scope.now < expires else {
            throw .badRequest("the quote has expired; ask for another", .quoteEnded)
        }
        for fixed in quote.fixes where row.fields.at(fixed.field)?.plainText != text(fixed.value, scope) {
            throw .badRequest("the quote is for another `\(fixed.field)`", .quoteEnded)
        }
        replace(key, of: table, at: scope.now) { _ in nil }
    }

    /// Requires that the client knows the latest representation, if it must know it or claims to.
    mutating func require(_ condition: Operation.IfMatch, _ scope: inout Scope) throws(RequestRejection) {
        guard let known = scope.request.headers.precondition else {
            guard condition.isRequired else { return }
            throw .badRequest("the header If-Match is missing; expected the ETag of the latest response", .preconditionRequired)
        }
        guard let read = prepared.router.operation(condition.read) else { return }
        var present = self
        var reading = Scope(
            request: scope.request, parameters: scope.parameters, customer: scope.customer, token: scope.token, now: scope.now)
        let tag = EntityTag(of: try present.response(read, &reading).body)
        guard !tag.isMatched(by: known) else { return }
        throw .badRequest("If-Match does not name the current ETag; get the latest response and try again", .preconditionFailed)
    }

    private mutating func row(_ parent: Operation.Parent, _ scope: Scope) throws(RequestRejection) -> (TableRow, PreparedTable) {
        guard let table = prepared.tables[parent.table] else { throw RequestRejection(.notFound, "there is no table \(parent.table)") }
        let key = text(parent.key, scope)
        guard let key, let row = row(table, key: key), isVisible(row, of: table, to: scope.customer) else {
            throw RequestRejection(.notFound, "no row of \(parent.table) with \(table.table.key) = \(key ?? "nothing")")
        }
        return (row, table)
    }

    /// Replaces the rows with a key, those that exist and those that will; they are removed where the change gives nil.
    mutating func replace(_ key: String, of table: PreparedTable, at now: Instant, _ changed: (JSONObject) -> JSONObject?) {
        let name = table.table.name
        let added = rows.added[name]?.numbers(ofKey: key) ?? []
        if rows.added[name]?.row(key: key, at: now) == nil, !rows.isHidden(key, of: name, at: present) {
            make(.hidden(table: name, key: key, since: now))
            for position in table.positions(ofKey: key) {
                guard let fields = changed(table.row(position).fields) else { continue }
                let row = TableRow(fields, table.table, since: now, position: .fixture(Int32(position)))
                make(.added(table: name, row: row))
            }
        }
        for number in added {
            guard let old = rows.added[name]?.rows[Int(number)], old.until > now, old.since < old.until else { continue }
            let since = max(now, old.since)
            make(.ended(table: name, row: Int(number), at: since, before: old.until))
            guard let fields = changed(old.fields) else { continue }
            let row = TableRow(
                fields, table.table, since: since, until: old.until, position: old.position ?? .added(number), origin: old.origin)
            make(.added(table: name, row: row))
        }
    }
}
