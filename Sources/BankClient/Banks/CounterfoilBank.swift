package import BankModel

/// The model bank: OAuth-style tokens, lists in cursor pages, payments with `Idempotency-Key`, RFC 9457 problems.
package struct CounterfoilBank: BankAdapter, AccountListing, BalanceReporting, TransactionListing, ATMListing, PayingBank,
    PaymentTracking, QuotingBank
{
    package let name = "counterfoil"
    package let rules: any ResponseRules = ProblemRules()
    package let usesTokens = true
    package let payments: any PaymentCalls = CounterfoilPayments()
    package let keyWindow: Duration? = .seconds(24 * 3600)
    let reading: Reading
    var amounts: any AmountReading { reading.amounts }

    package init(_ reading: Reading) { self.reading = reading }

    package func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        let json = try await caller.json(.get("/v1/accounts"))
        return try Listing(reading: json["accounts"]?.array, named: "accounts") { row in
            guard let id = row["id"]?.string, let name = row["name"]?.string,
                let currency = row["currency"]?.string.flatMap(Currency.init)
            else { return nil }
            return Account(id: id, name: name, currency: currency, balance: amounts.moneyOfText(row["balance"]))
        }
    }

    package func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let json = try await caller.json(.get("/v1/accounts/\(Percent.encode(id))"))
        let balance = try needed(amounts.moneyOfText(json["balance"]), "balance")
        return Balance(balance: balance, available: amounts.moneyOfText(json["available"]))
    }

    /// The rows come newest first. A booked row replaces the pending one it names. Cash machines are requested only if a row
    /// names one, and only those in the bank's list are shown.
    package func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
    {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let path = "/v1/accounts/\(Percent.encode(id))/transactions"
        let (rows, isComplete) = try await reading.pages.read { cursor throws(ClientFailure) in
            let query = [("from", period.from?.rfc3339(.milliseconds)), ("to", period.to?.rfc3339(.milliseconds)), ("cursor", cursor)]
            let json = try await caller.json(.get(path, query: query))
            let rows = try needed(json["transactions"]?.array, "list `transactions`")
            return ListPage(rows: rows, next: json["next_cursor"]?.string)
        }
        let known = try await knownATMs(caller, rows)
        var listing = try Listing(reading: rows, named: "transactions") { row($0, known) }.newestFirst()
        let replaced = Set(listing.rows.compactMap(\.replaces))
        listing.rows.removeAll { $0.transaction.pending == true && replaced.contains($0.transaction.id) }
        listing.isComplete = isComplete
        return listing.transactions
    }

    package func atms(_ caller: BankCaller) async throws(ClientFailure) -> Listing<ATM> {
        try await caller.publicList(.get("/v1/atms", authorised: false)) { json throws(ClientFailure) in
            try Listing(reading: json["atms"]?.array, named: "atms", ATM.init(json:))
        }
    }

    package func paymentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> PaymentProgress.State {
        try PaymentProgress.State(reading: try await caller.json(.get("/v1/payments/\(Percent.encode(id))"))["state"])
    }

    package func quote(_ caller: BankCaller, for amount: Money, in target: Currency) async throws(ClientFailure) -> PaymentQuote {
        let paid: JSON = ["amount": .string(amount.major), "currency": .string(amount.currency.code)]
        let body: JSON = ["amount": paid, "target": .string(target.code)]
        let headers: HTTPHeaders = ["Accept": "application/json", "Content-Type": "application/json"]
        let json = try await caller.json(BankCall("POST", "/v1/quotes", headers: headers, body: body.bytes, expected: [200, 201]))
        return PaymentQuote(
            id: try needed(json["id"]?.string, "id of a quote"), rate: try needed(json["rate"]?.string, "rate of a quote"),
            expires: json["expires_at"]?.string)
    }

    /// The ids of the bank's machines, requested only if a row names one. If that fails, rows are shown without links.
    private func knownATMs(_ caller: BankCaller, _ rows: [JSON]) async throws(ClientFailure) -> Set<String> {
        guard rows.contains(where: { $0["atm_id"]?.string != nil }) else { return [] }
        do throws(ClientFailure) { return Set(try await atms(caller).rows.map(\.id)) } catch {
            if error.error == .cancelled { throw error }
            return []
        }
    }

    struct Row: DatedRow {
        var transaction: Transaction
        var at: Instant
        /// The id of the pending row that this one replaces.
        var replaces: String?
    }

    func row(_ row: JSON, _ knownATMs: Set<String>) -> Row? {
        guard let id = row["id"]?.string, let booked = row["booked_at"]?.string.flatMap(Instant.init(rfc3339:)),
            let unsigned = amounts.moneyOfText(row["amount"])
        else { return nil }
        let amount: Money?
        switch row["direction"]?.string {
        case "debit": amount = unsigned.negated
        case "credit": amount = unsigned
        default: return nil
        }
        guard let amount else { return nil }
        return Row(
            transaction: Transaction(
                id: id, date: booked.day(in: reading.timeZone), description: Markup.plain(row["description"]?.string ?? ""),
                amount: amount, pending: pending(row["status"]?.string),
                atm: row["atm_id"]?.string.flatMap { knownATMs.contains($0) ? $0 : nil }),
            at: booked, replaces: row["replaces"]?.string)
    }

    /// nil for an unknown status: the row is shown, and is called neither pending nor booked.
    private func pending(_ status: String?) -> Bool? {
        switch status {
        case "pending": true
        case "booked": false
        default: nil
        }
    }
}

extension ATM {
    /// `{"id","name","location":{"lat","lng"}}`
    init?(json: JSON) {
        guard let id = json["id"]?.string, let name = json["name"]?.string, let latitude = ATM.degrees(json.at("location.lat")),
            let longitude = ATM.degrees(json.at("location.lng"))
        else { return nil }
        self.init(id: id, name: name, latitude: latitude, longitude: longitude)
    }

    private static func degrees(_ json: JSON?) -> JSONNumber? { json?.number ?? json?.string.flatMap(JSONNumber.init) }
}
