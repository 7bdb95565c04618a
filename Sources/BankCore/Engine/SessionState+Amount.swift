package import BankModel

extension SessionState {
    /// The amount that a request asks to move; nil if it states none in the move's unit.
    mutating func amount(_ move: Operation.Move, _ currency: Currency, _ scope: Scope) -> Money? {
        guard var written = value(move.amount, scope) else { return nil }
        // A form has texts only: `amount=1230` is a number there.
        if case .form? = move.amount.inRequest, move.unit != .major, let number = written.string.flatMap({ JSONNumber($0) }) {
            written = .number(number)
        }
        if bank.dialect.moreDigits == .refused, move.unit != .minor, written.digitsAfterPoint > currency.digits { return nil }
        return move.unit.amount(written, currency)
    }

    /// The spendable balances of the first accounts, table by table, in the order of their rows.
    ///
    /// - Parameter limit: the largest number of balances.
    package func balances(limit: Int) -> [(account: Movement.Account, money: Money)] {
        var found: [(account: Movement.Account, money: Money)] = []
        for name in prepared.tables.keys.sorted() {
            guard let table = prepared.tables[name], table.table.holds != nil else { continue }
            let keys = (0..<min(table.count, limit)).map { table.row($0).key } + (rows.added[name]?.rows.prefix(limit).map(\.key) ?? [])
            var known: Set<String> = []
            for key in keys where found.count < limit && known.insert(key).inserted {
                let account = Movement.Account(table: name, id: key)
                if let money = spendable(account) { found.append((account, money)) }
            }
        }
        return found
    }

    /// The magic outcome of a payment by its amount or else its payee; nil if neither is magic.
    ///
    /// - Parameters:
    ///   - amount: the request's amount; nil if it has none that is readable.
    ///   - payees: the rows that the request names as the credited account.
    func magicOutcome(of amount: Money?, to payees: [NamedAccount]) -> MagicOutcome? {
        if let amount, let outcome = prepared.bank.dialect.magic.amounts[amount.minorUnits] { return outcome }
        // Payees are not examined if none is magic.
        if prepared.bank.dialect.magic.payees.isEmpty { return nil }
        for payee in payees {
            if let outcome = prepared.bank.dialect.magic.payees[payee.key] { return outcome }
            guard let members = payee.row?.fields.members else { continue }
            for position in members.indices {
                guard case .string(let text) = members[position].value else { continue }
                if let outcome = prepared.bank.dialect.magic.payees[text] { return outcome }
            }
        }
        return nil
    }

    /// A payee that is magic by its key alone, if payees hold no money of this bank; nil for any other.
    func magicPayee(_ payees: [NamedAccount]) -> PayingSide? {
        for payee in payees where payee.table.table.holds == nil {
            guard prepared.bank.dialect.magic.payees[payee.key] == .rejected else { continue }
            return PayingSide(
                account: Movement.Account(table: payee.table.table.name, id: payee.key), table: payee.table, fields: JSONObject())
        }
        return nil
    }

    /// The response to a sign-in with the password `error_<name>`: the operation's own rejection or the dialect's response of that
    /// name.
    ///
    /// - Returns: nil for any other password, which is an ordinary wrong one.
    func rejection(magicPassword password: String) -> RequestRejection? {
        guard password.hasPrefix("error_") else { return nil }
        let name = String(password.dropFirst("error_".count))
        if let situation = Operation.RejectionReason(rawValue: name) { return RequestRejection(name: .badRequest, situation: situation) }
        return DialectResponseName(rawValue: name).map { RequestRejection($0) }
    }
}

extension JSON {
    /// The number of digits after the point of a number, or of a text that spells one; 0 for anything else.
    var digitsAfterPoint: Int {
        guard let text = number?.digits ?? string, let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return 0 }
        return text.utf8[point...].dropFirst().prefix(while: \.isDigit).count
    }
}
