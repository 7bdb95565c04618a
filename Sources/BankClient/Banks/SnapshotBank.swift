import BankModel

/// One document for everything, reached through a redirect; no tokens; Australian dollars by agreement.
public struct SnapshotBank: BankAdapter, AccountListing, BalanceTelling, TransactionListing, ATMListing {
    public let name = "snapshot"
    public let rules: any ReplyRules = PlainRules()
    public let usesTokens = false
    private let reading: Reading
    private let currency: Currency?

    public init(_ reading: Reading) { (self.reading, currency) = (reading, Currency("AUD")) }

    public func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        let account = try needed(try await document(caller)["account"], "`account`")
        guard let id = account["accountNumber"]?.string, let name = account["accountName"]?.string, let currency else {
            throw ClientFailure(.decode, "found an account without number or name", mayHaveLeft: true)
        }
        return Listing([Account(id: id, name: name, currency: currency, balance: money(account["balance"]))])
    }

    public func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        let document = try await document(caller)
        try check(account, in: document)
        return Balance(
            balance: try needed(money(document.at("account.balance")), "balance"), available: money(document.at("account.available")))
    }

    /// By day, latest first; within a day what is pending before what is cleared, else as the bank has them.
    public func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction> {
        let document = try await document(caller)
        try check(account, in: document)
        let known = Set(atms(in: document).rows.map(\.id))
        let pending = try Listing(reading: document["pending"]?.array, named: "pending") { row($0, pending: true, known) }
        let cleared = try Listing(reading: document["transactions"]?.array, named: "transactions") { row($0, pending: false, known) }
        let settled = Set(cleared.rows.map(\.transaction.id))
        // What is equally new stays in order, and pending rows stand first.
        let rows = pending.rows.filter { !settled.contains($0.transaction.id) } + cleared.rows
        let days = Days(period, in: reading.timeZone)
        let listing = Listing(rows.filter { days.contains($0.at) }, setAside: pending.setAside + cleared.setAside)
        return listing.newestFirst().transactions
    }

    public func atms(_ caller: BankCaller) async throws(ClientFailure) -> Listing<ATM> {
        let document = try await document(caller)
        _ = try needed(document["atms"]?.array, "list `atms`")
        return atms(in: document)
    }

    private func document(_ caller: BankCaller) async throws(ClientFailure) -> JSON {
        try await caller.json(.get("/s/data.json", query: [("dl", "1")], authorised: false))
    }

    private func atms(in document: JSON) -> Listing<ATM> {
        let rows = document["atms"]?.array ?? []
        let readable = rows.compactMap(ATM.init(json:))
        return Listing(readable, setAside: rows.count - readable.count)
    }

    private func check(_ account: String?, in document: JSON) throws(ClientFailure) {
        guard let account, account != document.at("account.accountNumber")?.string else { return }
        throw ClientFailure(.notFound, "the document is of another account than \(account)", mayHaveLeft: true)
    }

    private struct Row: DatedRow {
        var transaction: Transaction
        var at: CivilDate
    }

    private func row(_ row: JSON, pending: Bool, _ known: Set<String>) -> Row? {
        guard let id = row["id"]?.string, let date = row["effectiveDate"]?.string.flatMap(CivilDate.init(dayMonthYear:)),
            let amount = money(row["amount"])
        else { return nil }
        return Row(
            transaction: Transaction(
                id: id, date: date, description: Markup.plain(row["description"]?.string ?? ""), amount: amount, statesCurrency: false,
                pending: pending, atm: row["atmId"]?.string.flatMap { known.contains($0) ? $0 : nil }),
            at: date)
    }

    private func money(_ json: JSON?) -> Money? {
        guard let number = json?.number, let currency else { return nil }
        return reading.amounts.money(major: number, currency)
    }
}
