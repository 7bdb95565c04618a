import BankModel

/// One row of a generated bank's list.
struct Transaction: Sendable {
    /// Its number in the bank: the newest has the greatest.
    var serial = 0
    /// In the bank's list of accounts.
    let account: Int
    /// When it was booked: seconds after midnight UTC.
    var second: Int
    var isPending = false
    var isCredit = false
    var kind: Kind
    /// In minor units of the account's currency.
    var amount: Int64
    var description: String
    var counterparty: String?
    /// In minor units of the account's currency.
    var fee: Int64?
    /// The cash machine's id.
    var machine: String?
    /// The number of the pending row in whose place this one stands.
    var replaces: Int?

    /// As the model bank names them.
    enum Kind: String, Sendable {
        case card, transfer, cash, fee
        /// Between accounts of one customer.
        case own = "internal"
    }

    /// The row as the fixture has it.
    ///
    /// - Parameters:
    ///   - owner: the account that it belongs to.
    ///   - odd: the dates to be written in place of the row's own.
    func json(of owner: Account, on date: CivilDate, odd: OddDates.Pair) -> JSON {
        let booked = odd.booked ?? (Instant(date) + .seconds(second)).rfc3339()
        return .object(known: [
            "id": .string("tx-\(serial)"), "_account": .string(owner.id), "booked_at": .string(booked),
            "value_date": isPending ? nil : .string(odd.value ?? date.description),
            "status": .string(isPending ? "pending" : "booked"), "direction": .string(isCredit ? "credit" : "debit"),
            "kind": .string(kind.rawValue), "amount": owner.level.json(amount), "description": .string(description),
            "counterparty": counterparty.map(JSON.string), "fee": fee.map(owner.level.json), "atm_id": machine.map(JSON.string),
            "replaces": replaces.map { .string("tx-\($0)") },
        ])
    }
}
