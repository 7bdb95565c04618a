import BankModel

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
