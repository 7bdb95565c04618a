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
        var listing = try Listing(reading: pending + booked, named: "transactions") { row($0.json, pending: $0.pending) }.within(days)
        listing.isComplete = lists.at("_links.next") == nil
        return listing.newestFirst().transactions
    }

    /// The path of an account's data; nil is the first account.
    private func path(of account: String?, _ data: String, _ caller: BankCaller) async throws(ClientFailure) -> String {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        return "/v1/accounts/\(percentEncoded(id))/\(data)"
    }

    /// A pending row may have no day of booking, and the bank sends days only.
    private func row(_ row: JSON, pending: Bool) -> Dated<CivilDate>? {
        guard let id = (row["transactionId"] ?? row["entryReference"])?.string,
            let day = (row["bookingDate"] ?? row["valueDate"])?.string.flatMap(CivilDate.init(_:)),
            let amount = reading.amounts.moneyOfText(row["transactionAmount"])
        else { return nil }
        let text = row["remittanceInformationUnstructured"] ?? row["creditorName"] ?? row["debtorName"]
        return Dated(
            transaction: Transaction(id: id, date: day, description: Markup.plain(text?.string ?? ""), amount: amount, pending: pending),
            at: day)
    }
}

extension BerlinBank: ConsentSigningBank {
    /// The stub's registered app.
    package var redirect: String { "counterfoil-app:/callback" }

    /// The longest life of a consent, in seconds: 90 days.
    private static let lifetime = 90 * 86_400

    /// Asks to read all of the customer's accounts.
    package func askForConsent(_ caller: BankCaller) async throws(ClientFailure) -> OpenedConsent {
        let lastDay = (caller.clock.now() + .seconds(BerlinBank.lifetime)).date
        let access: JSON = ["accounts": [], "balances": [], "transactions": []]
        let body: JSON = [
            "access": access, "recurringIndicator": true, "validUntil": .string(lastDay.description), "frequencyPerDay": 4,
            "combinedServiceIndicator": false,
        ]
        return try await opened(body, at: "/v1/consents", "consentId", caller)
    }

    /// What the app has posted, and the page on which the customer decides about it.
    func opened(_ body: JSON, at path: String, _ idName: String, _ caller: BankCaller) async throws(ClientFailure) -> OpenedConsent {
        let json = try await caller.posted(body, to: path, headers: ["TPP-Redirect-URI": redirect])
        let id = try needed(json[idName]?.string, "`\(idName)`")
        let page = try needed(json.at("_links.scaRedirect.href")?.string, "`scaRedirect`")
        guard Origin(page) != nil else { throw ClientFailure(.decode, "the page has no http or https address", mayHaveLeft: true) }
        return OpenedConsent(id: id, page: page)
    }

    package func consentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> GivenConsent.State {
        try BerlinBank.state(try await caller.json(.get("\(BerlinBank.path(ofConsent: id))/status", authorised: false)))
    }

    private static func path(ofConsent id: String) -> String { "/v1/consents/\(percentEncoded(id))" }

    private static func state(_ json: JSON) throws(ClientFailure) -> GivenConsent.State {
        switch try needed(json["consentStatus"]?.string, "`consentStatus`") {
        case "received", "partiallyAuthorised": return .awaiting
        case "valid": return .authorised
        case "rejected": return .rejected
        case "revokedByPsu", "terminatedByTpp": return .revoked
        case "expired": return .expired
        default: throw ClientFailure(.decode, "found no known state of the consent", mayHaveLeft: true)
        }
    }
}

extension BerlinBank: ConsentListing {
    /// The bank lists no consents: the app shows the one with whose id it reads.
    package func consents(_ caller: BankCaller) async throws(ClientFailure) -> Listing<GivenConsent> {
        let token = try await caller.token()
        let json = try await caller.json(.get(BerlinBank.path(ofConsent: token.access), authorised: false))
        let state = try BerlinBank.state(json)
        // A consent that asks for all accounts names none.
        var covered: [String] = []
        if state == .authorised { covered = try await accounts(caller).rows.map(\.id) }
        // It is valid to the end of its last day.
        let lastDay = json["validUntil"]?.string.flatMap(CivilDate.init(_:))
        let end = lastDay.map { Instant($0, nanosecondsOfDay: Instant.nanosecondsPerDay - 1) }
        return Listing([GivenConsent(id: token.access, state: state, accounts: covered, expires: end)])
    }

    package func revokeConsent(_ caller: BankCaller, id: String) async throws(ClientFailure) {
        let call = BankCall(
            "DELETE", BerlinBank.path(ofConsent: id), headers: ["Accept": "application/json"], authorised: false, expected: [204])
        try await caller.read(call) { _ in }
    }
}

extension BerlinBank: PaymentInitiatingBank {
    /// Names the account to debit, so that the customer cannot pay from another, nor another customer from theirs. An order has no name of
    /// the payee: the number stands for it.
    package func initiate(_ caller: BankCaller, _ order: PaymentOrder) async throws(ClientFailure) -> InitiatedPayment {
        let rows = try needed(try await caller.json(.get("/v1/accounts"))["accounts"]?.array, "list `accounts`")
        guard let iban = rows.first(where: { $0["resourceId"]?.string == order.from })?["iban"]?.string else {
            throw ClientFailure(.rejected, "found no account \(order.from) to pay from", mayHaveLeft: false)
        }
        let amount: JSON = ["currency": .string(order.amount.currency.code), "amount": .string(order.amount.major)]
        let debtor: JSON = ["iban": .string(iban)]
        let creditor: JSON = ["iban": .string(order.to)]
        let body: JSON = [
            "instructedAmount": amount, "debtorAccount": debtor, "creditorAccount": creditor, "creditorName": .string(order.to),
        ]
        let opened = try await opened(body, at: BerlinPayments.path, "paymentId", caller)
        return InitiatedPayment(id: opened.id, order: order, page: opened.page)
    }
}

extension BerlinBank: PayingBank {
    package var payments: any PaymentCalls { BerlinPayments(initiations: initiations) }
    /// No key is sent.
    package var keyWindow: Duration? { nil }
}

extension BerlinBank: PaymentTracking {
    package func paymentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> PaymentProgress.State {
        let json = try await caller.json(BerlinPayments.statusCall(id))
        return try PaymentProgress.State(readingISO20022: json["transactionStatus"])
    }
}

/// `GET …/sepa-credit-transfers/{paymentId}/status`: the bank has the payment, and the question how it stands may be repeated.
struct BerlinPayments: PaymentCalls {
    let initiations: PaymentInitiations

    static let path = "/v1/payments/sepa-credit-transfers"

    static func statusCall(_ id: String) -> BankCall { .get("\(path)/\(percentEncoded(id))/status", authorised: false) }

    /// Without an intent nothing was initiated: the bank knows no such payment.
    func body(for order: PaymentOrder) -> [UInt8] { JSON.object([:]).bytes }

    func body(for order: PaymentOrder, of intent: String) -> [UInt8] { initiated(order, intent) ?? body(for: order) }

    /// With the payment that was initiated since.
    func renewedBody(of unsent: OutboxEntry) -> [UInt8]? { initiated(unsent.order, unsent.intent) }

    /// What the outbox stores is not sent: the bank's id, and the page for the customer.
    private func initiated(_ order: PaymentOrder, _ intent: String) -> [UInt8]? {
        guard let payment = initiations[intent], payment.order == order else { return nil }
        return JSON.object(["paymentId": .string(payment.id), "page": .string(payment.page)]).bytes
    }

    private func stored(_ name: String, _ entry: OutboxEntry) -> String { (try? JSON(parsing: entry.body))?[name]?.string ?? "" }

    func isQuestion(_ entry: OutboxEntry) -> Bool { !stored("paymentId", entry).isEmpty }

    func call(for entry: OutboxEntry) -> BankCall { BerlinPayments.statusCall(stored("paymentId", entry)) }

    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        let (id, code) = (stored("paymentId", entry), json["transactionStatus"]?.string)
        if code == "RCVD" {
            var failure = ClientFailure(.forbidden, "the customer must authorise this payment on the bank's page", mayHaveLeft: true)
            failure.challenge = PendingChallenge(id: id, page: stored("page", entry))
            throw failure
        }
        return PaymentReceipt(id: id, state: try PaymentReceipt.State(iso20022: code))
    }
}
