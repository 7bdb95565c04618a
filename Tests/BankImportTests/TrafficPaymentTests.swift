import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// What writes change, as far as it shows.
@Suite struct TrafficPaymentTests {
    private static let order = #"{"from":"a1","to":"a2","amount":"5.00","currency":"GBP"}"#

    private func caller(_ entries: [HAREntry]) throws -> (learned: TrafficImport.Learned, caller: Caller, headers: [String: String]) {
        let learned = try Traffic.learned([Traffic.signIn] + entries)
        let (caller, token) = try learned.imported.caller()
        return (learned, caller, ["Authorization": "Bearer \(token)", "Content-Type": "application/json", "Idempotency-Key": "k-1"])
    }

    @Test func `a payment between recorded rows moves money once for a key`() throws {
        var (learned, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.pay(200, TrafficPaymentTests.order, response: #"{"id":"pay-123456","state":"ok","amount":"5.00"}"#),
            Traffic.get(
                300, "/v1/accounts",
                Traffic.accounts.replacing("100.00", with: "95.00").replacing("20.50", with: "25.50")),
        ])

        let bank = try learned.imported.bank("b").bank
        #expect(bank.operations.first { $0.name == "pay" }?.roles == [.pay])
        for _ in 0..<2 {
            let response = caller.send("POST", "/v1/payments", headers: headers, body: TrafficPaymentTests.order).response
            #expect(response.status == 201)
            #expect(response.text.hasSuffix(#""state":"ok","amount":"5.00"}"#))
        }
        let after = caller.send("GET", "/v1/accounts", headers: headers, body: "").response.text
        #expect(after.contains("95.00") && after.contains("25.50"))
        #expect(!Traffic.lists(learned, "no relation was found"))
    }

    @Test func `a failure with a success status is not the response to a payment`() throws {
        let order = TrafficPaymentTests.order.replacing("5.00", with: "5000.00")
        var (learned, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.pay(200, order, 200, response: #"{"success":false,"code":40201,"data":null}"#, key: "key-0"),
            Traffic.pay(300, TrafficPaymentTests.order, 200, response: #"{"success":true,"code":0,"data":{"state":"ok"}}"#),
        ])

        let response = caller.send("POST", "/v1/payments", headers: headers, body: TrafficPaymentTests.order).response
        #expect(response.text == #"{"success":true,"code":0,"data":{"state":"ok"}}"#)
        #expect(Traffic.lists(learned, "only if the fault `business-failure` is set"))
        #expect(try #require(learned.imported.text("b/bank.yaml")).contains("business_failure: {success: false, code: 40201, data: null}"))
    }

    @Test func `a payment is read by the id in its response`() throws {
        var (learned, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.pay(200, TrafficPaymentTests.order, response: #"{"id":"pay-123456","state":"new"}"#),
            Traffic.get(300, "/v1/payments/pay-123456", #"{"paymentId":"pay-123456","state":"done","amount":"5.00"}"#),
        ])

        let order = TrafficPaymentTests.order.replacing("5.00", with: "7.00")
        let id = try #require(caller.send("POST", "/v1/payments", headers: headers, body: order).response.json["id"]?.string)
        let read = caller.send("GET", "/v1/payments/\(id)", headers: headers, body: "").response
        #expect(read.json == ["paymentId": .string(id), "state": "done", "amount": "7.00"], "\(read.text)")
        #expect(learned.imported.text("b/bank.yaml")?.contains(#"belongs: {"_customer": customer}"#) == true)
        #expect(!Traffic.lists(learned, "each payment has an id"))
        let recorded = try #require(try learned.imported.json("b/one-payments.json").array?.first?["paymentId"]?.string)
        #expect(caller.send("GET", "/v1/payments/\(recorded)", headers: headers, body: "").response.json["amount"] == "5.00")
    }

    @Test func `a payment is read by its id where both responses have it in an object`() throws {
        var (_, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.pay(200, TrafficPaymentTests.order, response: #"{"data":{"paymentId":"PM-778899"},"ok":true}"#),
            Traffic.get(300, "/v1/payments/PM-778899", #"{"data":{"paymentId":"PM-778899","state":"done"},"ok":true}"#),
        ])

        let paid = caller.send("POST", "/v1/payments", headers: headers, body: TrafficPaymentTests.order).response.json
        let id = try #require(paid.at("data.paymentId")?.string)
        #expect(paid == ["data": ["paymentId": .string(id)], "ok": true])
        let read = caller.send("GET", "/v1/payments/\(id)", headers: headers, body: "").response
        #expect(read.json == ["data": ["paymentId": .string(id), "state": "done"], "ok": true], "\(read.text)")
    }

    @Test func `an account in another currency is not credited, and the read of a payment without its id is listed`() throws {
        let accounts = Traffic.accounts.replacing(#""20.50","currency":"GBP""#, with: #""20.50","currency":"EUR""#)
        var (learned, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", accounts),
            Traffic.pay(200, TrafficPaymentTests.order, response: #"{"id":"pay-123456","state":"new"}"#),
            Traffic.get(300, "/v1/payments/pay-123456", #"{"state":"done"}"#),
            Traffic.get(400, "/v1/accounts", accounts.replacing("100.00", with: "95.00").replacing("20.50", with: "26.25")),
        ])

        #expect(caller.send("POST", "/v1/payments", headers: headers, body: TrafficPaymentTests.order).response.status == 201)
        let after = caller.send("GET", "/v1/accounts", headers: headers, body: "").response.text
        #expect(after.contains("95.00") && after.contains("20.50"), "\(after)")
        #expect(Traffic.lists(learned, "the account that is paid has another currency; the bank does not credit it"))
        #expect(Traffic.lists(learned, "exchange 4: $.log.entries[3]: found \"GET /v1/payments/{paymentId}\"; each payment has an id"))
    }

    @Test func `a balance may be in the attributes of JSON:API`() throws {
        let accounts =
            #"{"data":[{"id":"a1","attributes":{"current_balance":"100.00","currency_code":"EUR"}},{"id":"a2","attributes":{"current_balance":"0.50","currency_code":"EUR"}}]}"#
        let order = #"{"source_id":"a1","destination_id":"a2","amount":"5.00","currency_code":"EUR"}"#
        var (_, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", accounts), Traffic.pay(200, order, response: #"{"state":"ok"}"#),
        ])

        #expect(caller.send("POST", "/v1/payments", headers: headers, body: order).response.status == 201)
        let after = caller.send("GET", "/v1/accounts", headers: headers, body: "").response.text
        #expect(after == accounts.replacing("100.00", with: "95.00").replacing("0.50", with: "5.50"), "\(after)")
    }

    @Test(arguments: ["amountMinor", "amount_in_cents", "amountMinorUnits"])
    func `an amount may have its unit in its name`(_ name: String) throws {
        func accounts(_ amounts: Int...) -> String {
            let rows = zip(["a1", "a2"], amounts).map { #"{"id":"\#($0)","availableBalance":{"\#(name)":\#($1),"currency":"GBP"}}"# }
            return #"{"accounts":[\#(rows.joined(separator: ","))]}"#
        }
        let order = #"{"from":"a1","to":"a2","\#(name)":500,"currency":"GBP"}"#
        var (learned, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", accounts(10_000, 50)), Traffic.pay(200, order, response: #"{"state":"ok"}"#),
        ])

        #expect(caller.send("POST", "/v1/payments", headers: headers, body: order).response.status == 201)
        #expect(caller.send("GET", "/v1/accounts", headers: headers, body: "").response.text == accounts(9500, 550))
        #expect(try learned.imported.bank("b").bank.operations.contains { $0.roles == [.pay] })
    }

    @Test func `each payment has an id of its own, however short the recorded one is`() throws {
        var (_, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.pay(200, TrafficPaymentTests.order, response: #"{"id":"id-1","state":"ok"}"#),
        ])

        var ids: [String] = []
        for key in ["k-1", "k-1", "k-2"] {
            headers["Idempotency-Key"] = key
            let response = caller.send("POST", "/v1/payments", headers: headers, body: TrafficPaymentTests.order).response
            ids.append(try JSON(parsing: response.body)["id"]?.string ?? "")
        }
        #expect(ids[0] == ids[1])
        #expect(Set(ids).count == 2)
        // The letters are a pseudonym of the recorded ones; the rest is a UUID.
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[a-z]+-[0-9a-f]{8}-[0-9a-f-]{27}/) != nil }, "\(ids)")
    }

    @Test(arguments: ["5.00", "-5.00"]) func `a row that appears after a payment is added by each payment`(shown: String) throws {
        let list = #"{"items":[{"id":"t1","at":"2025-01-01T10:00:00Z","amount":"1.00","text":"Tea"}]}"#
        let later =
            #"{"items":[{"id":"t2","at":"2026-02-02T02:40:00Z","amount":"\#(shown)","text":"Sent"},{"id":"t1","at":"2025-01-01T10:00:00Z","amount":"1.00","text":"Tea"}]}"#
        var (learned, caller, headers) = try caller([
            Traffic.get(50, "/v1/payees", #"{"payees":[{"id":"p1","label":"Gas"}]}"#), Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.get(110, "/v1/accounts/a1/items", list),
            Traffic.pay(200, TrafficPaymentTests.order.replacing("a2", with: "p1"), response: #"{"id":"pay-123456"}"#),
            Traffic.get(300, "/v1/accounts/a1/items", later),
        ])

        #expect(!Traffic.lists(learned, "no relation was found"))
        _ = caller.send("POST", "/v1/payments", headers: headers, body: TrafficPaymentTests.order.replacing("a2", with: "p1"))
        let items = try JSON(parsing: caller.send("GET", "/v1/accounts/a1/items", headers: headers, body: "").response.body)["items"]?.array
        #expect(items?.count == 2)
        #expect(items?.first?["amount"]?.string == shown)
    }

    @Test(arguments: ["4.00", "-5.50"]) func `a row with another amount than the payment's is added by none`(shown: String) throws {
        let list = #"{"items":[{"id":"t1","at":"2025-01-01T10:00:00Z","amount":"1.00"}]}"#
        let later = list.replacing("[", with: #"[{"id":"t2","at":"2026-02-02T02:40:00Z","amount":"\#(shown)"},"#)
        let (learned, _, _) = try caller([
            Traffic.get(50, "/v1/payees", #"{"payees":[{"id":"p1","label":"Gas"}]}"#), Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.get(110, "/v1/accounts/a1/items", list),
            Traffic.pay(200, TrafficPaymentTests.order.replacing("a2", with: "p1"), response: #"{"id":"pay-123456"}"#),
            Traffic.get(300, "/v1/accounts/a1/items", later),
        ])

        #expect(Traffic.lists(learned, "has another amount; the bank adds none"))
    }

    @Test func `a balance that falls shows who pays any payee, and an id in the path of a PUT is the key`() throws {
        func balance(_ units: Int) -> String { #"{"clearedBalance":{"currency":"GBP","minorUnits":\#(units)}}"# }
        func pay(_ id: String) -> String { "/v1/accounts/a1/transfers/0000000\(id)-0000-4000-8000-000000000000" }
        let order = #"{"iban":"GB33BUKB20201555555555","amount":{"currency":"GBP","minorUnits":500}}"#
        var (learned, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", #"[{"id":"a1","kind":"x"},{"id":"a2","kind":"x"}]"#),
            Traffic.get(110, "/v1/accounts/a1/balance", balance(9000)), Traffic.get(120, "/v1/accounts/a2/balance", balance(100)),
            HAREntry(
                200, "PUT", pay("1"), token: "tok-aaaaaaaaaaaa", body: order, sends: Traffic.json, gets: Traffic.json,
                response: #"{"transferUid":"00000001-0000-4000-8000-000000000000","done":true}"#),
            Traffic.get(300, "/v1/accounts/a1/balance", balance(8500)),
        ])
        headers["Idempotency-Key"] = nil

        #expect(!Traffic.lists(learned, "no relation was found"))
        for id in ["2", "2", "3"] {
            let response = caller.send("PUT", pay(id), headers: headers, body: order).response
            #expect(response.text == #"{"transferUid":"0000000\#(id)-0000-4000-8000-000000000000","done":true}"#)
        }
        #expect(caller.send("GET", "/v1/accounts/a1/balance", headers: headers, body: "").response.text == balance(8000))
        #expect(try learned.imported.bank("b").bank.defaults["pay"]?["to"] == "anyone")
    }

    @Test func `a payment that is sent again under its key is one write`() throws {
        let order = TrafficPaymentTests.order.replacing("a2", with: "x9")
        let paid = #"{"id":"pay-123456","state":"ok","amount":"5.00"}"#
        let (learned, _, _) = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts), Traffic.pay(200, order, response: paid),
            Traffic.pay(250, order, response: paid), Traffic.get(300, "/v1/accounts", Traffic.accounts.replacing("100.00", with: "95.00")),
        ])

        #expect(!Traffic.lists(learned, "this payment moves no money"))
        #expect(try learned.imported.bank("b").bank.operations.contains { $0.roles.contains(.pay) })
    }

    @Test func `an object that a POST makes is in the list afterwards`() throws {
        let goal = #"{"id":"g2","label":"Bike","state":"new"}"#
        var (_, caller, headers) = try caller([
            Traffic.get(100, "/v1/goals", #"{"goals":[{"id":"g1","label":"Car","state":"new"}]}"#),
            HAREntry(
                200, "POST", "/v1/goals", 201, token: "tok-aaaaaaaaaaaa", body: #"{"label":"Bike"}"#, sends: Traffic.json,
                gets: Traffic.json, response: goal),
            Traffic.get(300, "/v1/goals", #"{"goals":[{"id":"g1","label":"Car","state":"new"},\#(goal)]}"#),
        ])

        #expect(caller.send("POST", "/v1/goals", headers: headers, body: #"{"label":"Boat"}"#).response.status == 201)
        let goals = try JSON(parsing: caller.send("GET", "/v1/goals", headers: headers, body: "").response.body)["goals"]?.array
        #expect(goals?.map { $0["label"]?.string } == ["Car", "Boat"])
    }

    @Test(arguments: [
        (
            #"{"from":"a9","to":"a2","amount":"5.00","currency":"GBP"}"#,
            "no member or part of the path names a recorded row with a balance that pays"
        ),
        (#"{"from":"a1","to":"x9","amount":"5.00","currency":"GBP"}"#, "no member names a recorded row that is paid"),
        (
            #"{"from":"a1","to":"a2","amount":"5.00","currency":"EUR"}"#, "the account that pays has another currency than the payment"
        ), (#"{"from":"a1","to":"a2","currency":"GBP"}"#, "its body has no amount"),
        (#"{"from":"a1","to":"a2","amount":"5.00","fee":{"amount":"1.00"}}"#, "its body has 2 amounts"),
    ])
    func `a payment without evidence is sent as recorded, and the report has the reason`(_ body: String, _ reason: String) throws {
        var (learned, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts), Traffic.pay(200, body, response: #"{ "state": "x" }"#),
        ])

        #expect(Traffic.lists(learned, "this payment moves no money in the bank: \(reason)"))
        #expect(caller.send("POST", "/v1/payments", headers: headers, body: body).response.text == #"{ "state": "x" }"#)
        #expect(try learned.imported.bank("b").bank.operations.allSatisfy { !$0.roles.contains(.pay) })
    }

    @Test func `a payment from an account with a list of balances is listed, and a number of the request is not called a key`() throws {
        let balances = #"{"balances":[{"balanceType":"closingBooked","balanceAmount":{"currency":"EUR","amount":"9.00"}}]}"#
        let learned = try caller([
            Traffic.get(100, "/v1/accounts", #"{"accounts":[{"id":"a1","currency":"EUR"},{"id":"a2","currency":"EUR"}]}"#),
            Traffic.get(110, "/v1/accounts/a1/balances", balances), Traffic.get(120, "/v1/accounts/a2/balances", balances),
            HAREntry(
                200, "POST", "/v1/payments", 201, token: "tok-aaaaaaaaaaaa", body: TrafficPaymentTests.order,
                sends: Traffic.json.merging(["X-Request-Id": "8c4a4a1e-7c7c-4d43-9a43-0c1d1f3f2b11"]) { $1 }, gets: Traffic.json,
                response: #"{"state":"ok"}"#),
        ]).learned

        #expect(Traffic.lists(learned, "the balances of `one-balances` are a list, `balances`, which no payment changes"))
        #expect(Traffic.lists(learned, "nothing shows whether X-Request-Id is the idempotency key"))
    }

    @Test func `a payment in a form is listed`() throws {
        let learned = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
            HAREntry(
                200, "POST", "/v1/payments", 201, token: "tok-aaaaaaaaaaaa", body: "from=a1&to=a2&amount=5.00", sends: Traffic.form,
                gets: Traffic.json, response: #"{"state":"ok"}"#),
        ]).learned

        #expect(Traffic.lists(learned, "this payment moves no money in the bank: its body is not a JSON object"))
    }

    @Test func `a balance that falls by something else, and a change without a relation, are listed`() throws {
        let fee = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.pay(200, TrafficPaymentTests.order, response: "{}"),
            Traffic.get(300, "/v1/accounts", Traffic.accounts.replacing("100.00", with: "94.70")),
        ]).learned
        #expect(
            Traffic.lists(
                fee, "exchange 4: $.log.entries[3]: found \"GET /v1/accounts\"; the balance did not fall by the amount of exchange 3"))

        let other = try caller([
            Traffic.get(100, "/v1/points", #"{"points":3}"#),
            HAREntry(
                200, "POST", "/v1/play", 200, token: "tok-aaaaaaaaaaaa", body: "{}", sends: Traffic.json, gets: Traffic.json, response: "{}"
            ),
            Traffic.get(300, "/v1/points", #"{"points":4}"#),
        ]).learned
        #expect(
            Traffic.lists(
                other, "the response differs from that of exchange 2 after POST /v1/play in exchange 3, and no relation was found"))
    }

    @Test func `requests with different bodies have their own responses`() throws {
        func ask(_ at: Int, _ body: String, _ status: Int, _ response: String) -> HAREntry {
            HAREntry(
                at, "POST", "/v1/check", status, token: "tok-aaaaaaaaaaaa", body: body, sends: Traffic.json, gets: Traffic.json,
                response: response)
        }
        var (learned, caller, headers) = try caller([
            ask(100, #"{"a":1}"#, 200, #"{"ok":true}"#), ask(200, #"{"a":2}"#, 200, #"{"ok":false}"#),
            ask(300, #"{"a":3}"#, 422, #"{"no":1}"#),
        ])

        let responses = [1, 2, 3].map { caller.send("POST", "/v1/check", headers: headers, body: "{\"a\":\($0)}").response }
        #expect(responses.map(\.text) == [#"{"ok":true}"#, #"{"ok":false}"#, #"{"no":1}"#])
        #expect(responses.map(\.status) == [200, 200, 422])
        #expect(Traffic.lists(learned, "3 different bodies were sent to this address; each gets its recorded response"))
    }

    @Test(arguments: [
        (#"{"method":"unlock","params":{"password":"\#(secret)"}}"#, #"{"method":"list","params":{"password":"\#(secret)"}}"#, "json", 200),
        // A fault of SOAP has the status 500.
        ("<Unlock><Password>\(secret)</Password></Unlock>", "<List><Password>\(secret)</Password></List>", "xml", 500),
    ])
    func `a secret in a body does not decide the response`(_ first: String, _ other: String, _ type: String, _ status: Int) throws {
        let types = ["Content-Type": "application/\(type)"]
        func ask(_ at: Int, _ body: String, _ status: Int, _ response: String) -> HAREntry {
            HAREntry(
                at, "POST", "/v1/service", status, token: "tok-aaaaaaaaaaaa", body: body, sends: types, gets: types, response: response)
        }
        var (_, caller, headers) = try caller([ask(100, first, 200, "<First/>"), ask(200, other, status, "<Other/>")])
        headers["Content-Type"] = types["Content-Type"]

        func send(_ body: String) -> BankResponse {
            let another = body.replacing(TrafficPaymentTests.secret, with: "another-secret")
            return caller.send("POST", "/v1/service", headers: headers, body: another).response
        }
        #expect(send(first).text == "<First/>")
        #expect(send(other).text == "<Other/>")
        #expect(send(other).status == status)
        #expect(send("<Neither/>").status == 404)
    }

    private static let secret = "s3cr3t-Wq81-zz"

    @Test(arguments: ["1700-01-01T00:00:00Z", "2262-04-11T23:47:16Z"])
    func `an instant centuries from a payment is not the time of its request`(instant: String) throws {
        var (_, caller, headers) = try caller([
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.pay(200, TrafficPaymentTests.order, response: #"{"id":"pay-123456","since":"\#(instant)"}"#),
        ])

        let response = caller.send("POST", "/v1/payments", headers: headers, body: TrafficPaymentTests.order).response
        #expect(try JSON(parsing: response.body)["since"]?.string == instant)
    }
}
