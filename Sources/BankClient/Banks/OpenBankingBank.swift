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

    private func row(_ row: JSON) -> Dated<Instant>? {
        guard let id = row["TransactionId"]?.string, let at = row["BookingDateTime"]?.string.flatMap(Instant.init(rfc3339:)),
            let amount = signed(row)
        else { return nil }
        let text = Markup.plain(row["TransactionInformation"]?.string ?? "")
        return Dated(
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

extension OpenBankingBank: PageSigningBank {
    /// The stub's registered app. A real one has its secret on its own server.
    package var app: RegisteredApp {
        RegisteredApp(id: "tpp", redirect: "https://tpp.example/callback", scopes: ["accounts"], secret: "tpp-secret")
    }

    /// The id of a new account-access consent, which the customer authorises on the page. The tokens of the sign-in carry it.
    package func pageParameters(_ caller: BankCaller, _ bank: BankAddresses) async throws(ClientFailure) -> [PageParameter] {
        let wanted: JSON = ["Permissions": ["ReadAccountsDetail", "ReadBalances", "ReadTransactionsDetail"]]
        let body: JSON = ["Data": wanted, "Risk": [:]]
        let json = try await posted(body, to: "\(OpenBankingBank.accountsPath)/account-access-consents", for: "accounts", caller, bank)
        let id = try needed(json.at("Data.ConsentId")?.string, "`Data.ConsentId`")
        return [OpenBankingBank.parameter(id)]
    }

    /// Names a consent in the page's address. A real bank takes it as a claim of a signed request object.
    static func parameter(_ consent: String) -> PageParameter { PageParameter(name: "openbanking_intent_id", value: consent) }

    /// The response to what the app itself posts. It is sent once: a consent that was asked for twice would be one that nobody ends.
    ///
    /// - Parameter key: the idempotency key, if the call takes one.
    func posted(
        _ body: JSON, to path: String, key: String? = nil, for scope: String, _ caller: BankCaller, _ bank: BankAddresses
    ) async throws(ClientFailure) -> JSON {
        let authorization = try await ownAuthorization(for: scope, caller.once, bank)
        var headers: HTTPHeaders = ["Authorization": authorization]
        if let key { headers["x-idempotency-key"] = key }
        return try await caller.posted(body, to: path, headers: headers)
    }

    /// The header with a token of the app's own (RFC 6749 §4.4): it belongs to no customer, and is not kept.
    func ownAuthorization(for scope: String, _ caller: BankCaller, _ bank: BankAddresses) async throws(ClientFailure) -> String {
        let fields: [(String, String?)] = [("grant_type", "client_credentials"), ("scope", scope)]
        return "Bearer \(try Token(bearer: try await caller.json(app.form(bank.tokenPath, fields))).access)"
    }
}

extension OpenBankingBank: TokenRenewingBank {
    /// RFC 6749 §6. Never retried: the token is valid for one use, and the bank treats a second use as theft.
    package func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token {
        let fields: [(String, String?)] = [("grant_type", "refresh_token"), ("refresh_token", refresh)]
        let tokenPath = try await BankAddresses.discovered(by: caller).tokenPath
        return try Token(bearer: try await caller.once.json(app.form(tokenPath, fields)))
    }
}

extension OpenBankingBank: PaymentConsentingBank {
    package var payingApp: RegisteredApp {
        var paying = app
        paying.scopes = ["payments"]
        return paying
    }

    /// Names the account to debit, so that the customer cannot pay from another, nor another customer from theirs.
    package func newConsent(_ caller: BankCaller, for order: PaymentOrder) async throws(ClientFailure) -> PaymentConsent {
        let json = try await caller.json(.get("\(OpenBankingBank.accountsPath)/accounts"))
        let rows = try needed(json.at("Data.Account")?.array, "list `Data.Account`")
        guard let account = rows.first(where: { $0["AccountId"]?.string == order.from })?["Account"]?.array?.first,
            let scheme = account["SchemeName"]?.string, let number = account["Identification"]?.string
        else { throw ClientFailure(.rejected, "found no account \(order.from) to pay from", mayHaveLeft: false) }
        let amount: JSON = ["Amount": .string(order.amount.major), "Currency": .string(order.amount.currency.code)]
        let debtor: JSON = ["SchemeName": .string(scheme), "Identification": .string(number)]
        let creditor: JSON = ["SchemeName": .string(scheme), "Identification": .string(order.to)]
        let initiation: JSON = ["InstructedAmount": amount, "DebtorAccount": debtor, "CreditorAccount": creditor]
        let asked = try await posted(
            ["Data": ["Initiation": initiation], "Risk": [:]], to: "\(OpenBankingPayments.path)/domestic-payment-consents",
            key: caller.random.uuid(), for: "payments", caller, try await BankAddresses.discovered(by: caller))
        let id = try needed(asked.at("Data.ConsentId")?.string, "`Data.ConsentId`")
        return PaymentConsent(id: id, order: order, initiation: initiation, parameter: OpenBankingBank.parameter(id))
    }
}

extension OpenBankingBank: PayingBank {
    package var payments: any PaymentCalls { OpenBankingPayments(consents: paymentConsents) }
    package var keyWindow: Duration? { .seconds(24 * 3600) }
}

extension OpenBankingBank: PaymentTracking {
    /// Asked with the app's own token: that of the payment's consent ends within minutes.
    package func paymentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> PaymentProgress.State {
        let bank = try await BankAddresses.discovered(by: caller)
        var call = BankCall.get("\(OpenBankingPayments.path)/domestic-payments/\(percentEncoded(id))", authorised: false)
        call.headers["Authorization"] = try await ownAuthorization(for: "payments", caller, bank)
        return try PaymentProgress.State(readingISO20022: try await caller.json(call).at("Data.Status"))
    }
}

/// `POST …/domestic-payments` with the consent's id and the key in `x-idempotency-key`, and with the token of the consent.
struct OpenBankingPayments: PaymentCalls {
    let consents: PaymentConsents

    static let path = "/open-banking/v4.0/pisp"

    /// Without an intent there is no consent: the bank rejects such a payment.
    func body(for order: PaymentOrder) -> [UInt8] { JSON.object(["Data": [:], "Risk": [:]]).bytes }

    func body(for order: PaymentOrder, of intent: String) -> [UInt8] { consented(order, intent) ?? body(for: order) }

    /// With the consent that counts now: the stored one's token may have expired.
    func renewedBody(of unsent: OutboxEntry) -> [UInt8]? { consented(unsent.order, unsent.intent) }

    private func consented(_ order: PaymentOrder, _ intent: String) -> [UInt8]? {
        guard let consent = consents[intent], consent.order == order else { return nil }
        let data: JSON = ["ConsentId": .string(consent.id), "Initiation": consent.initiation]
        return JSON.object(["Data": data, "Risk": [:]]).bytes
    }

    /// It never carries the token of the sign-in, which has another consent. Without its own token, as after a restart, the bank rejects it
    /// before it looks at the key, and the payment's outcome stays as it is.
    func call(for entry: OutboxEntry) -> BankCall {
        var headers: HTTPHeaders = ["x-idempotency-key": entry.key]
        let id = (try? JSON(parsing: entry.body))?.at("Data.ConsentId")?.string
        if let access = id.flatMap(consents.access(toConsent:)) { headers["Authorization"] = "Bearer \(access)" }
        return .json(
            "POST", "\(OpenBankingPayments.path)/domestic-payments", entry.body, headers: headers, authorised: false, expected: [201])
    }

    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        let state = try PaymentReceipt.State(iso20022: json.at("Data.Status")?.string)
        return PaymentReceipt(id: try needed(json.at("Data.DomesticPaymentId")?.string, "id of a payment"), state: state)
    }
}
