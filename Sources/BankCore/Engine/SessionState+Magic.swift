import BankModel

extension SessionState {
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
            if let outcome = prepared.bank.dialect.magic.outcome(ofPayee: payee.key) { return outcome }
            guard let members = payee.row?.fields.object.members else { continue }
            for position in members.indices {
                guard case .string(let text) = members[position].value else { continue }
                if let outcome = prepared.bank.dialect.magic.outcome(ofPayee: text) { return outcome }
            }
        }
        return nil
    }

    /// A payee that is magic by its key alone, if payees hold no money of this bank; nil for any other.
    func magicPayee(_ payees: [NamedAccount]) -> PayingSide? {
        for payee in payees where payee.table.table.holds == nil {
            guard prepared.bank.dialect.magic.outcome(ofPayee: payee.key) == .rejected else { continue }
            return PayingSide(
                account: Movement.Account(table: payee.table.table.name, id: payee.key), table: payee.table, fields: .none)
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
        if let situation = Operation.RejectionReason(rawValue: name) { return RequestRejection(.badRequest, situation: situation) }
        return DialectResponseName(rawValue: name).map { RequestRejection($0) }
    }
}
