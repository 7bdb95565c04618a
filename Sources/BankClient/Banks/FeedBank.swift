import BankModel

/// One feed of days without times; unsigned amounts, as the bank sends them. The token comes from outside.
package struct FeedBank: BankAdapter, TransactionListing, ImageServing {
    package let name = "feed"
    package let rules: any ResponseRules = MonzoRules()
    package let usesTokens = true
    private let reading: Reading

    package init(_ reading: Reading) { self.reading = reading }

    /// The rows come latest day first, within a day in the bank's order. Unknown categories, products and currencies are
    /// accepted.
    ///
    /// The period's days are those of the customer's time zone. The last day is compared here instead of sent: some banks
    /// treat `before` as exclusive.
    package func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
    {
        if let account { throw ClientFailure(.notFound, "the bank has no accounts, so none named \(account)", mayHaveLeft: false) }
        let days = Days(period, in: reading.timeZone)
        let json = try await caller.json(.get("/v2/transactions", query: [("since", days.from?.description)]))
        var listing = try Listing(reading: json["data"]?.array, named: "data", item).newestFirst()
        listing.rows = listing.rows.filter { days.contains($0.at) }
        return listing.transactions
    }

    private func item(_ row: JSON) -> Dated<CivilDate>? {
        guard let id = row["id"]?.string, let day = row["date"]?.string.flatMap(CivilDate.init(_:)),
            let currency = (row.at("amount.currency_iso") ?? row["currency"])?.string.flatMap(Currency.init),
            let amount = reading.amounts.moneyOfNumber(row.at("amount.value"), currency)
        else { return nil }
        let text = Markup.plain(row["description"]?.string ?? "")
        return Dated(transaction: Transaction(id: id, date: day, description: text, amount: amount), at: day)
    }
}
