import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Webhooks that clients register by operations of the bank, and the bank's shapes of their bodies.
@Suite struct WebhookRegistrationTests {
    private static let hook = #"{"url": "http://127.0.0.1:9/hook", "types": ["paid"]}"#

    /// The bank whose clients name events in one text.
    private static let inText = TestFiles.withSubscriptions
        .replacing("till/bank.yaml", "events: {body: types}, names", with: "events: {body: types}, prefix: of=, names")
        .replacing("till/bank.yaml", "reply: {inserted: hooks}}", with: "reply: {for: {webhook: events}, isHooked: {webhook: registered}}}")

    private func till() throws -> (Till, String) {
        var till = try Till(TestFiles.withSubscriptions)
        let token = try till.token()
        return (till, token)
    }

    private func add(_ till: inout Till, _ token: String, _ body: String = hook) -> BankResponse {
        till.send("POST", "/v1/hooks", token: token, body: body)
    }

    /// The id of the row of a webhook that is registered.
    private func added(_ till: inout Till, _ token: String) throws -> String {
        let response = add(&till, token)
        return try #require(response.json["id"]?.string, "\(response.text)")
    }

    private func listed(_ till: inout Till, _ token: String) -> [String] {
        let hooks = till.send("GET", "/v1/hooks", token: token).json["hooks"]?.array ?? []
        return hooks.compactMap { $0["id"]?.string }
    }

    private func pay(_ till: inout Till, _ token: String, key: String = "k1") throws {
        _ = till.pay("12.30", key: key, token: token)
        _ = try till.state.happen(BankEvent(.paymentSettles), at: till.now)
    }

    private func due(_ till: Till) -> [Delivery] {
        till.state.webhooks.due(at: till.now, room: [1: 10, 2: 10, 3: 10], under: [:])
    }

    // MARK: registration

    @Test func `a client registers a webhook by the bank's names of events, and the bank lists it`() throws {
        var (till, token) = try till()
        let id = try added(&till, token)
        let webhook = try #require(till.state.webhooks.webhooks.first)
        #expect(webhook.receiver == WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook", types: [.settled]))
        #expect(webhook.row == RowID(table: "hooks", key: id))
        let ids = listed(&till, token)
        #expect(ids == [id])
    }

    @Test func `a client that names no events gets all that the bank has names for`() throws {
        var (till, token) = try till()
        let response = add(&till, token, #"{"url": "http://127.0.0.1:9/hook"}"#)
        #expect(response.status == 201, "\(response.text)")
        #expect(till.state.webhooks.webhooks.first?.receiver.types == [.settled, .transaction])
    }

    @Test(arguments: [
        (#"{"url": 5}"#, "found no text for the body's url"),
        (#"{"url": "hook"}"#, "found the address hook, expected one such as"),
        (#"{"url": "http://user@127.0.0.1/"}"#, "without user"),
        (#"{"url": "http://127.0.0.1/", "types": "paid"}"#, "found no list for the body's types"),
        (#"{"url": "http://127.0.0.1/", "types": []}"#, "found no list for the body's types"),
        (#"{"url": "http://127.0.0.1/", "types": ["paid", "piad"]}"#, "found the type piad in the body's types"),
        (#"{"url": "http://127.0.0.1/", "types": [7]}"#, "that is not text"),
        (#"{"url": "http://127.0.0.1/", "types": ["*"]}"#, "found the type *"),
    ])
    func `a wrong registration gets the dialect's error, and nothing changes`(_ body: String, _ words: String) throws {
        var (till, token) = try till()
        let response = add(&till, token, body)
        #expect(response.status == 400)
        #expect(response.error == "bad-request")
        #expect(response.json["detail"]?.string?.contains(words) == true, "\(response.text)")
        #expect(till.state.webhooks.webhooks.isEmpty)
        let ids = listed(&till, token)
        #expect(ids.isEmpty)
    }

    @Test(arguments: [
        (#""types": "of=paid, listed""#, [WebhookEvent.Kind.settled, .transaction], "of=paid,listed"),
        (#""types": "of=paid""#, [.settled], "of=paid"), (#""other": 1"#, [.settled, .transaction], "of=listed,paid"),
    ])
    func `names of events can be a text with a prefix`(_ member: String, _ types: [WebhookEvent.Kind], _ shown: String) throws {
        var till = try Till(Self.inText)
        let token = try till.token()
        let response = add(&till, token, #"{"url": "http://127.0.0.1:9/hook", \#(member)}"#)
        #expect(response.status == 201, "\(response.text)")
        #expect(till.state.webhooks.webhooks.first?.receiver.types == Set(types))
        #expect(response.json["for"] == .string(shown))
        #expect(response.json["isHooked"] == true)
    }

    @Test(arguments: [
        (#""paid""#, "found no names after `of=` in the body's types"), (#"["paid"]"#, "found no names after `of=`"),
        (#""of=paid,piad""#, "found the type piad in the body's types"),
    ])
    func `a wrong text of names gets the dialect's error`(_ types: String, _ words: String) throws {
        var till = try Till(Self.inText)
        let token = try till.token()
        let response = add(&till, token, #"{"url": "http://127.0.0.1:9/hook", "types": \#(types)}"#)
        #expect(response.status == 400)
        #expect(response.json["detail"]?.string?.contains(words) == true, "\(response.text)")
        #expect(till.state.webhooks.webhooks.isEmpty)
    }

    @Test func `one webhook more than a session can have is rejected`() throws {
        var (till, token) = try till()
        for _ in 0..<Webhook.most { _ = try added(&till, token) }
        let response = add(&till, token)
        #expect(response.status == 400)
        #expect(response.json["detail"]?.string?.contains("found 16 webhooks") == true, "\(response.text)")
        let ids = listed(&till, token)
        #expect(ids.count == Webhook.most)
    }

    @Test func `a server that sends no webhooks rejects each address, after a reset too`() throws {
        var (till, token) = try till()
        till.state.addressCheck = { _ throws(WebhookError) in throw .address("this server sends no webhooks") }
        let first = add(&till, token)
        #expect(first.json["detail"] == "this server sends no webhooks")
        till.state.reset(at: till.now)
        let other = try till.token()
        let later = add(&till, other)
        #expect(later.json["detail"] == "this server sends no webhooks")
        #expect(till.state.webhooks.webhooks.isEmpty)
    }

    // MARK: removal

    @Test func `to delete the row ends the deliveries that wait`() throws {
        var (till, token) = try till()
        let id = try added(&till, token)
        try pay(&till, token)
        #expect(due(till).count == 1)
        let removed = till.send("DELETE", "/v1/hooks/\(id)", token: token)
        #expect(removed.status == 204)
        #expect(till.state.webhooks.webhooks.isEmpty)
        #expect(!till.state.webhooks.isWaiting)
        try pay(&till, token, key: "k2")
        #expect(till.state.webhooks.deliveries.count == 1)
        let again = till.send("DELETE", "/v1/hooks/\(id)", token: token)
        #expect(again.status == 404)
    }

    @Test func `to delete one row leaves the other webhooks`() throws {
        var (till, token) = try till()
        _ = try till.state.register(.init(url: "http://127.0.0.1:9/other"))
        let id = try added(&till, token)
        _ = try added(&till, token)
        _ = till.send("DELETE", "/v1/hooks/\(id)", token: token)
        #expect(till.state.webhooks.webhooks.map(\.id) == ["webhook-1", "webhook-3"])
    }

    @Test func `a webhook that the admin API removes is no longer in the bank's list`() throws {
        var (till, token) = try till()
        _ = try added(&till, token)
        let other = try added(&till, token)
        try till.state.removeWebhook("webhook-1")
        let ids = listed(&till, token)
        #expect(ids == [other])
    }

    // MARK: state

    @Test func `a registered webhook survives a log and a checkpoint, and can still be deleted`() throws {
        var (till, token) = try till()
        till.state.isLogged = true
        var replayed = till.state
        var restored = till.state
        let id = try added(&till, token)
        let image = till.state.image(of: till.state.drainChanges())
        try replayed.replay(image.changes, response: image.response, at: till.now)
        try restored.restore(image: till.state.image)
        #expect(restored.webhooks.webhooks == till.state.webhooks.webhooks)
        #expect(replayed.webhooks.webhooks == till.state.webhooks.webhooks)
        for state in [replayed, restored] {
            var again = till
            again.state = state
            let removed = again.send("DELETE", "/v1/hooks/\(id)", token: token)
            #expect(removed.status == 204)
            #expect(again.state.webhooks.webhooks.isEmpty)
        }
    }

    @Test func `a log that is audited announces no end a second time`() throws {
        var (till, token) = try till()
        till.state.isLogged = true
        var audited = till.state
        func log() throws {
            let image = till.state.image(of: till.state.drainChanges())
            _ = try audited.audit(image.changes, response: image.response, at: till.now)
        }
        _ = try added(&till, token)
        try log()
        _ = till.pay("12.30", key: "k1", token: token)
        try log()
        till.now = till.now + .seconds(120)
        _ = try added(&till, token)
        try log()

        #expect(audited.ledger.movements.first?.state == .settled)
        #expect(audited.webhooks.ended.isEmpty)
    }

    @Test(arguments: ["-1", "2147483648", "9223372036854775807"])
    func `a stored webhook has a number of 31 bits`(_ number: String) throws {
        var (till, token) = try till()
        _ = try added(&till, token)
        let stored = String(decoding: till.state.image, as: UTF8.self)
        let changed = stored.replacing(#""webhooks":[{"number":1,"#, with: #""webhooks":[{"number":\#(number),"#)
        #expect(changed != stored)

        let state = till.state
        let error = #expect(throws: ImageError.self) {
            var restored = state
            try restored.restore(image: Array(changed.utf8))
        }

        #expect(error?.description.contains("a number of 31 bits") == true, "\(String(describing: error))")
    }

    @Test func `the number of a webhook that was removed is not given again after a restart`() throws {
        var (till, token) = try till()
        let id = try added(&till, token)
        _ = till.send("DELETE", "/v1/hooks/\(id)", token: token)
        let image = till.state.image
        try till.state.restore(image: image)

        let webhook = try till.state.register(.init(url: "http://127.0.0.1:9/other"))

        #expect(webhook.number == 2)
    }

    @Test func `a restored state has the webhooks of its rows, and those of the admin API`() throws {
        var (till, token) = try till()
        _ = try till.state.register(.init(url: "http://127.0.0.1:9/other"))
        let first = try added(&till, token)
        till.state.save()
        _ = till.send("DELETE", "/v1/hooks/\(first)", token: token)
        _ = try added(&till, token)
        try pay(&till, token)
        let isRestored = till.state.restore()
        #expect(isRestored)
        #expect(till.state.webhooks.webhooks.map(\.id) == ["webhook-1", "webhook-2"])
        let ids = listed(&till, token)
        #expect(ids == [first])
        let waiting = till.state.webhooks.deliveries.filter { $0.next != nil }
        #expect(Set(waiting.map(\.webhook)) == [1], "what waited for the third one has ended")
    }

    // MARK: bodies

    @Test func `a restored webhook gets a new number if another has its number`() throws {
        var (till, token) = try till()
        let first = try added(&till, token)
        till.state.save()
        till.state.reset(at: till.now)
        _ = try till.state.register(.init(url: "http://127.0.0.1:9/other"))

        let isRestored = till.state.restore()

        #expect(isRestored)
        #expect(till.state.webhooks.webhooks.map(\.number) == [1, 2])
        #expect(till.state.webhooks.webhooks.last?.row?.key == first)
    }

    @Test func `an event has the bank's shape, the same in each attempt, and other types the usual one`() throws {
        var (till, token) = try till()
        _ = add(&till, token, #"{"url": "http://127.0.0.1:9/hook"}"#)
        try pay(&till, token)
        let deliveries = till.state.webhooks.deliveries
        let settled = try #require(deliveries.first { $0.event.kind == .settled })
        let sent = try #require(till.state.message(of: settled, at: till.now))
        let body = try JSON(parsing: sent.body)
        #expect(body["jti"] == .string(settled.event.id))
        #expect(body["iss"] == "http://bank")
        #expect(body["events"]?["paid"]?["payment"] == settled.event.object["id"])
        #expect(body["data"] == nil)
        let again = till.state.message(of: settled, at: till.now + .seconds(300))
        #expect(again?.body == sent.body)
        let transaction = try #require(deliveries.first { $0.event.kind == .transaction })
        let usual = try JSON(parsing: try #require(till.state.message(of: transaction, at: till.now)).body)
        #expect(usual["type"] == "transaction.created")
    }

    @Test func `a body of the bank's shape is altered in its id`() throws {
        var (till, token) = try till()
        _ = try added(&till, token)
        _ = try till.state.add(.altered, times: 1, to: "webhook-1")
        try pay(&till, token)
        let delivery = try #require(due(till).first)
        let bad = try JSON(parsing: try #require(till.state.message(of: delivery, at: till.now)).body)
        till.state.attempted(delivery.number, .init(at: till.now, status: 400))
        let real = try #require(till.state.webhooks.delivery(delivery.number))
        let good = try JSON(parsing: try #require(till.state.message(of: real, at: till.now)).body)
        #expect(bad["jti"] != good["jti"])
        #expect(bad["txn"] == good["txn"])
    }
}
