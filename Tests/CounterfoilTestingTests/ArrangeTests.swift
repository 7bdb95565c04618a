import BankModel
import CounterfoilTesting
import Foundation
import Testing

/// Data and responses that a test sets.
@Suite(.stubBank(.counterfoil), .timeLimit(.minutes(10))) struct ArrangeTests {
    @Test func `a balance is what the app sees and can spend`() async throws {
        let bank = try StubBank.current
        let token = try bank.tokens.issue(for: .ava).text
        try bank.arrange { $0.account("ava-gbp").balance = "10.00 GBP" }

        #expect(try bank.balance(of: "ava-gbp").description == "10.00 GBP")
        let account = try JSON(parsing: Array(try await call(bank, "v1/accounts/ava-gbp", token: token).body.utf8))
        #expect(account.at("balance.amount") == "10.00")
        #expect(account.at("available.amount") == "10.00")
        #expect(try await pay(bank, "10.01", token: token, key: "key-1").status == 422)
        #expect(try await pay(bank, "4.00", token: token, key: "key-2").status == 201)
        #expect(try bank.balance(of: "ava-gbp").major == "6.00")

        // Later too: what has moved counts.
        try bank.arrange { $0.account("accounts/ava-gbp").balance = "-1.50 GBP" }
        #expect(try bank.balance(of: "ava-gbp").minorUnits == -150)
        #expect(bank.ledger.isBalanced)
        try await bank.reset()
        #expect(try bank.balance(of: "ava-gbp").major == "24915.55")
    }

    @Test(arguments: [("ava-jpy", "7 JPY"), ("ava-bhd", "0.001 BHD")]) func `a balance has the digits of its currency`(
        _ account: String, _ balance: String
    ) throws {
        let bank = try StubBank.current
        try bank.arrange {
            $0.account(account).balance = balance
            #expect($0.account(account).balance == balance)
        }
        #expect(try bank.balance(of: account).description == balance)
    }

    @Test(.stubBank(.roundup)) func `a balance in minor units is set too`() async throws {
        let bank = try StubBank.current
        let account = "5f1c0a10-0000-4000-8000-000000000a01"
        try bank.arrange {
            $0.account(account).balance = "12.34 GBP"
            $0.account(account).transactions.removeAll()
            $0.account(account).transactions.append(count: 2)
        }

        let token = try bank.tokens.issue(for: .ava).text
        let balance = try await call(bank, "api/v2/accounts/\(account)/balance", token: token)
        #expect(try JSON(parsing: Array(balance.body.utf8)).at("effectiveBalance.minorUnits") == 1234)
        #expect(try bank.balance(of: account).minorUnits == 1234)
    }

    @Test func `transactions are added with ids of their own, and listed page by page`() async throws {
        let bank = try StubBank.current
        let token = try bank.tokens.issue(for: .ava).text
        let before = try await transactions(bank, of: "ava-gbp", token)
        try bank.arrange {
            let transactions = $0.account("ava-gbp").transactions
            #expect(transactions.count == before.count)
            transactions.append(count: 500)
            transactions.append(["description": "Rent", "amount.amount": "750.00", "booked_at": "@-1d08:00"])
            #expect(transactions.count == before.count + 501)
        }

        let after = try await transactions(bank, of: "ava-gbp", token)
        let others = try await transactions(bank, of: "ava-eur", token)

        #expect(after.count == before.count + 501)
        #expect(Set(after.compactMap { $0.at("id") }).count == after.count)
        #expect(!others.contains { $0.at("id")?.string?.hasPrefix("arranged-") == true })
        let rent = try #require(after.first { $0.at("description") == "Rent" })
        #expect(rent.at("amount.amount") == "750.00")
        let dates = after.compactMap { $0.at("booked_at")?.string }
        #expect(dates == dates.sorted(by: >))
        #expect(Set(dates).count > before.count)
        try bank.arrange { $0.account("ava-gbp").transactions.removeAll() }
        #expect(try await transactions(bank, of: "ava-gbp", token).isEmpty)
        try await bank.reset()
        let renewed = try bank.tokens.issue(for: .ava).text
        #expect(try await transactions(bank, of: "ava-gbp", renewed).count == before.count)
    }

    @Test func `an account without transactions gets copies in its currency`() async throws {
        let bank = try StubBank.current
        try bank.arrange {
            let transactions = $0.account("ava-gbp").transactions
            transactions.removeAll()
            transactions.append(count: 3)
        }

        let rows = try await transactions(bank, of: "ava-gbp", try bank.tokens.issue(for: .ava).text)

        #expect(rows.count == 3)
        #expect(rows.allSatisfy { $0.at("amount.currency") == "GBP" })
    }

    @Test func `rows of any table are set`() async throws {
        let bank = try StubBank.current
        try bank.arrange {
            $0.table("atms").removeAll()
            $0.table("atms").append(["id": "atm-moon", "name": "Tranquility", "location": ["lat": 0, "lng": 0], "services": []])
        }

        let atms = try JSON(parsing: Array(try await call(bank, "v1/atms").body.utf8))

        #expect(atms.text.contains("atm-moon"))
        #expect(!atms.text.contains("atm-quay"))
    }

    static let mistakes: [(@Sendable (StubBank.Arrangement) -> Void, String)] = [
        (
            { $0.account("ava-gpb").balance = "1.00 GBP" },
            "found the account \"ava-gpb\", expected the id of an account of the bank \"counterfoil\"; did you mean `ava-gbp`?"
        ),
        (
            { $0.account("ava-gbp").balance = "1.00 EUR" },
            "found the balance \"1.00 EUR\" for \"ava-gbp\", expected an amount such as \"24915.55 GBP\""
        ),
        ({ $0.account("ava-gbp").balance = "1.005 GBP" }, "found the balance \"1.005 GBP\""),
        ({ $0.account("ava-gbp").balance = "ten" }, "found the balance \"ten\""),
        (
            { $0.table("payee").removeAll() },
            "found the table \"payee\", expected accounts, atms, consents, goals, newPayees, openings, orders, payees, payments, quotes or "
                + "transactions"
        ),
        ({ $0.table("payments").append(count: 1) }, "found no row to copy in the table \"payments\""),
        ({ $0.table("payees").append(["nmae": "X"]) }, "found the field \"nmae\" for the table \"payees\", expected a field of its rows: "),
        ({ $0.account("ava-gbp").transactions.append(count: -1) }, "found append(count: -1)"),
    ]

    @Test(arguments: ArrangeTests.mistakes)
    func `a mistake is reported and changes nothing`(_ change: @Sendable (StubBank.Arrangement) -> Void, _ expected: String) async throws {
        let bank = try StubBank.current
        let error = await trouble {
            try bank.arrange {
                $0.account("ava-eur").balance = "1.00 EUR"
                change($0)
            }
        }

        #expect(error?.code == .invalidData)
        #expect(error?.message.hasPrefix(expected) == true, "\(String(describing: error))")
        #expect(try bank.balance(of: "ava-eur").major == "1290.60")
    }

    @Test(.stubBank(.feed)) func `transactions that belong to no account are reported`() async throws {
        let bank = try StubBank.current
        let error = await trouble { try bank.arrange { $0.account("ava").transactions.append(count: 1) } }

        #expect(error?.message.hasPrefix("found the account \"ava\", expected the id of an account of the bank \"feed\"") == true)
        try bank.arrange { $0.table("transactions").append(count: 1) }
    }

    // MARK: responses

    @Test func `a path is answered by code, with the request at hand`() async throws {
        let bank = try StubBank.current
        try bank.respond(to: .get("/v1/news")) { request in .json([["for": .string(request.query("for") ?? "none")]]) }
        try bank.respond(to: .post("/v1/news")) { request in
            let (value, type) = (try request.json().at("a")?.text ?? "", request.header("content-type") ?? "")
            return .text("\(request.method) \(request.path) \(value) \(type)", status: 202)
        }

        let url = try #require(URL(string: "\(bank.url)/v1/news?for=ava%20b"))
        let read = try await call(url)
        let written = try await call(bank, "v1/news", method: "POST", body: #"{"a": 1}"#)

        #expect((read.status, read.body) == (200, #"[{"for":"ava b"}]"#))
        #expect((written.status, written.body) == (202, "POST /v1/news 1 application/json"))
        try await bank.waitUntilIdle()
        #expect(bank.journal.map(\.status) == [200, 202])
        #expect(bank.journal.first?.responseHeader("content-type") == "application/json")
        #expect(String(decoding: bank.journal[0].responseBody, as: UTF8.self) == #"[{"for":"ava b"}]"#)
        #expect(try await call(bank, "v1/atms").status == 200)
    }

    @Test func `a response takes the place of an operation, and a fault applies to it`() async throws {
        let bank = try StubBank.current
        try bank.respond(to: .role(.atms)) { _ in .json(["atms": []]) }
        try bank.respond(to: .role(.atms)) { _ in .json(["atms": ["second"]]) }
        #expect(try await call(bank, "v1/atms").body == #"{"atms":["second"]}"#)

        let rule = try await bank.inject(.truncate(at: .bytes(4), honest: true), on: .role(.atms), times: 1)
        #expect(try await call(bank, "v1/atms").body == #"{"at"#)
        try await bank.inject(.status(503), on: .role(.atms), times: 1)
        #expect(try await call(bank, "v1/atms").status == 503)

        #expect(rule.count == 1)
        try await bank.reset()
        #expect(try await call(bank, "v1/atms").body.contains("atm-quay"))
    }

    @Test func `a payment that is answered by code moves no money, and its key stays free`() async throws {
        let bank = try StubBank.current
        let token = try bank.tokens.issue(for: .ava).text
        try bank.respond(to: .role(.pay).attempt(1)) { _ in .status(502) }

        #expect(try await pay(bank, token: token).status == 502)
        #expect(bank.ledger.movements.isEmpty)
        #expect(try await pay(bank, token: token).status == 201)
        #expect(bank.ledger.movements.count == 1)
    }

    @Test func `a closure may use its bank, and its error is the response`() async throws {
        let bank = try StubBank.current
        try bank.respond(to: .get("/v1/count")) { _ in .json(.int(bank.journal.count)) }
        try bank.respond(to: .get("/v1/broken")) { _ in throw CocoaError(.fileNoSuchFile) }
        try bank.respond(to: .get("/v1/wrong")) { _ in .status(99) }

        #expect(try await call(bank, "v1/count").body == "1")
        let broken = try await call(bank, "v1/broken")
        #expect(broken.status == 500)
        #expect(broken.body.hasPrefix("the closure of respond(to:) threw for GET /v1/broken: "))
        let wrong = try await call(bank, "v1/wrong")
        #expect((wrong.status, wrong.body) == (500, "found the status 99 in respond(to:), expected one from 200 to 599"))
        let error = await trouble { try bank.respond(to: .operation("atmss")) { _ in .status(200) } }
        #expect(error?.code == .cannotAct)
        #expect(error?.message.contains("did you mean `atms`?") == true, "\(String(describing: error))")
    }
}

/// All pages of an account's transactions.
private func transactions(_ bank: StubBank, of account: String, _ token: String) async throws -> [JSON] {
    var (all, cursor): ([JSON], String?) = ([], nil)
    repeat {
        var url = try #require(URLComponents(string: "\(bank.url)/v1/accounts/\(account)/transactions"))
        url.queryItems = [URLQueryItem(name: "limit", value: "20")] + (cursor.map { [URLQueryItem(name: "cursor", value: $0)] } ?? [])
        let page = try JSON(parsing: Array(try await call(try #require(url.url), token: token).body.utf8))
        all += page.at("transactions")?.array ?? []
        cursor = page.at("next_cursor")?.string
    } while cursor != nil
    return all
}
