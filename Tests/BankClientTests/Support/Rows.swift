/// The answers of each bank's list of transactions, built from the few differences of a test.
enum Rows {
    /// The banks that list transactions.
    static let banks = ["counterfoil", "roundup", "bins", "snapshot", "feed"]

    /// One incoming row of one pound, euro or dollar.
    static func row(_ bank: String, _ id: String, _ date: String) -> String {
        switch bank {
        case "roundup":
            #"{"feedItemUid":"\#(id)","amount":{"currency":"GBP","minorUnits":100},"direction":"IN","transactionTime":"\#(date)","reference":"r"}"#
        case "bins": #"{"id":"\#(id)","date":"\#(date)","amount":1.00,"description":"d"}"#
        case "snapshot": #"{"id":"\#(id)","effectiveDate":"\#(date)","description":"d","amount":1.00}"#
        case "feed": #"{"id":"\#(id)","date":"\#(date)","description":"d","amount":{"value":1,"currency_iso":"GBP"}}"#
        default: counterfoil(id, date)
        }
    }

    /// A row of the model bank.
    ///
    /// - Parameter more: further members, such as `"replaces":"t0"`.
    static func counterfoil(
        _ id: String, _ date: String, amount: String = "1.00", currency: String = "GBP", direction: String = "credit",
        status: String = "booked", more: String = ""
    ) -> String {
        let tail = more.isEmpty ? "" : "," + more
        return
            #"{"id":"\#(id)","booked_at":"\#(date)","status":"\#(status)","direction":"\#(direction)","amount":{"amount":"\#(amount)","currency":"\#(currency)"},"description":"d"\#(tail)}"#
    }

    /// A complete answer with these rows. Bank `snapshot`: cleared ones.
    static func body(_ bank: String, _ rows: [String], pending: [String] = []) -> String {
        let list = "[" + rows.joined(separator: ",") + "]"
        return switch bank {
        case "roundup": #"{"feedItems":\#(list)}"#
        case "bins": #"{"items":\#(list)}"#
        case "snapshot":
            #"{"account":{"accountName":"n","accountNumber":"1","available":1,"balance":1},"transactions":\#(list),"pending":[\#(pending.joined(separator: ","))],"atms":[]}"#
        case "feed": #"{"data":\#(list)}"#
        default: #"{"transactions":\#(list)}"#
        }
    }

    /// A client of a bank that answers every request with these rows.
    static func client(_ bank: String, zone: String = "UTC", _ rows: [String]) async throws -> Bank {
        let body = body(bank, rows)
        return try await Bank(bank, zone: zone) { _, _ in .json(200, body) }
    }

    /// The account to query; nil if the bank has none.
    static func account(_ bank: String) -> String? { bank == "counterfoil" || bank == "roundup" ? "a" : nil }
}
