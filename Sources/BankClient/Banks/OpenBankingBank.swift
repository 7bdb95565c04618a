import BankModel

/// Open Banking UK 4.0 shapes: lists below `Data`, the next page's address in `Links`, positive amounts with `CreditDebitIndicator`.
package struct OpenBankingBank: BankAdapter, AccountListing, BalanceReporting, TransactionListing {
    package let name = "openbanking"
    package let rules: any ResponseRules = OpenBankingRules()
    package let usesTokens = true
    let reading: Reading
    package let paymentConsents = PaymentConsents()

    package init(_ reading: Reading) { self.reading = reading }

    /// The paths of the accounts, and of their consents.
    static let accountsPath = "/open-banking/v4.0/aisp"

    package func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        let json = try await caller.json(.get("\(OpenBankingBank.accountsPath)/accounts"))
        return try Listing(reading: json.at("Data.Account")?.array, named: "Data.Account") { row in
            guard let id = row["AccountId"]?.string, let currency = row["Currency"]?.string.flatMap(Currency.init) else { return nil }
            // The customer's own name of the account is optional; the product's category replaces a missing one.
            return Account(id: id, name: row["Nickname"]?.string ?? row["AccountTypeCode"]?.string ?? "", currency: currency)
        }
    }

    package func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        let json = try await caller.json(.get(try await path(of: account, "balances", caller)))
        let all = (json.at("Data.Balance")?.array ?? []).compactMap { row in
            signed(row).map { (type: row["Type"]?.string ?? "", money: $0) }
        }
        return try Balance.chosen(from: all, booked: ["ITBD", "CLBD"], available: ["ITAV", "CLAV"])
    }

    /// The rows come newest first.
    package func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
    {
        let path = try await path(of: account, "transactions", caller)
        let query = [
            ("fromBookingDateTime", period.from?.rfc3339(.milliseconds)), ("toBookingDateTime", period.to?.rfc3339(.milliseconds)),
        ]
        let (rows, isComplete) = try await reading.pages.read { cursor throws(ClientFailure) in
            let json = try await caller.json(cursor.map { BankCall.get($0) } ?? BankCall.get(path, query: query))
            let rows = try needed(json.at("Data.Transaction")?.array, "list `Data.Transaction`")
            return ListPage(rows: rows, next: try OpenBankingBank.next(json, at: caller.baseURL))
        }
        var listing = try Listing(reading: rows, named: "Data.Transaction", row).newestFirst()
        listing.isComplete = isComplete
        return listing.transactions
    }

    /// The path and the query of the next page; nil on the last one.
    ///
    /// - Throws: ``ClientFailure`` `decode` if the address is not the bank's: the token belongs nowhere else.
    private static func next(_ json: JSON, at baseURL: String) throws(ClientFailure) -> String? {
        guard let address = json.at("Links.Next")?.string else { return nil }
        guard address.hasPrefix(baseURL + "/") else {
            throw ClientFailure(.decode, "the address of the next page leads away from the bank", mayHaveLeft: true)
        }
        return String(address.dropFirst(baseURL.count))
    }

    /// The path of an account's data; nil is the first account.
    private func path(of account: String?, _ data: String, _ caller: BankCaller) async throws(ClientFailure) -> String {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        return "\(OpenBankingBank.accountsPath)/accounts/\(percentEncoded(id))/\(data)"
    }

    /// `{"Amount":{"Amount":"12.30","Currency":"GBP"},"CreditDebitIndicator":"Debit"}`, negative for a debit.
    private func signed(_ row: JSON) -> Money? {
        guard let number = row.at("Amount.Amount")?.string.flatMap(JSONNumber.init),
            let currency = row.at("Amount.Currency")?.string.flatMap(Currency.init),
            let amount = reading.amounts.money(major: number, currency)
        else { return nil }
        switch row["CreditDebitIndicator"]?.string {
        case "Debit": return amount.negated
        case "Credit": return amount
        default: return nil
        }
    }

    private struct Row: DatedRow {
        var transaction: Transaction
        var at: Instant
    }

    private func row(_ row: JSON) -> Row? {
        guard let id = row["TransactionId"]?.string, let at = row["BookingDateTime"]?.string.flatMap(Instant.init(rfc3339:)),
            let amount = signed(row)
        else { return nil }
        let text = Markup.plain(row["TransactionInformation"]?.string ?? "")
        return Row(
            transaction: Transaction(
                id: id, date: at.day(in: reading.timeZone), description: text, amount: amount, pending: pending(row["Status"]?.string)),
            at: at)
    }

    /// nil for an unknown status: the row is shown, and is called neither pending nor booked.
    private func pending(_ status: String?) -> Bool? {
        switch status {
        case "PDNG": true
        case "BOOK": false
        default: nil
        }
    }
}
