@testable import BankClient
import BankModel
import DriverProtocol
import Foundation
import Platform
import Testing

/// A round-up from the account's list to the goal's payment, at both banks that have goals.
@Suite(.timeLimit(.minutes(10)))
struct RoundUpTests {
    @Test func `counterfoil: booked debits of all pages, to the goal that was named, once`() async throws {
        let bank = try await Bank { request, _ in
            if request.method == "POST" { return .paid }
            return request.url.contains("cursor=2")
                ? .json(200, #"{"transactions":[\#(row("4", "1.99")),\#(row("1", "4.35"))]}"#)
                : .json(
                    200,
                    #"{"transactions":[\#(row("1", "4.35")),\#(row("2", "1.50", "pending")),\#(row("3", "1.50", kind: "internal")),{}],"next_cursor":"2"}"#
                )
        }

        let roundUp = try await bank.client.roundUp("A", account: "a", goal: "g")

        #expect(roundUp == RoundUp(amount: pounds("0.66"), payment: "p1"))
        let list = try #require(bank.transport.requests.first)
        #expect(
            list.url.hasPrefix("http://bank/v1/accounts/a/transactions?from=2027-01-08T00%3A00%3A00.000Z&to=2027-01-15T08%3A00%3A00.000Z"))
        #expect(bank.payments.map(\.body) == [Array(#"{"from":"a","to":"g","amount":{"amount":"0.66","currency":"GBP"}}"#.utf8)])
    }

    @Test func `roundup: settled outgoing items but internal transfers, in minor units, to the first active goal of the first account`()
        async throws
    {
        let bank = try await Bank("roundup") { request, _ in
            if request.method == "PUT" { return .json(200, #"{"transferUid":"t","success":true,"errors":[]}"#) }
            if request.url.hasSuffix("/accounts") { return .json(200, #"{"accounts":[{"accountUid":"a","currency":"GBP"}]}"#) }
            if request.url.hasSuffix("/spaces") {
                return .json(
                    200, #"{"savingsGoals":[{"savingsGoalUid":"old","state":"ARCHIVED"},{"savingsGoalUid":"g","state":"ACTIVE"}]}"#)
            }
            let items = [
                item("1", 435), item("2", 520), item("3", 87), item("3", 87), item("4", 150, "IN"),
                item("5", 150, source: "INTERNAL_TRANSFER"),
                item("6", 150, status: "DECLINED"), item("7", 150, at: "2027-01-07T23:59:59.999Z"), #"{"feedItemUid":7}"#,
            ]
            return .json(200, #"{"feedItems":[\#(items.joined(separator: ","))]}"#)
        }

        let roundUp = try await bank.client.roundUp("A")

        #expect(roundUp == RoundUp(amount: pounds("1.58"), payment: "t"))
        let payment = try #require(bank.payments.first)
        #expect(payment.url.hasPrefix("http://bank/api/v2/account/a/savings-goals/g/add-money/"))
        #expect(payment.body == Array(#"{"amount":{"currency":"GBP","minorUnits":158}}"#.utf8))
    }

    @Test func `a retry has the amount computed first, though the list has changed and the client was restarted`() async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            let before = try await Bank(outbox: try SQLiteOutbox(path: path)) { request, _ in
                request.method == "POST" ? .lost : .json(200, #"{"transactions":[\#(row("1", "4.35"))]}"#)
            }
            #expect(await before.error { try await $0.roundUp("A", account: "a", goal: "g") } == .outcomeUnknown)

            let after = try await Bank(outbox: try SQLiteOutbox(path: path)) { request, _ in
                request.method == "POST" ? .paid : .json(200, #"{"transactions":[\#(row("1", "4.35")),\#(row("2", "1.10"))]}"#)
            }
            #expect(try await after.client.roundUp("A", account: "a", goal: "g").amount == pounds("0.65"))
            #expect(try await after.client.roundUp("A", account: "a", goal: "g").amount == pounds("0.65"))
            #expect(after.payments.count == 1)
            #expect(Set(before.keys + after.keys).count == 1)

            // Another intent is computed again, under a separate key.
            #expect(try await after.client.roundUp("B", account: "a", goal: "g").amount == pounds("1.55"))
            #expect(Set(after.keys).count == 2)
        }
    }

    @Test func `a double tap works out and moves one amount`() async throws {
        let latch = Latch()
        let bank = try await Bank { request, _ in
            if request.method == "POST" { return .paid }
            await latch.wait()
            return .json(200, #"{"transactions":[\#(row("1", "4.35"))]}"#)
        }

        async let first = bank.client.roundUp("A", account: "a", goal: "g")
        await latch.hasWaiting()
        async let second = bank.client.roundUp("A", account: "a", goal: "g")
        latch.open()
        let both = try await [first, second]

        #expect(Set(both).count == 1)
        #expect(bank.payments.count == 1)
    }

    @Test(
        arguments: [
            (.json(200, #"{"transactions":[\#(row("1", "4.35"))]}"#), .notFound),
            (.json(200, #"{"transactions":[\#(row("1", "4.35")),\#(row("2", "4.35", currency: "EUR"))]}"#), .rejected),
            (.json(200, #"{"transactions":[\#(row("1", "4.00"))]}"#), .nothingToDo), (.json(200, #"{"transactions":[]}"#), .nothingToDo),
            (.json(200, #"{"transactions":[\#(row("1", "4.35"))],"next_cursor":"round and round"}"#), .decode),
            (.json(200, "{}"), .decode), (.problem(404, "not-found"), .notFound), (.refused, .offline),
        ] as [(ScriptedTransport.Outcome, ClientError)])
    func `no money moves without a goal, with purchases in two currencies, without purchases, or with a list that is not to be had`(
        _ list: ScriptedTransport.Outcome, _ expected: ClientError
    ) async throws {
        let bank = try await Bank { request, _ in request.url.hasSuffix("/goals") ? .json(200, #"{"goals":[]}"#) : list }

        #expect(await bank.error { try await $0.roundUp("A", account: "a") } == expected)
        #expect(bank.payments.isEmpty)
        #expect(await bank.error { try await $0.resume("A") } == .nothingToDo)
    }

    @Test
    func `preview: the amount paid is the one shown, though the list has changed since; the rest belongs to a later round-up`() async throws
    {
        let later = Locked(false)
        let bank = try await Bank { request, _ in
            if request.method == "POST" { return .paid }
            if request.url.hasSuffix("/goals") {
                return .json(200, #"{"goals":[{"id":"g","name":"Trip","saved":{"amount":"1.00","currency":"GBP"}}]}"#)
            }
            let rows =
                [row("1", "4.35"), row("2", "4.00"), row("3", "9.99", "pending")] + (later.withLock { $0 } ? [row("4", "1.10")] : [])
            return .json(200, #"{"transactions":[\#(rows.joined(separator: ","))]}"#)
        }

        let preview = try await bank.client.previewRoundUp(account: "a")
        #expect(preview.amount == pounds("0.65"))
        #expect(preview.purchases.map(\.amount) == [pounds("4.35"), pounds("4.00")])
        #expect(preview.purchases.map(\.roundedUpBy) == [pounds("0.65"), pounds("0.00")])
        #expect(preview.purchases.first?.day.description == "2027-01-13")
        #expect(preview.purchases.first?.description == "x")
        #expect(try await bank.client.roundUpGoals(of: "a").map(\.name) == ["Trip"])
        #expect(bank.payments.isEmpty)
        #expect(await bank.error { try await $0.resumeRoundUp("A") } == .nothingToDo)

        later.withLock { $0 = true }
        let moved = try await bank.client.roundUp("A", preview, to: "g")
        #expect(moved == RoundUp(amount: pounds("0.65"), payment: "p1"))
        #expect(try await bank.client.resumeRoundUp("A") == moved)
        #expect(bank.payments.count == 1)
        #expect(try await bank.client.previewRoundUp(account: "a").amount == pounds("1.55"))
    }

    @Test func `a bank without goals has no round-up`() async throws {
        let bank = try await Bank("snapshot") { _, _ in .paid }

        #expect(!bank.client.operations.contains(.roundUp))
        #expect(await bank.error { try await $0.previewRoundUp() } == .nothingToDo)
        #expect(await bank.error { try await $0.roundUp("A") } == .nothingToDo)
    }
}

/// A row of the model bank, two days before the test's clock.
private func row(_ id: String, _ amount: String, _ status: String = "booked", kind: String = "card", currency: String = "GBP") -> String {
    #"{"id":"\#(id)","booked_at":"2027-01-13T08:00:00Z","status":"\#(status)","direction":"debit","kind":"\#(kind)","#
        + #""amount":{"amount":"\#(amount)","currency":"\#(currency)"},"description":"x"}"#
}

/// A feed item of Starling's shape.
private func item(
    _ id: String, _ minorUnits: Int, _ direction: String = "OUT", source: String = "ORBITAL_PAY", status: String = "SETTLED",
    at: String = "2027-01-13T08:00:00.000Z"
) -> String {
    #"{"feedItemUid":"\#(id)","amount":{"currency":"GBP","minorUnits":\#(minorUnits)},"direction":"\#(direction)","#
        + #""transactionTime":"\#(at)","source":"\#(source)","status":"\#(status)"}"#
}
