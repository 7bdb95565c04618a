package import BankModel
package import Foundation

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
        let json = try await caller.json(.get("/v1/accounts/\(percentEncoded(id))"))
        let balance = try needed(amounts.moneyOfText(json["balance"]), "balance")
        return Balance(balance: balance, available: amounts.moneyOfText(json["available"]))
    }

    /// The rows come newest first. A booked row replaces the pending one it names. Cash machines are requested only if a row
    /// names one, and only those in the bank's list are shown.
    package func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
    {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let (rows, isComplete) = try await pages(caller, account: id, period)
        let known = try await knownATMs(caller, rows)
        var listing = try Listing(reading: rows, named: "transactions") { row($0, known) }.newestFirst()
        let replaced = Set(listing.rows.compactMap(\.replaces))
        listing.rows.removeAll { $0.transaction.pending == true && replaced.contains($0.transaction.id) }
        listing.isComplete = isComplete
        return listing.transactions
    }

    /// The rows of an account, of all pages.
    private func pages(
        _ caller: BankCaller, account: String, _ period: Period
    ) async throws(ClientFailure) -> (rows: [JSON], isComplete: Bool) {
        let path = "/v1/accounts/\(percentEncoded(account))/transactions"
        return try await reading.pages.read { cursor throws(ClientFailure) in
            let query = [("from", period.from?.rfc3339(.milliseconds)), ("to", period.to?.rfc3339(.milliseconds)), ("cursor", cursor)]
            let json = try await caller.json(.get(path, query: query))
            return ListPage(rows: try needed(json["transactions"]?.array, "list `transactions`"), next: json["next_cursor"]?.string)
        }
    }

    package func atms(_ caller: BankCaller) async throws(ClientFailure) -> Listing<ATM> {
        try await caller.publicList(.get("/v1/atms", authorised: false)) { json throws(ClientFailure) in
            try Listing(reading: json["atms"]?.array, named: "atms", ATM.init(json:))
        }
    }

    package func paymentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> PaymentProgress.State {
        try PaymentProgress.State(reading: try await caller.json(.get("/v1/payments/\(percentEncoded(id))"))["state"])
    }

    package func quote(_ caller: BankCaller, for amount: Money, in target: Currency) async throws(ClientFailure) -> PaymentQuote {
        let paid: JSON = ["amount": .string(amount.major), "currency": .string(amount.currency.code)]
        let body: JSON = ["amount": paid, "target": .string(target.code)]
        let json = try await caller.json(.json("POST", "/v1/quotes", body.bytes))
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

/// `POST /v1/payments` with the key in `Idempotency-Key`, quoted as the IETF draft has it (a Structured Field string).
package struct CounterfoilPayments: PaymentCalls {
    package init() {}

    package func body(for order: PaymentOrder) -> [UInt8] {
        let amount: JSON = ["amount": .string(order.amount.major), "currency": .string(order.amount.currency.code)]
        let quote = order.quote.map { [(key: "quote", value: JSON.string($0))] } ?? []
        return JSON.object(JSONObject([("from", .string(order.from)), ("to", .string(order.to)), ("amount", amount)] + quote)).bytes
    }

    package func call(for entry: OutboxEntry) -> BankCall {
        .json("POST", "/v1/payments", entry.body, headers: ["Idempotency-Key": "\"\(entry.key)\""])
    }
}

extension CounterfoilBank: GoalListing, ImageServing {
    package func goals(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Listing<Goal> {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let json = try await caller.json(.get("/v1/accounts/\(percentEncoded(id))/goals"))
        return try Listing(reading: json["goals"]?.array, named: "goals") { row in
            guard let id = row["id"]?.string, let name = row["name"]?.string, let saved = amounts.moneyOfText(row["saved"]) else {
                return nil
            }
            return Goal(id: id, name: name, saved: saved, target: amounts.moneyOfText(row["target"]))
        }
    }
}

extension CounterfoilBank: RoundUpBank {
    package var timeZone: TimeZone { reading.timeZone }

    /// The account's transactions, all pages. Fees do not count: only the amount is rounded up.
    package func roundUpRows(_ caller: BankCaller, account: String, _ period: Period) async throws(ClientFailure) -> [RoundUpRow] {
        let (rows, isComplete) = try await pages(caller, account: account, period)
        guard isComplete else {
            throw ClientFailure(
                .decode, "found an incomplete list of transactions, expected all of them: a round-up needs the whole list",
                mayHaveLeft: true)
        }
        return rows.compactMap { row in
            guard let at = row["booked_at"]?.string.flatMap(Instant.init(rfc3339:)), let amount = amounts.moneyOfText(row["amount"]),
                amount.minorUnits >= 0, let direction = row["direction"]?.string
            else { return nil }
            return RoundUpRow(
                at: at, amount: amount, isOutgoing: direction == "debit", isSettled: row["status"]?.string == "booked",
                isInternal: row["kind"]?.string == "internal", description: Markup.plain(row["description"]?.string ?? ""))
        }
    }

    package func goalIDs(_ caller: BankCaller, account: String) async throws(ClientFailure) -> [String] {
        let json = try await caller.json(.get("/v1/accounts/\(percentEncoded(account))/goals"))
        let goals = try needed(json["goals"]?.array, "list `goals`")
        return goals.compactMap { (goal: JSON) in goal["id"]?.string }
    }
}

extension CounterfoilBank: PageSigningBank {
    package var app: RegisteredApp {
        RegisteredApp(id: "app", redirect: "counterfoil-app:/callback", scopes: ["openid", "accounts", "payments", "offline_access"])
    }
}

extension CounterfoilBank: SigningInBank {
    /// RFC 6749 §4.3.
    package func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token {
        try await token(caller, [("grant_type", "password"), ("username", user), ("password", password)])
    }

    /// RFC 6749 §6. Never retried: the token is valid for one use, and the bank treats a second use as theft.
    package func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token {
        try await token(caller.once, [("grant_type", "refresh_token"), ("refresh_token", refresh)])
    }

    package func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) {
        try await revoke(caller, token, at: "/oauth/revoke")
    }

    private func token(_ caller: BankCaller, _ fields: [(String, String?)]) async throws(ClientFailure) -> Token {
        try Token(bearer: try await caller.json(.form("/oauth/token", fields)))
    }
}
