import BankModel

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
        var headers: HTTPHeaders = ["Accept": "application/json", "Content-Type": "application/json", "x-idempotency-key": entry.key]
        let id = (try? JSON(parsing: entry.body))?.at("Data.ConsentId")?.string
        if let access = id.flatMap(consents.access(toConsent:)) { headers["Authorization"] = "Bearer \(access)" }
        return BankCall(
            "POST", "\(OpenBankingPayments.path)/domestic-payments", headers: headers, body: entry.body, authorised: false, expected: [201])
    }

    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        let state = try PaymentReceipt.State(iso20022: json.at("Data.Status")?.string)
        return PaymentReceipt(id: try needed(json.at("Data.DomesticPaymentId")?.string, "id of a payment"), state: state)
    }
}
