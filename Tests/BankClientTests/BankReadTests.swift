import BankClient
import BankModel
import Foundation
import Testing

/// The values read from each bank's shapes.
struct BankReadTests {
    @Test
    func `counterfoil: sign by direction, day in the user's time zone, replaced pendings gone, unknown machine not shown`() async throws {
        let bank = try await Bank(zone: "Pacific/Auckland") { request, _ in
            if request.url.contains("/atms") {
                return .json(
                    200, #"{"atms":[{"id":"m1","name":"Quay","address":"x","location":{"lat":-33.860,"lng":151.21},"services":[]}]}"#)
            }
            return .json(
                200,
                #"""
                {"transactions":[
                 {"id":"t1","booked_at":"2026-01-12T12:30:00Z","status":"booked","direction":"debit","kind":"new-kind","amount":{"amount":"2.20","currency":"GBP"},"description":"a<br/>b","replaces":"t0","atm_id":"m1"},
                 {"id":"t0","booked_at":"2026-01-12T12:29:00Z","status":"pending","direction":"debit","amount":{"amount":"2.20","currency":"GBP"},"description":""},
                 {"id":"bad","booked_at":"2026-02-30T00:00:00Z","status":"booked","direction":"debit","amount":{"amount":"1.00","currency":"GBP"},"description":""},
                 {"id":"t2","booked_at":"2026-01-12T10:59:59.999Z","status":"pending","direction":"credit","amount":{"amount":"0.0001","currency":"CLF"},"description":"c","atm_id":"m9"}]}
                """#)
        }

        let listing = try await bank.client.transactions(of: "acc/1")

        #expect(bank.transport.requests.first?.url == "http://bank/v1/accounts/acc%2F1/transactions")
        #expect(listing.setAside == 1)
        #expect(listing.rows.map(\.id) == ["t1", "t2"])
        #expect(listing.rows.map(\.date.description) == ["2026-01-13", "2026-01-12"])
        #expect(listing.rows.map(\.amount.major) == ["-2.20", "0.0001"])
        #expect(listing.rows.map(\.description) == ["a\nb", "c"])
        #expect(listing.rows.map(\.pending) == [false, true])
        #expect(listing.rows.map(\.atm) == ["m1", nil])
        #expect(try await bank.client.atms().rows.first?.latitude.digits == "-33.860")
    }

    @Test func `counterfoil: public calls carry no token`() async throws {
        let bank = try await Bank { _, _ in .json(200, #"{"atms":[]}"#) }

        _ = try await bank.client.atms()

        #expect(bank.transport.requests.first?.headers["Authorization"] == nil)
    }

    @Test func `roundup: amounts beyond 2^53, any kind of account, no reference`() async throws {
        let bank = try await Bank("roundup") { request, _ in
            if request.url.hasSuffix("/accounts") {
                return .json(
                    200, #"{"accounts":[{"accountUid":"a1","accountType":"LOAN","currency":"JPY","createdAt":"x","name":"Main"}]}"#)
            }
            return .json(
                200,
                #"""
                {"feedItems":[
                 {"feedItemUid":"f1","amount":{"currency":"JPY","minorUnits":9007199254740993},"direction":"OUT","transactionTime":"2026-01-12T09:15:00.000Z","counterPartyName":"Shop"},
                 {"feedItemUid":"f2","amount":{"currency":"BHD","minorUnits":5},"direction":"IN","transactionTime":"2026-01-12T09:16:00Z","reference":"r"}]}
                """#)
        }

        let listing = try await bank.client.transactions(of: nil, Period(from: Instant(seconds: 0), to: Instant(seconds: 1)))

        let path = "http://bank/api/v2/feed/account/a1/settled-transactions-between"
        #expect(
            bank.transport.requests.last?.url
                == path + "?minTransactionTimestamp=1970-01-01T00%3A00%3A00.000Z&maxTransactionTimestamp=1970-01-01T00%3A00%3A01.000Z")
        #expect(listing.rows.map(\.description) == ["r", "Shop"])
        #expect(listing.rows.map(\.amount.major) == ["0.005", "-9007199254740993"])
    }

    @Test func `snapshot: days with and without zero, pending before cleared, nothing rolls over`() async throws {
        let bank = try await Bank("snapshot") { _, _ in
            .json(
                200,
                #"""
                {"account":{"accountName":"Complete","accountNumber":"06 1","available":226.76,"balance":246.76},
                 "transactions":[{"id":"1","effectiveDate":"20/07/2017","description":"x<br/>y","amount":-200.00,"atmId":"129382"},
                  {"effectiveDate":"4/11/2017","id":"2","description":"","amount":12,"atmId":"none"},
                  {"id":"3","effectiveDate":"31/02/2017","description":"","amount":1},{"id":"4","effectiveDate":"22/08/20","description":"","amount":1}],
                 "pending":[{"id":"5","effectiveDate":"20/07/2017","description":"","amount":0.02}],
                 "atms":[{"id":"129382","name":"Circular Quay","address":"","location":{"lat":-33.861382,"lng":151.210316}}]}
                """#)
        }

        let listing = try await bank.client.transactions()

        #expect(listing.rows.map(\.id) == ["2", "5", "1"])
        #expect(listing.setAside == 2)
        #expect(listing.rows.map(\.amount.major) == ["12.00", "0.02", "-200.00"])
        #expect(listing.rows.map(\.atm) == [nil, nil, "129382"])
        #expect(try await bank.client.balance().available?.major == "226.76")
        #expect(try await bank.client.accounts().rows.first?.id == "06 1")
        #expect(bank.transport.requests.first?.url == "http://bank/s/data.json?dl=1")
    }

    @Test(
        arguments: [
            ("text/html", "<html></html>"), ("text/html", #"{"accounts":[]}"#), ("", #"{"accounts":[]}"#), ("application/json", ""),
            ("application/json", "<html>"), ("application/json", #"{"accounts":{}}"#), ("application/json", "[]"),
            ("application/json", "{\"accounts\":[]"),
        ])
    func `a page that is not the bank's is not data`(_ type: String, _ body: String) async throws {
        let bank = try await Bank { _, _ in .json(200, body, headers: ["Content-Type": type]) }

        #expect(await bank.error { try await $0.accounts() } == .decode)
        #expect(try await bank.client.status().signedIn)
    }
}
