import BankModel

/// NextGenPSD2 1.3 shapes: booked and pending rows in lists of their own, signed amounts, errors in `tppMessages`.
package struct BerlinBank: BankAdapter, AccountListing, BalanceReporting, TransactionListing {
    package let name = "berlin"
    package let rules: any ResponseRules = NextGenPSD2Rules()
    package let usesTokens = true
    /// The consent's id is the credential. `PSU-IP-Address` is left out: an app on the customer's device does not know it.
    package let conventions = RequestConventions(credentialHeader: "Consent-ID", requestIDHeader: "X-Request-ID")
    package let initiations = PaymentInitiations()
    private let reading: Reading

    package init(_ reading: Reading) { self.reading = reading }

    package func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        let json = try await caller.json(.get("/v1/accounts"))
        return try Listing(reading: json["accounts"]?.array, named: "accounts") { row in
            guard let id = row["resourceId"]?.string, let currency = row["currency"]?.string.flatMap(Currency.init) else { return nil }
            return Account(id: id, name: row["name"]?.string ?? row["product"]?.string ?? "", currency: currency)
        }
    }

    package func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        let json = try await caller.json(.get(try await path(of: account, "balances", caller)))
        let all = (json["balances"]?.array ?? []).compactMap { row in
            reading.amounts.moneyOfText(row["balanceAmount"]).map { (type: row["balanceType"]?.string ?? "", money: $0) }
        }
        return try Balance.chosen(
            from: all, booked: ["interimBooked", "closingBooked"], available: ["interimAvailable", "closingAvailable"])
    }

    /// The rows come by day, latest first; within a day pending rows precede booked ones. A list with a next page is incomplete.
    package func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
    {
        let path = try await path(of: account, "transactions", caller)
        let days = Days(period, in: reading.timeZone)
        let query: [(String, String?)] = [
            ("bookingStatus", "both"), ("dateFrom", days.from?.description), ("dateTo", days.to?.description),
        ]
        let lists = try needed(try await caller.json(.get(path, query: query))["transactions"], "`transactions`")
        let booked = try needed(lists["booked"]?.array, "list `booked`").map { (json: $0, pending: false) }
        // A bank may leave out the list if it is empty.
        let pending = try needed((lists["pending"] ?? .array([])).array, "list `pending`").map { (json: $0, pending: true) }
        var listing = try Listing(reading: pending + booked, named: "transactions") { row($0.json, pending: $0.pending) }
        let ended = Set(listing.rows.filter { $0.transaction.pending == false }.map(\.transaction.id))
        listing.rows.removeAll { row in
            // The bank selects booked rows only.
            !days.contains(row.at) || row.transaction.pending == true && ended.contains(row.transaction.id)
        }
        listing.isComplete = lists.at("_links.next") == nil
        return listing.newestFirst().transactions
    }

    /// The path of an account's data; nil is the first account.
    private func path(of account: String?, _ data: String, _ caller: BankCaller) async throws(ClientFailure) -> String {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        return "/v1/accounts/\(percentEncoded(id))/\(data)"
    }

    private struct Row: DatedRow {
        var transaction: Transaction
        var at: CivilDate
    }

    /// A pending row may have no day of booking, and the bank sends days only.
    private func row(_ row: JSON, pending: Bool) -> Row? {
        guard let id = (row["transactionId"] ?? row["entryReference"])?.string,
            let day = (row["bookingDate"] ?? row["valueDate"])?.string.flatMap(CivilDate.init(_:)),
            let amount = reading.amounts.moneyOfText(row["transactionAmount"])
        else { return nil }
        let text = row["remittanceInformationUnstructured"] ?? row["creditorName"] ?? row["debtorName"]
        return Row(
            transaction: Transaction(id: id, date: day, description: Markup.plain(text?.string ?? ""), amount: amount, pending: pending),
            at: day)
    }
}
