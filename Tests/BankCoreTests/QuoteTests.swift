import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Payments that name a quote: a rate that is valid for a time, and is used once.
@Suite struct QuoteTests {
    private struct Desk {
        var till: Till
        let ann: String

        init() throws {
            let files = TestFiles()
                .replacing(
                    "till/bank.yaml", "  payments: {key: id",
                    with: "  quotes: {key: id, belongs: {_customer: customer}}\n  payments: {key: id"
                )
                .replacing(
                    "till/bank.yaml", "    insert: {payments: {id: {uuid: \"pay-\"}",
                    with: """
                            quote: {row: {quotes: {body: quote}}, expires: until, fixes: {amount: {body: amount}}}
                            refuse: {quote-ended: {status: 410, body: {error: quote-ended, detail: {detail: over}}}}
                            insert: {payments: {id: {uuid: "pay-"}
                        """
                )
                .replacing(
                    "till/bank.yaml", "  clock: {",
                    with: """
                          ask: {request: POST /quotes, takes: {json: [amount]}, insert: {quotes: {id: {uuid: "q-"}, _customer: {customer: login}, amount: {body: amount}, rate: {random_text: {of: "123", length: 5}}, until: {now: {format: "yyyy-MM-dd'T'HH:mm:ssX", offset: 30s}}}}, reply: {inserted: quotes}}
                          quotes: {request: GET /quotes, reply: {quotes: {rows: quotes}}}
                          clock: {
                        """)
            till = try Till(files)
            ann = try till.token()
        }

        mutating func quote(_ amount: String = "5.00") throws -> String {
            try #require(till.send("POST", "/v1/quotes", token: ann, body: #"{"amount": "\#(amount)"}"#).json["id"]?.string)
        }

        mutating func pay(_ amount: String = "5.00", quote: JSON?, key: String, token: String? = nil, from: String = "a1") -> BankResponse {
            let named = quote.map { #", "quote": \#($0.text)"# } ?? ""
            return till.send(
                "POST", "/v1/payments", token: token ?? ann, key: key,
                body: #"{"from": "\#(from)", "to": "p1", "amount": "\#(amount)"\#(named)}"#)
        }

        var paid: Int { till.state.ledger.movements.count }
    }

    @Test func `a payment uses its quote, and no other payment can use it again`() throws {
        var desk = try Desk()
        let quote = try desk.quote()
        let first = desk.pay(quote: .string(quote), key: "k1")

        #expect(first.status == 201)
        #expect(desk.pay(quote: .string(quote), key: "k1").body == first.body, "a retry under the key gets the stored response")
        let second = desk.pay(quote: .string(quote), key: "k2")
        #expect(second.status == 410)
        #expect(second.json["detail"] == "the quote does not exist, or was used")
        #expect(desk.paid == 1)
        #expect(desk.till.send("GET", "/v1/quotes", token: desk.ann).json["quotes"] == [])
    }

    @Test(arguments: [(29, 201), (30, 410), (31, 410)])
    func `a quote is valid until its instant on the session clock`(seconds: Int, status: Int) throws {
        var desk = try Desk()
        let quote = try desk.quote()
        desk.till.now = desk.till.now + .seconds(seconds)

        #expect(desk.pay(quote: .string(quote), key: "k1").status == status)
        #expect(desk.paid == (status == 201 ? 1 : 0))
    }

    @Test func `a payment that fails for another reason leaves its quote as it is`() throws {
        var desk = try Desk()
        let quote = try desk.quote("500.00")

        #expect(desk.pay("500.00", quote: .string(quote), key: "k1").error == "insufficient-funds")
        #expect(desk.till.send("GET", "/v1/quotes", token: desk.ann).json["quotes"]?.array?.count == 1)
    }

    @Test func `a quote is for its amount and its customer, and a payment may do without one`() throws {
        var desk = try Desk()
        let quote = try desk.quote()
        let bob = try desk.till.token("bob")

        #expect(desk.pay("6.00", quote: .string(quote), key: "k1").json["detail"] == "the quote is for another `amount`")
        #expect(desk.pay(quote: .string(quote), key: "k2", token: bob, from: "b1").status == 410)
        for (index, other) in [JSON.string("q-none"), 7, true, [:]].enumerated() {
            #expect(desk.pay(quote: other, key: "n\(index)").status == 410)
        }
        #expect(desk.paid == 0)
        #expect(desk.pay(quote: nil, key: "k3").status == 201)
        #expect(desk.pay(quote: .null, key: "k4").status == 201)
        #expect(desk.pay(quote: .string(quote), key: "k5").status == 201, "it is still there")
    }
}
