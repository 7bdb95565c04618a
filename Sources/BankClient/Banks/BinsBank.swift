import BankModel

/// One public list, whole or in pages: no tokens, no accounts, no currency. The sum of the list is the balance.
///
/// The list is as untidy as real ones are: duplicate ids, impossible dates, missing fees and descriptions.
package struct BinsBank: BankAdapter, BalanceReporting, TransactionListing {
    package let name = "bins"
    package let rules: any ResponseRules = PlainRules()
    package let usesTokens = false
    private let reading: Reading
    /// The currency agreed with the bank, which states none.
    private let currency: Currency?

    package init(_ reading: Reading) {
        self.reading = reading
        currency = Currency("EUR")
    }

    /// The sum of amounts and fees of the rows that are shown.
    package func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        try check(account)
        let rows = try await caller.json(.get("/bins/1a30k8", authorised: false))
        let listing = try Listing(reading: rows.array, named: "of rows", entry).newestFirst()
        var sum = currency.map { Money(minorUnits: 0, currency: $0) }
        for row in listing.rows {
            sum = sum?.adding(row.transaction.amount)
            if let fee = row.fee { sum = sum?.adding(fee) }
        }
        return Balance(balance: try needed(sum, "sum below 2^63 minor units"), statesCurrency: false)
    }

    /// The rows come latest first; of rows with the same id the newest counts. An amount does not include its fee.
    package func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
    {
        try check(account)
        let (rows, isComplete) = try await reading.pages.read { cursor throws(ClientFailure) in
            let json = try await caller.json(.get("/bins/1a30k8/pages", query: [("cursor", cursor), ("limit", "10")], authorised: false))
            return ListPage(rows: try needed(json["items"]?.array, "list `items`"), next: json["next"]?.string)
        }
        var listing = try Listing(reading: rows, named: "items", entry).newestFirst()
        listing.rows = listing.rows.filter { period.contains($0.at) }
        listing.isComplete = isComplete
        return listing.transactions
    }

    private struct BinsRow: DatedRow {
        var transaction: Transaction
        var fee: Money?
        var at: Instant
    }

    private func entry(_ row: JSON) -> BinsRow? {
        guard let id = row["id"]?.int.map(String.init) ?? row["id"]?.string, let at = row["date"]?.string.flatMap(Instant.init(rfc3339:)),
            let amount = reading.amounts.moneyOfNumber(row["amount"], currency)
        else { return nil }
        let fee = reading.amounts.moneyOfNumber(row["fee"], currency)
        // A fee that is present but is not an amount would make the balance wrong; a missing fee is 0.
        if fee == nil, let written = row["fee"], written != .null { return nil }
        return BinsRow(
            transaction: Transaction(
                id: id, date: at.day(in: reading.timeZone), description: Markup.plain(row["description"]?.string ?? ""), amount: amount,
                statesCurrency: false),
            fee: fee, at: at)
    }

    private func check(_ account: String?) throws(ClientFailure) {
        guard let account else { return }
        throw ClientFailure(.notFound, "the bank has no accounts, so none named \(account)", mayHaveLeft: false)
    }
}
