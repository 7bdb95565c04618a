import BankClient
import BankModel
import Foundation

/// A correct answer of a bank, and the call that reads it.
struct FuzzSeed: Sendable {
    var bank: String
    var body: String
    var status = 200
    var read: @Sendable (BankClient) async throws -> Void

    /// The answer's bytes on the wire, head and body.
    var bytes: [UInt8] { FuzzSeed.answer(status: status, Array(body.utf8)) }

    /// A complete answer with that body.
    static func answer(status: Int = 200, _ body: [UInt8]) -> [UInt8] {
        Array(
            "HTTP/1.1 \(status) Said\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: \(body.count)\r\nETag: \"1\"\r\n\r\n"
                .utf8) + body
    }

    /// One for each shape of the banks. Calls name the account, so that each needs one answer only.
    static let all: [FuzzSeed] = [
        FuzzSeed(
            bank: "counterfoil",
            body: #"""
                {"accounts":[{"id":"a1","name":"Main","currency":"GBP","type":"current","balance":{"amount":"12.50","currency":"GBP"}}]}
                """#, read: { _ = try await $0.accounts() }),
        FuzzSeed(
            bank: "counterfoil",
            body: #"""
                {"id":"a1","balance":{"amount":"12.50","currency":"GBP"},"available":{"amount":"10.00","currency":"GBP"}}
                """#, read: { _ = try await $0.balance(of: "a1") }),
        FuzzSeed(
            bank: "counterfoil",
            body: #"""
                {"transactions":[{"id":"t1","booked_at":"2026-01-12T12:30:00Z","status":"booked","direction":"debit","amount":{"amount":"2.20","currency":"GBP"},"description":"a<br/>b\u20ac","replaces":"t0"},{"id":"t0","booked_at":"2026-01-12T12:29:00.5+01:00","status":"pending","direction":"credit","amount":{"amount":"0.0001","currency":"CLF"},"description":""}],"next_cursor":null}
                """#, read: { _ = try await $0.transactions(of: "a1") }),
        FuzzSeed(
            bank: "counterfoil",
            body: #"""
                {"atms":[{"id":"m1","name":"Quay","address":"x","location":{"lat":-33.860,"lng":151.21},"services":[]}]}
                """#, read: { _ = try await $0.atms() }),
        FuzzSeed(bank: "counterfoil", body: #"{"id":"p1","state":"accepted"}"#, status: 201, read: pay),
        FuzzSeed(
            bank: "roundup",
            body: #"""
                {"feedItems":[{"feedItemUid":"f1","amount":{"currency":"JPY","minorUnits":9007199254740993},"direction":"OUT","transactionTime":"2026-01-12T09:15:00.000Z","counterPartyName":"Shop"}]}
                """#, read: { _ = try await $0.transactions(of: "a1") }),
        FuzzSeed(
            bank: "roundup",
            body: #"""
                {"savingsGoals":[{"savingsGoalUid":"g1","name":"Trip","totalSaved":{"currency":"GBP","minorUnits":5},"target":{"currency":"GBP","minorUnits":100}}]}
                """#, read: { _ = try await $0.goals(of: "a1") }),
        FuzzSeed(bank: "roundup", body: #"{"success":true,"transferUid":"u1"}"#, read: pay),
        FuzzSeed(
            bank: "bins",
            body: #"""
                [{"id":1,"date":"2026-01-12T09:15:00Z","amount":-12.34,"fee":0.5,"description":"x"},{"id":"2","date":"2026-01-13T09:15:00Z","amount":1e2,"description":"y"}]
                """#, read: { _ = try await $0.balance() }),
        FuzzSeed(
            bank: "snapshot",
            body: #"""
                {"account":{"accountName":"Complete","accountNumber":"06 1","available":226.76,"balance":246.76},"transactions":[{"id":"1","effectiveDate":"20/07/2017","description":"x<br/>y","amount":-200.00,"atmId":"129382"}],"pending":[{"id":"5","effectiveDate":"4/11/2017","description":"","amount":0.02}],"atms":[{"id":"129382","name":"Quay","address":"","location":{"lat":-33.86,"lng":151.21}}]}
                """#, read: { _ = try await $0.transactions() }),
        FuzzSeed(
            bank: "feed",
            body: #"""
                {"data":[{"id":"1","date":"2026-01-12","amount":{"value":-3.5,"currency_iso":"EUR"},"description":"<b>z</b>"}]}
                """#, read: { _ = try await $0.transactions() }),
        FuzzSeed(
            bank: "login",
            body: #"""
                {"accounts":[{"id":"1","name":"Main","currency":"USD","balance":15.07}]}
                """#, read: { _ = try await $0.accounts() }),
        FuzzSeed(
            bank: "openbanking",
            body: #"""
                {"Data":{"Account":[{"AccountId":"a1","Currency":"GBP","AccountTypeCode":"CACC","Nickname":"Bills"}]},"Links":{"Self":"http://bank/a"},"Meta":{"TotalPages":1}}
                """#, read: { _ = try await $0.accounts() }),
        FuzzSeed(
            bank: "openbanking",
            body: #"""
                {"Data":{"Balance":[{"AccountId":"a1","CreditDebitIndicator":"Debit","Type":"ITAV","Amount":{"Amount":"12.30","Currency":"GBP"}}]}}
                """#, read: { _ = try await $0.balance(of: "a1") }),
        FuzzSeed(
            bank: "openbanking",
            body: #"""
                {"Data":{"Transaction":[{"TransactionId":"t1","AccountId":"a1","CreditDebitIndicator":"Debit","Status":"PDNG","BookingDateTime":"2026-01-12T00:20:00Z","Amount":{"Amount":"18.35","Currency":"GBP"},"TransactionInformation":"x"}]},"Links":{"Self":"http://bank/t"},"Meta":{"TotalPages":1}}
                """#, read: { _ = try await $0.transactions(of: "a1") }),
        FuzzSeed(
            bank: "berlin",
            body: #"""
                {"accounts":[{"resourceId":"a1","iban":"DE02100100109307118603","currency":"EUR","name":"Girokonto"}]}
                """#, read: { _ = try await $0.accounts() }),
        FuzzSeed(
            bank: "berlin",
            body: #"""
                {"balances":[{"balanceAmount":{"currency":"EUR","amount":"12.30"},"balanceType":"interimAvailable"}]}
                """#, read: { _ = try await $0.balance(of: "a1") }),
        FuzzSeed(
            bank: "berlin",
            body: #"""
                {"transactions":{"booked":[{"transactionId":"t1","bookingDate":"2026-01-12","transactionAmount":{"currency":"EUR","amount":"-18.35"},"creditorName":"x"}],"pending":[{"transactionId":"t2","valueDate":"2026-01-12","transactionAmount":{"currency":"EUR","amount":"-1.00"}}],"_links":{}}}
                """#, read: { _ = try await $0.transactions(of: "a1") }),
    ]

    private static let pay: @Sendable (BankClient) async throws -> Void = {
        _ = try await $0.pay(UUID().uuidString, PaymentOrder(from: "a1", to: "b1", amount: pounds("1.00")))
    }
}
