import BankModel

/// `POST /v1/payments` with the key in `Idempotency-Key`, quoted as the IETF draft has it (a Structured Field string).
package struct CounterfoilPayments: PaymentCalls {
    package init() {}

    package func body(for order: PaymentOrder) -> [UInt8] {
        let amount: JSON = ["amount": .string(order.amount.major), "currency": .string(order.amount.currency.code)]
        let quote = order.quote.map { [(key: "quote", value: JSON.string($0))] } ?? []
        return JSON.object(
            JSONObject([("from", .string(order.from)), ("to", .string(order.to)), ("amount", amount)] + quote)
        ).bytes
    }

    package func call(for entry: OutboxEntry) -> BankCall {
        let headers: HTTPHeaders = [
            "Accept": "application/json", "Content-Type": "application/json", "Idempotency-Key": "\"\(entry.key)\"",
        ]
        return BankCall("POST", "/v1/payments", headers: headers, body: entry.body, expected: [200, 201])
    }
}
