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
}
