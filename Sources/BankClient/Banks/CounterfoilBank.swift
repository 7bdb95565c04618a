import BankModel

/// The model bank: OAuth-style tokens, lists in cursor pages, payments with `Idempotency-Key`, RFC 9457 problems.
public struct CounterfoilBank: BankAdapter, ATMListing, PayingBank {
    public let name = "counterfoil"
    public let rules: any ReplyRules = ProblemRules()
    public let usesTokens = true
    public let payments: any PaymentCalls = CounterfoilPayments()
    public let keyWindow: Duration? = .seconds(24 * 3600)
    let reading: Reading
    var amounts: any AmountReading { reading.amounts }

    public init(_ reading: Reading) { self.reading = reading }

    public func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        let json = try await caller.json(.get("/v1/accounts"))
        return try Listing(reading: json["accounts"]?.array, named: "accounts") { row in
            guard let id = row["id"]?.string, let name = row["name"]?.string,
                let currency = row["currency"]?.string.flatMap(Currency.init)
            else { return nil }
            return Account(id: id, name: name, currency: currency, balance: amounts.moneyOfText(row["balance"]))
        }
    }

    public func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let json = try await caller.json(.get("/v1/accounts/\(Percent.encode(id))"))
        let balance = try needed(amounts.moneyOfText(json["balance"]), "balance")
        return Balance(balance: balance, available: amounts.moneyOfText(json["available"]))
    }

    /// Newest first. A booked row takes the place of the pending one it names. Cash machines are asked for only if a row
    /// names one, and only those known are shown.
    public func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction> {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let path = "/v1/accounts/\(Percent.encode(id))/transactions"
        let (rows, isComplete) = try await Pages().read { cursor throws(ClientFailure) in
            let query = [("from", period.from?.rfc3339(.milliseconds)), ("to", period.to?.rfc3339(.milliseconds)), ("cursor", cursor)]
            let json = try await caller.json(.get(path, query: query))
            let rows = try needed(json["transactions"]?.array, "list `transactions`")
            return Pages.Page(rows: rows, next: json["next_cursor"]?.string)
        }
        let replaced = Set(rows.compactMap { $0["replaces"]?.string })
        let known = rows.contains { $0["atm_id"]?.string != nil } ? Set((try? await atms(caller))?.rows.map(\.id) ?? []) : []
        let shown = rows.filter { row in !replaced.contains(row["id"]?.string ?? "") }
        var listing = try Listing(reading: shown, named: "transactions") { transaction($0, knownATMs: known) }
        listing.rows.sort { $0.booked > $1.booked }
        return Listing(listing.rows.map(\.transaction), setAside: listing.setAside, isComplete: isComplete)
    }

    public func atms(_ caller: BankCaller) async throws(ClientFailure) -> Listing<ATM> {
        let json = try await caller.json(.get("/v1/atms", authorised: false))
        return try Listing(reading: json["atms"]?.array, named: "atms", ATM.init(json:))
    }

    private struct Row: Hashable {
        var transaction: Transaction
        var booked: Instant
    }

    private func transaction(_ row: JSON, knownATMs: Set<String>) -> Row? {
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
                amount: amount, pending: row["status"]?.string == "pending",
                atm: row["atm_id"]?.string.flatMap { knownATMs.contains($0) ? $0 : nil }),
            booked: booked)
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
