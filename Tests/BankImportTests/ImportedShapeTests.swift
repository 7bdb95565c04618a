import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Shapes of published descriptions.
@Suite struct ImportedShapeTests {
    private static let accounts = """
          /accounts: {get: {responses: {"200": {content: {application/json: {example: [
            {id: a1, name: Everyday, currency: EUR}, {id: a2, name: Savings, currency: EUR}]}}}}}}
        """

    /// Stripe's calls take forms, and answer with what they made.
    @Test func `a form adds a row, with its texts`() throws {
        let intent =
            "{type: object, required: [id, amount, currency], properties: {id: {type: string, example: pi_1}, amount: {type: integer}, currency: {type: string, example: gbp}}}"
        let imported = try DescriptionCorpus.imported(
            paths: """
                  /intents:
                    post:
                      requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, required: [amount, currency], properties: {amount: {type: integer}, currency: {type: string}}}}}}
                      responses: {"200": {content: {application/json: {schema: \(intent)}}}}
                  /intents/{intent}:
                    get:
                      parameters: [{name: intent, in: path, required: true, schema: {type: string}}]
                      responses: {"200": {content: {application/json: {schema: \(intent)}}}}
                """)
        var caller = try SignedIn(imported.bank("it").bank)
        let headers: KeyValuePairs = ["Content-Type": "application/x-www-form-urlencoded"]

        let first = caller.send("POST", "/intents", headers, body: "amount=500&currency=eur").json
        let second = caller.send("POST", "/intents", headers, body: "amount=500&currency=eur").json

        #expect(first["currency"] == "eur")
        #expect(first["id"]?.string != nil && first["id"] != second["id"])
        #expect(try caller.json("/intents/\(second["id"]?.string ?? "")")["currency"] == "eur")
    }

    @Test func `a key in a form is rejected with another amount`() throws {
        let imported = try DescriptionCorpus.imported(
            paths: """
                  /pots/{pot}/deposit:
                    put:
                      parameters: [{name: pot, in: path, required: true, schema: {type: string}}]
                      requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, required: [amount, dedupe_id], properties: {amount: {type: integer}, dedupe_id: {type: string}}}}}}
                      responses: {"200": {content: {application/json: {example: {id: p1}}}}}
                """)
        var caller = try SignedIn(imported.bank("it").bank)
        let headers: KeyValuePairs = ["Content-Type": "application/x-www-form-urlencoded"]

        #expect(caller.send("PUT", "/pots/p1/deposit", headers, body: "amount=500&dedupe_id=k").status == 200)
        #expect((400...499).contains(caller.send("PUT", "/pots/p1/deposit", headers, body: "amount=501&dedupe_id=k").status))
    }

    @Test func `each row of a list has its own members`() throws {
        let imported = try DescriptionCorpus.imported(
            paths: Self.accounts + """

                  /accounts/{id}/transactions:
                    get:
                      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
                      responses: {"200": {content: {application/json: {example: {transactions: {
                        booked: [{transactionId: t1, creditorName: Ava, bookingDate: "2026-01-12", transactionAmount: {amount: "-1.00", currency: EUR}},
                          {transactionId: t2, debtorName: Ben, bookingDate: "2026-01-13", transactionAmount: {amount: "2.00", currency: EUR}}],
                        pending: [{transactionId: t3, transactionAmount: {amount: "-3.00", currency: EUR}}]}}}}}}
                """)
        let bank = try imported.bank("it")
        var caller = try SignedIn(bank.bank)

        let booked = try caller.json("/accounts/a1/transactions").at("transactions.booked")?.array ?? []

        #expect(booked.map { $0["creditorName"] } == ["Ava", nil])
        #expect(booked.map { $0["debtorName"] } == [nil, "Ben"])
        #expect(bank.bank.operations(of: .transactions).count == 1)
        let view = bank.expected?.view(customer: "ava", operation: "transactions", start: Instant(seconds: 0)) { _ in 0 }
        #expect(view?["transactions"]?.array?.compactMap { $0["amount"]?.string } == ["2.00", "-1.00"])
    }

    /// An expected view in the wrong unit would be a wrong accusation.
    @Test(arguments: [
        (#"{amount: {value: -9.00, currency: EUR}}"#, "-9.00"), (#"{amount: {value: -9, currency: EUR}}"#, nil),
        (#"{amount: {minorUnits: -900, currency: EUR}}"#, "-9.00"),
        (#"{amount: {currencyCode: EUR, value: {unscaledValue: "-900", scale: "2"}}}"#, "-9.00"),
    ])
    func `whole amounts in an object may be minor units`(_ amount: String, _ shown: String?) throws {
        let row = "{id: t1, date: \"2026-01-12\", " + amount.dropFirst()
        let imported = try DescriptionCorpus.imported(
            paths: Self.accounts + """

                  /transactions: {get: {responses: {"200": {content: {application/json: {example: {data: [\(row)]}}}}}}}
                """)
        let bank = try imported.bank("it")

        #expect(bank.bank.operations(of: .transactions).count == 1)
        let view = bank.expected?.view(customer: "ava", operation: "transactions", start: Instant(seconds: 0)) { _ in 0 }
        #expect(view?["transactions"]?.array?.first?["amount"]?.string == shown)
    }

    @Test func `a list of balances is the balance of the account in the path`() throws {
        let imported = try DescriptionCorpus.imported(
            paths: Self.accounts + """

                  /accounts/{id}/balances:
                    get:
                      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
                      responses: {"200": {content: {application/json: {example: {balances: [
                        {balanceType: expected, balanceAmount: {amount: "9.00", currency: EUR}},
                        {balanceType: closingBooked, balanceAmount: {amount: "5.00", currency: EUR}}]}}}}}
                """)
        let bank = try imported.bank("it")

        #expect(bank.bank.operations(of: .balance).count == 1)
        let view = bank.expected?.view(customer: "ben", operation: "balance", start: Instant(seconds: 0)) { _ in 0 }
        #expect(view?["balance"] == "5.00")
    }

    @Test func `a list that cannot be told from others has no role`() throws {
        let imported = try DescriptionCorpus.imported(
            paths: """
                  /accounts: {get: {responses: {"200": {content: {application/json: {example: {
                    mine: [{id: a1, name: Everyday, currency: EUR}], account: [{id: a2, name: Joint, currency: EUR}]}}}}}}}
                """)

        #expect(try imported.bank("it").bank.operations(of: .accounts).isEmpty)
        #expect(imported.choices.contains { $0.reason.contains("several lists") })
    }

    /// A constant would have a client read the same page for ever.
    @Test func `an offset of the next page is missing on the last`() throws {
        let imported = try DescriptionCorpus.imported(
            paths: """
                  /things:
                    get:
                      parameters: [{name: offset, in: query, schema: {type: string}}, {name: limit, in: query, schema: {type: integer}}]
                      responses: {"200": {content: {application/json: {example: {page: {nextOffset: "2"}, previous: "https://bank.example/things",
                        things: [{id: t1}, {id: t2}, {id: t3}]}}}}}
                """)
        var caller = try SignedIn(imported.bank("it").bank)

        let first = try caller.json("/things?limit=2")
        let last = try caller.json("/things?limit=2&offset=\(first.at("page.nextOffset")?.string ?? "")")

        #expect(first["things"]?.array?.count == 2)
        #expect(last["things"]?.array?.count == 1)
        #expect(last.at("page.nextOffset") == nil && last["previous"] == nil)
    }

    /// The shapes of JSON:API, all values made from schemas.
    @Test func `what two lists have is looked up by its id, and its amounts are amounts`() throws {
        let row = """
            {type: object, required: [id, attributes], properties: {id: {type: string}, attributes: {type: object, properties: {
              amount: {type: object, properties: {currencyCode: {type: string}, value: {type: string}}}, createdAt: {type: string, format: date-time}}}}}
            """
        let list =
            "{type: object, required: [data, links], properties: {data: {type: array, items: \(row)}, links: {type: object, required: [prev, next], properties: {prev: {type: string, nullable: true}, next: {type: string, nullable: true}}}}}"
        let imported = try DescriptionCorpus.imported(
            paths: Self.accounts + """

                  /accounts/{id}/transactions:
                    get:
                      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
                      responses: {"200": {content: {application/json: {schema: \(list)}}}}
                  /transactions: {get: {responses: {"200": {content: {application/json: {schema: \(list)}}}}}}
                  /transactions/{id}:
                    get:
                      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
                      responses: {"200": {content: {application/json: {schema: {type: object, properties: {data: \(row)}}}}}}
                """)
        let bank = try imported.bank("it")
        var caller = try SignedIn(bank.bank)

        let answer = try caller.json("/accounts/a2/transactions")
        let found = answer["data"]?.array?.first ?? .null

        #expect(found.at("attributes.amount.value") == "12.30")
        #expect(answer.at("links.prev") == .null)
        #expect(try caller.json("/transactions/\(found["id"]?.string ?? "")")["data"] == found)
        let view = bank.expected?.view(customer: "ava", operation: "transactions", start: Instant(seconds: 0)) { _ in 0 }
        #expect(view?["transactions"]?.array?.first?["amount"] == "12.30")
    }

    @Test func `a payment changes what is available and the total`() throws {
        let imported = try DescriptionCorpus.imported(
            paths: """
                  /accounts: {get: {responses: {"200": {content: {application/json: {example: [
                    {id: a1, name: Everyday, currencyCode: EUR, balances: {totalBalance: 100.25, availableBalance: 90.50}}]}}}}}}
                  /payments:
                    post:
                      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [sourceAccountId, amount], properties: {sourceAccountId: {type: string}, amount: {type: number}}}}}}
                      responses: {"201": {content: {application/json: {example: {id: p1}}}}}
                """)
        var caller = try SignedIn(imported.bank("it").bank)

        let paid = caller.send("POST", "/payments", body: #"{"sourceAccountId": "a1", "amount": 5.25}"#)
        let balances = try caller.json("/accounts").array?.first?["balances"]

        #expect(paid.status == 201, "\(paid.text)")
        #expect(balances?["availableBalance"]?.number?.double == 85.25)
        #expect(balances?["totalBalance"]?.number?.double == 95)
    }

    @Test func `the last page is that of the example, and a problem has the status that is sent`() throws {
        let imported = try DescriptionCorpus.imported(
            paths: """
                  /things:
                    get:
                      parameters: [{name: cursor, in: query, schema: {type: string}}]
                      responses:
                        "200": {content: {application/json: {example: {things: [{id: t1, kind: big}], next_cursor: null}}}}
                        default: {content: {application/problem+json: {example: {title: Wrong, status: 500}}}}
                """)
        var caller = try SignedIn(imported.bank("it").bank)

        #expect(try caller.json("/things").text.hasSuffix(#""next_cursor":null}"#))
        let rejected = caller.send("GET", "/things?cursor=wrong")
        #expect(rejected.status == 400)
        #expect(rejected.json["status"] == 400 && rejected.json["title"] == "Wrong", "\(rejected.json)")
    }

    @Test func `a payment changes the balance in the attributes of JSON:API`() throws {
        let imported = try DescriptionCorpus.imported(
            paths: """
                  /accounts:
                    get:
                      responses: {"200": {content: {application/json: {example: {data: [
                        {type: account, id: a1, attributes: {name: Main, balance: "10.00", currency: EUR}}]}}}}}
                  /payments:
                    post:
                      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [amount, currency, from_account_id], properties: {amount: {type: string}, currency: {type: string}, from_account_id: {type: string}, to_iban: {type: string}}}}}}
                      responses: {"201": {content: {application/json: {example: {id: p1}}}}}
                """)
        var caller = try SignedIn(imported.bank("it").bank)

        let body = #"{"amount":"4.00","currency":"EUR","from_account_id":"a1","to_iban":"x"}"#
        #expect(caller.send("POST", "/payments", ["Content-Type": "application/json"], body: body).status == 201)
        let account = try caller.json("/accounts")["data"]?.array?.first
        #expect(account?.at("attributes.balance") == "6.00", "\(account?.text ?? "")")
    }
}
