import BankModel

extension SessionState {
    /// What comes of a payment by its amount or else its payee; nil where neither is magic.
    ///
    /// - Parameter amount: as the request has it; nil if it has none that can be read.
    mutating func magicOutcome(_ move: Operation.Move, of amount: Money?, _ scope: Scope) -> MagicOutcome? {
        let magic = prepared.bank.dialect.magic
        guard !magic.isEmpty else { return nil }
        if let amount, let outcome = magic.amounts[amount.minorUnits] { return outcome }
        // Payees that hold no magic word are not looked up.
        if magic.payees.isEmpty { return nil }
        for candidate in move.to {
            guard let key = text(candidate.key, scope) else { continue }
            if let outcome = magic.payees[key] { return outcome }
            guard let row = row(candidate.table, key: key), isVisible(row, of: candidate.table, to: scope.customer) else { continue }
            if let outcome = row.fields.members.lazy.compactMap({ $0.value.string.flatMap { magic.payees[$0] } }).first { return outcome }
        }
        return nil
    }

    /// A payee that is magic by its key alone, where payees hold no money of the bank's own; nil for any other.
    mutating func magicPayee(_ move: Operation.Move, _ scope: Scope) -> PayingSide? {
        for candidate in move.to {
            guard let table = prepared.tables[candidate.table], table.table.holds == nil, let key = text(candidate.key, scope),
                bank.dialect.magic.payees[key] == .rejected
            else { continue }
            return PayingSide(account: Movement.Account(table: candidate.table, id: key), table: table, fields: JSONObject())
        }
        return nil
    }

    /// What a sign-in with the password `error_<name>` gets: the operation's own refusal or the dialect's reply of that name.
    ///
    /// - Returns: nil for any other password, which is as wrong as others.
    func refusal(magicPassword password: String) -> Refused? {
        guard password.hasPrefix("error_") else { return nil }
        let name = String(password.dropFirst("error_".count))
        if let situation = Operation.Refusal(rawValue: name) { return Refused(.badRequest, situation: situation) }
        return DialectReplyName(rawValue: name).map { Refused($0) }
    }
}
