import BankModel

/// One document for everything, reached through a redirect; no tokens; Australian dollars by agreement.
package struct SnapshotBank: BankAdapter, AccountListing, BalanceReporting, TransactionListing, ATMListing {
    package let name = "snapshot"
    package let rules: any ResponseRules = PlainRules()
    package let usesTokens = false
    private let reading: Reading
    private let currency: Currency?

    package init(_ reading: Reading) {
        self.reading = reading
        currency = Currency("AUD")
    }

    package func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        let account = try needed(try await document(caller)["account"], "`account`")
        guard let id = account["accountNumber"]?.string, let name = account["accountName"]?.string, let currency else {
            throw ClientFailure(.decode, "found an account without number or name", mayHaveLeft: true)
        }
        let balance = reading.amounts.moneyOfNumber(account["balance"], currency)
        return Listing([Account(id: id, name: name, currency: currency, balance: balance)])
    }

    package func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        let document = try await document(caller)
        try check(account, in: document)
        let balance = reading.amounts.moneyOfNumber(document.at("account.balance"), currency)
        let available = reading.amounts.moneyOfNumber(document.at("account.available"), currency)
        return Balance(balance: try needed(balance, "balance"), available: available)
    }

    /// The rows come by day, latest first; within a day pending rows precede cleared ones, otherwise in the bank's order.
    package func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
    {
        let document = try await document(caller)
        try check(account, in: document)
        let known = Set((document["atms"]?.array ?? []).compactMap(ATM.init(json:)).map(\.id))
        // Rows of one day stay in order, and pending rows stand first.
        let pending = try needed(document["pending"]?.array, "list `pending`").map { (json: $0, pending: true) }
        let cleared = try needed(document["transactions"]?.array, "list `transactions`").map { (json: $0, pending: false) }
        let listing = try Listing(reading: pending + cleared, named: "transactions") { row($0.json, pending: $0.pending, known) }
        return listing.within(Days(period, in: reading.timeZone)).newestFirst().transactions
    }

    package func atms(_ caller: BankCaller) async throws(ClientFailure) -> Listing<ATM> {
        try Listing(reading: try await document(caller)["atms"]?.array, named: "atms", ATM.init(json:))
    }

    private func document(_ caller: BankCaller) async throws(ClientFailure) -> JSON {
        try await caller.json(.get("/s/data.json", query: [("dl", "1")], authorised: false))
    }

    private func check(_ account: String?, in document: JSON) throws(ClientFailure) {
        guard let account, account != document.at("account.accountNumber")?.string else { return }
        throw ClientFailure(.notFound, "the document belongs to an account other than \(account)", mayHaveLeft: true)
    }

    private func row(_ row: JSON, pending: Bool, _ known: Set<String>) -> Dated<CivilDate>? {
        guard let id = row["id"]?.string, let date = row["effectiveDate"]?.string.flatMap(CivilDate.init(dayMonthYear:)),
            let amount = reading.amounts.moneyOfNumber(row["amount"], currency)
        else { return nil }
        return Dated(
            transaction: Transaction(
                id: id, date: date, description: Markup.plain(row["description"]?.string ?? ""), amount: amount, statesCurrency: false,
                pending: pending, atm: row["atmId"]?.string.flatMap { known.contains($0) ? $0 : nil }),
            at: date)
    }
}
