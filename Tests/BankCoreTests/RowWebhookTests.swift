import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Webhooks about one row each: a request to pay registers a receiver for the events of that payment.
@Suite struct RowWebhookTests {
    private static let files = TestFiles.withSubscriptions.replacing(
        "till/bank.yaml", "    insert: {payments:", with: "    registers: {url: {body: notify}, about: row}\n    insert: {payments:")

    private func till() throws -> (Till, String) {
        var till = try Till(Self.files)
        let token = try till.token()
        return (till, token)
    }

    private func pay(_ till: inout Till, _ token: String, key: String, notify: String? = "http://127.0.0.1:9/hook") -> BankResponse {
        let member = notify.map { #", "notify": "\#($0)""# } ?? ""
        return till.send("POST", "/v1/payments", token: token, key: key, body: #"{"from": "a1", "to": "p1", "amount": "0.10"\#(member)}"#)
    }

    private func settle(_ till: inout Till, key: String) throws {
        var event = BankEvent(.paymentSettles)
        event.payment = key
        _ = try till.state.happen(event, at: till.now)
    }

    @Test func `a receiver gets the events of its payment alone`() throws {
        var (till, token) = try till()
        let first = pay(&till, token, key: "k1")
        let second = pay(&till, token, key: "k2", notify: nil)
        #expect([first.status, second.status] == [201, 201], "\(first.text)")
        let webhook = try #require(till.state.webhooks.webhooks.first)
        #expect(webhook.row?.key == first.json["id"]?.string)
        #expect(till.state.webhooks.webhooks.count == 1)

        try settle(&till, key: "k2")
        #expect(till.state.webhooks.deliveries.isEmpty)
        try settle(&till, key: "k1")
        #expect(till.state.webhooks.deliveries.map(\.event.kind) == [.settled])
    }

    @Test func `a row with the same id in another table is another row`() throws {
        var (till, token) = try till()
        let paid = pay(&till, token, key: "k1", notify: nil)
        let id = try #require(paid.json["id"]?.string)
        let numbers = try ["hooks", "payments", "entries"].map { table in
            let row = RowID(table: table, key: id)
            return try till.state.register(.init(url: "http://127.0.0.1:9/hook"), of: row, about: .row).number
        }

        try settle(&till, key: "k1")

        #expect(till.state.webhooks.deliveries.map(\.webhook) == [numbers[1]])
    }

    @Test func `such a webhook survives a checkpoint, and its removal leaves the payment`() throws {
        var (till, token) = try till()
        let paid = pay(&till, token, key: "k1")
        let id = try #require(paid.json["id"]?.string)
        let image = till.state.image
        try till.state.restore(image: image)
        let webhook = try #require(till.state.webhooks.webhooks.first)
        #expect(webhook.about == .row)

        try till.state.removeWebhook(webhook.id)

        #expect(till.state.webhooks.webhooks.isEmpty)
        let shown = till.send("GET", "/v1/payments/\(id)", token: token)
        #expect(shown.status == 200)
    }

    @Test func `one more than a session keeps takes the place of the oldest, and leaves the others`() throws {
        var (till, token) = try till()
        _ = try till.state.register(.init(url: "http://127.0.0.1:9/all"))
        for number in 0...Webhook.mostOfRows {
            let paid = pay(&till, token, key: "k\(number)")
            #expect(paid.status == 201)
        }
        let numbers = till.state.webhooks.webhooks.map(\.number)
        #expect(numbers == [1] + Array(3...(Webhook.mostOfRows + 2)))
    }

    @Test func `one more takes the place of the oldest that has ended and got its last delivery`() throws {
        var (till, token) = try till()
        for number in 1...Webhook.mostOfRows { _ = pay(&till, token, key: "k\(number)") }
        for key in ["k9", "k7"] { try settle(&till, key: key) }
        let answered = try #require(till.state.webhooks.deliveries.last { $0.webhook == 9 })
        till.state.attempted(answered.number, Delivery.Attempt(at: till.now, status: 204))
        func removed() -> [Int] { (1...Webhook.mostOfRows).filter { till.state.webhooks.webhook($0) == nil } }

        _ = pay(&till, token, key: "one more")
        #expect(removed() == [9])

        // For the payment that has ended a delivery waits.
        _ = pay(&till, token, key: "another")
        #expect(removed() == [1, 9])
    }

    @Test func `webhooks about rows of another table take no room`() throws {
        var (till, token) = try till()
        for number in 1...Webhook.mostOfRows {
            let row = RowID(table: "hooks", key: "hook-\(number)")
            _ = try till.state.register(.init(url: "http://127.0.0.1:9/hook"), of: row, about: .row)
        }

        _ = pay(&till, token, key: "k1")

        #expect(till.state.webhooks.webhooks.count == Webhook.mostOfRows + 1)
    }

    @Test func `the row of a payment is remembered until the payment has ended`() throws {
        var (till, token) = try till()
        for key in ["k1", "k2", "k3"] { _ = pay(&till, token, key: key) }
        #expect(till.state.webhooks.payments.count == 3)

        try settle(&till, key: "k1")
        #expect(till.state.webhooks.payments.count == 2)
        let image = till.state.image
        try till.state.restore(image: image)
        #expect(till.state.webhooks.payments.count == 2)

        // By themselves, after a minute.
        till.now = till.now + .seconds(3600)
        till.state.settle(at: till.now)
        till.state.announceEnded()
        #expect(till.state.webhooks.payments.isEmpty)
        let named = till.state.webhooks.deliveries.map { $0.event.object["id"]?.string }
        #expect(named == till.state.webhooks.webhooks.map(\.row?.key))
    }

    @Test func `the rows of payments that are pending before the first webhook are remembered`() throws {
        var (till, token) = try till()
        let paid = ["k1", "k2"].map { pay(&till, token, key: $0, notify: nil) }
        try settle(&till, key: "k1")
        let id = try #require(paid[1].json["id"]?.string)
        #expect(till.state.webhooks.payments.isEmpty)

        _ = try till.state.register(.init(url: "http://127.0.0.1:9/hook"))

        #expect(till.state.webhooks.payments == [1: RowID(table: "payments", key: id)])
    }

    @Test func `a restored state has its payments' rows, and none of what was made since`() throws {
        var (till, token) = try till()
        _ = pay(&till, token, key: "k1")
        till.state.save()
        for key in ["k2", "k3"] { _ = pay(&till, token, key: key) }

        let isBack = till.state.restore()

        #expect(isBack)
        #expect(till.state.webhooks.payments.count == 1)
    }

    @Test func `a payment is made if nothing is sent to its address`() throws {
        var (till, token) = try till()
        till.state.addressCheck = { _ throws(WebhookError) in throw .address("this server sends no webhooks") }
        let paid = pay(&till, token, key: "k1")
        #expect(paid.status == 201)
        #expect(till.state.ledger.movements.count == 1)
        #expect(till.state.webhooks.webhooks.isEmpty)
    }
}
