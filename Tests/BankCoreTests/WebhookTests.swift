import BankModel
import Crypto
import TestBanks
import Testing

@testable import BankCore

/// Webhooks as a session's state has them: what is announced, when it is tried again, and how it is signed.
@Suite struct WebhookTests {
    private func due(_ till: Till) -> [Delivery] {
        till.state.webhooks.due(at: till.now, room: [1: 10, 2: 10], under: [:])
    }

    // MARK: what is announced

    @Test func `a payment is announced when it settles, with the id that the client knows`() throws {
        var (till, token) = try Till.withWebhook()
        let id = try #require(till.pay("12.30", key: "k1", token: token).json["id"]?.string)
        #expect(!till.announced.contains("payment.settled"), "it is pending")
        till.now = till.now + .seconds(3600)
        till.announce()
        let settled = try #require(till.state.webhooks.deliveries.last)
        #expect(settled.event.kind == .settled)
        #expect(settled.event.object["id"]?.string == id)
        #expect(settled.event.object["amount"] == "12.30")
        #expect(settled.event.object["state"] == "settled")
        till.announce()
        #expect(till.announced.count { $0 == "payment.settled" } == 1, "once")
    }

    @Test func `a session with a log announces a payment to each of many receivers`() throws {
        var (till, token) = try Till.withWebhook()
        for _ in 1..<Webhook.most { _ = try till.state.register(Till.hook) }
        till.state.isLogged = true
        for number in 1...8 {
            _ = till.pay("0.10", key: "k\(number)", token: token)
            _ = try till.state.happen(BankEvent(.paymentSettles), at: till.now)
            _ = till.state.drainChanges()
            #expect(till.announced.count { $0 == "payment.settled" } == number * Webhook.most)
        }
    }

    @Test func `an event that ends a payment is announced at once, and its return too`() throws {
        var (till, token) = try Till.withWebhook()
        let id = try #require(till.pay("12.30", key: "k1", token: token).json["id"]?.string)
        _ = try till.state.happen(BankEvent(.paymentSettles), at: till.now)
        _ = try till.state.happen(BankEvent(.paymentReturns), at: till.now)
        let payments = till.state.webhooks.deliveries.filter { $0.event.kind != .transaction }
        #expect(payments.map(\.event.kind) == [.settled, .returned])
        #expect(payments.allSatisfy { $0.event.object["id"]?.string == id })
        till.now = till.now + .seconds(3600)
        till.announce()
        #expect(till.announced.count { $0 == "payment.settled" } == 1, "its planned end is not announced again")
    }

    @Test(arguments: [(BankEvent.Kind.paymentRejected, "payment.rejected"), (.paymentCancelled, "payment.cancelled")])
    func `a payment that is rejected or cancelled is announced so, and not as settled`(_ end: BankEvent.Kind, _ name: String) throws {
        var (till, token) = try Till.withWebhook()
        _ = till.pay("12.30", key: "k1", token: token)
        _ = try till.state.happen(BankEvent(end), at: till.now)
        #expect(till.announced.contains(name))
        #expect(!till.announced.contains("payment.settled"))
    }

    @Test func `money that comes in is a transaction, not a payment`() throws {
        var (till, _) = try Till.withWebhook()
        var event = BankEvent(.paymentIn)
        (event.account, event.amount) = ("a1", "5.00")
        _ = try till.state.happen(event, at: till.now)
        #expect(till.announced == ["transaction.created"])
        #expect(till.state.webhooks.deliveries[0].event.object["account"] == "a1")
        #expect(till.state.webhooks.deliveries[0].event.object["direction"] == "credit")
    }

    @Test func `a receiver gets the types that it asked for`() throws {
        var (till, token) = try Till.withWebhook(.init(url: "http://127.0.0.1:9/a", types: [.settled]))
        _ = try till.state.register(.init(url: "http://127.0.0.1:9/b", types: [.rejected]))
        _ = till.pay("12.30", key: "k1", token: token)
        _ = try till.state.happen(BankEvent(.paymentSettles), at: till.now)
        #expect(till.state.webhooks.deliveries.map(\.webhook) == [1])
    }

    @Test func `nothing is announced of a payment that is rejected, or without a webhook`() throws {
        var (till, token) = try Till.withWebhook()
        _ = till.pay("99999.00", key: "k1", token: token)
        #expect(till.state.webhooks.deliveries.isEmpty)
        try till.state.removeWebhook("webhook-1")
        _ = till.pay("1.00", key: "k2", token: token)
        till.now = till.now + .seconds(3600)
        till.announce()
        #expect(till.state.webhooks.deliveries.isEmpty)
    }

    // MARK: attempts

    @Test func `a delivery is tried again on the bank's schedule, and ends with the first success`() throws {
        var (till, _) = try Till.withWebhook()
        try till.receive()
        var waits: [Duration] = []
        for _ in 0..<3 {
            till.state.attempted(0, .init(at: till.now, status: 500))
            let next = try #require(till.state.webhooks.deliveries[0].next)
            waits.append(next - till.now)
            #expect(due(till).isEmpty)
            till.now = next
            #expect(due(till).map(\.number) == [0])
        }
        #expect(waits == [.seconds(5), .seconds(300), .seconds(3600)])
        till.state.attempted(0, .init(at: till.now, status: 204))
        #expect(till.state.webhooks.deliveries[0].state == .delivered)
        #expect(!till.state.webhooks.isWaiting)
    }

    @Test func `after the last attempt it has failed, and can be sent again with the same id`() throws {
        var (till, _) = try Till.withWebhook()
        try till.receive()
        // The clock was advanced by days before the first attempt: all later ones are due at once.
        till.now = till.now + .seconds(3 * 86_400)
        for _ in 0..<4 {
            #expect(due(till).count == 1)
            till.state.attempted(0, .init(at: till.now, failure: "cannot connect"))
        }
        #expect(till.state.webhooks.deliveries[0].state == .failed)
        let event = till.state.webhooks.deliveries[0].event.id
        #expect(try till.state.resend("webhook-1", event: nil, at: till.now) == 1)
        till.state.attempted(0, .init(at: till.now, status: 200))
        #expect(till.state.webhooks.deliveries[0].state == .delivered)
        #expect(till.state.webhooks.deliveries[0].event.id == event)
        #expect(throws: WebhookError.unknownEvent("evt_0", webhook: "webhook-1")) {
            try till.state.resend("webhook-1", event: "evt_0", at: till.now)
        }
    }

    @Test func `deliveries of one payment are sent one after the other, others beside them`() throws {
        var (till, token) = try Till.withWebhook()
        _ = till.pay("12.30", key: "k1", token: token)
        _ = try till.state.happen(BankEvent(.paymentSettles), at: till.now)
        try till.receive()
        let all = till.state.webhooks.deliveries
        let first = due(till)
        #expect(Set(first.map(\.movement)).count == first.count)
        #expect(first.count < all.count)
        till.state.attempted(first[0].number, .init(at: till.now, status: 200))
        #expect(due(till).contains { $0.movement == first[0].movement })
    }

    @Test func `a session remembers the last 10,000, and drops the oldest`() throws {
        var (till, _) = try Till.withWebhook()
        var event = WebhookEvent(id: "evt", kind: .settled, created: till.now, object: JSONObject([]))
        for number in 0..<(WebhookBook.most + 5) {
            event = WebhookEvent(id: "evt_\(number)", kind: .settled, created: till.now, object: JSONObject([]))
            till.state.apply(.delivery(Delivery(number: number, webhook: 1, event: event, movement: number, next: till.now), before: nil))
        }
        #expect(till.state.webhooks.deliveries.count == WebhookBook.most)
        #expect(till.state.webhooks.deliveries.first?.event.id == "evt_5")
        #expect(due(till).first?.number == 5)
        for number in [Int.min, -1, 4, WebhookBook.most + 5, .max] { #expect(till.state.webhooks.delivery(number) == nil) }
    }

    // MARK: faults

    private func messages(_ till: inout Till, status: Int = 200, rounds: Int = 30) -> [WebhookMessage] {
        var sent: [WebhookMessage] = []
        for _ in 0..<rounds {
            guard let next = due(till).first, let message = till.state.message(of: next, at: till.now) else { break }
            sent.append(message)
            till.state.attempted(next.number, .init(at: till.now, status: status))
        }
        return sent
    }

    @Test(arguments: [(DeliveryFault.duplicate, 2), (.burst, 21), (.missing, 0), (.late, 0), (.slow, 1)])
    func `a fault changes how often an event is sent`(_ fault: DeliveryFault, _ count: Int) throws {
        var (till, _) = try Till.withWebhook()
        _ = try till.state.add(fault, times: 1, to: "webhook-1")
        try till.receive()
        let sent = messages(&till)
        #expect(sent.count == count)
        #expect(Set(sent.map(\.event)).count <= 1, "each copy has the id of the event")
        #expect(sent.first?.isSlow ?? false == (fault == .slow))
        till.now = till.now + .seconds(3600)
        #expect(messages(&till).count == (fault == .late ? 1 : 0))
        #expect(till.state.webhooks.webhooks[0].faults.isEmpty, "it affects one delivery")
    }

    @Test(arguments: [DeliveryFault.stale, .forged, .altered, .unknownKey])
    func `a copy that must be rejected comes first, and the real one follows whatever the answer`(_ fault: DeliveryFault) throws {
        for status in [200, 401] {
            var (till, _) = try Till.withWebhook()
            _ = try till.state.add(fault, times: 1, to: "webhook-1")
            try till.receive()
            let first = try #require(due(till).first)
            let bad = try #require(till.state.message(of: first, at: till.now))
            till.state.attempted(0, .init(at: till.now, status: status))
            let good = try #require(messages(&till).first)
            #expect(isSigned(good, till))
            #expect(!isSigned(bad, till) || fault == .stale)
            #expect((bad.body != good.body) == (fault == .altered))
            #expect(till.state.webhooks.deliveries[0].state == .delivered)
            #expect(till.state.webhooks.deliveries[0].attempts.map(\.fault) == [fault, nil])
        }
    }

    @Test func `an event of an unknown type is another event, signed as the real one that follows`() throws {
        var (till, _) = try Till.withWebhook()
        _ = try till.state.add(.unknownType, times: 1, to: "webhook-1")
        try till.receive()
        let first = try #require(due(till).first)
        let unknown = try #require(till.state.message(of: first, at: till.now))
        #expect(isSigned(unknown, till))
        let body = try JSON(parsing: unknown.body)
        #expect(body["type"] == "payment.reviewed")
        till.state.attempted(0, .init(at: till.now, status: 400))
        let real = try JSON(parsing: try #require(messages(&till).first).body)
        #expect(real["type"] == "transaction.created")
        #expect(real["id"] != body["id"])
        #expect(till.state.webhooks.deliveries[0].state == .delivered)
    }

    @Test func `a reordered delivery follows the next one, or comes after a minute`() throws {
        var (till, _) = try Till.withWebhook()
        _ = try till.state.add(.reordered, times: 1, to: "webhook-1")
        try till.receive(times: 2)
        #expect(messages(&till).map(\.delivery) == [1, 0])
        var (alone, _) = try Till.withWebhook()
        _ = try alone.state.add(.reordered, times: 1, to: "webhook-1")
        try alone.receive()
        #expect(messages(&alone).isEmpty)
        alone.now = alone.now + .seconds(60)
        #expect(messages(&alone).count == 1)
    }

    // MARK: signatures

    /// Whether a timestamped signature is right for a secret that is valid.
    private func isSigned(_ message: WebhookMessage, _ till: Till, _ secret: String? = nil) -> Bool {
        let secret = secret ?? till.state.secret(of: till.state.webhooks.webhooks[0])
        let signature = message.signature ?? ""
        let parts = signature.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        guard let time = parts.first?.last else { return false }
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(time).".utf8) + message.body, using: SymmetricKey(data: Array(secret.utf8)))
        return parts.contains { $0 == ["v1", hexadecimal(Array(code))] }
    }

    @Test func `after a rotation both secrets are valid for a day, then the new one alone`() throws {
        var (till, _) = try Till.withWebhook()
        let old = till.state.secret(of: till.state.webhooks.webhooks[0])
        _ = try till.state.rotateSecret(of: "webhook-1", at: till.now)
        let new = till.state.secret(of: till.state.webhooks.webhooks[0])
        #expect(old != new)
        try till.receive(times: 2)
        let both = try #require(till.state.message(of: due(till)[0], at: till.now))
        #expect(isSigned(both, till, old) && isSigned(both, till, new))
        till.now = till.now + Webhook.overlap
        let one = try #require(till.state.message(of: due(till)[0], at: till.now))
        #expect(!isSigned(one, till, old) && isSigned(one, till, new))
    }

    @Test func `a JWS is detached, and the bank's key verifies it`() throws {
        var (till, _) = try Till.withWebhook(.init(url: "http://127.0.0.1:9/hook", signature: .jws))
        try till.receive()
        let message = try #require(till.state.message(of: due(till)[0], at: till.now))
        let detached = try #require(message.signature)
        let parts = detached.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        #expect(parts.count == 3 && parts[1].isEmpty)
        let header = try JSON(parsing: Array(try #require(Base64.urlDecoded(parts[0]))))
        let key = try #require(till.state.webhookKeys(at: till.now)["keys"]?.array?.first)
        #expect(header["kid"] == key["kid"])
        let point = try #require(Base64.urlDecoded(key["x"]?.string ?? "")) + #require(Base64.urlDecoded(key["y"]?.string ?? ""))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: try #require(Base64.urlDecoded(parts[2])))
        let input = Array("\(parts[0]).\(Base64.url(message.body))".utf8)
        #expect(try P256.Signing.PublicKey(rawRepresentation: point).isValidSignature(signature, for: input))
    }

    // MARK: state

    @Test func `deliveries survive a log and a checkpoint, and nothing is announced twice`() throws {
        var (till, token) = try Till.withWebhook()
        till.state.isLogged = true
        var replayed = till.state
        var restored = till.state
        func log() throws {
            let image = till.state.image(of: till.state.drainChanges())
            try replayed.replay(image.changes, response: image.response, at: till.now)
        }
        _ = till.pay("12.30", key: "k1", token: token)
        try log()
        _ = try till.state.add(.duplicate, times: 1, to: "webhook-1")
        try log()
        till.now = till.now + .seconds(3600)
        till.announce()
        try log()
        till.state.attempted(0, .init(at: till.now, status: 500, milliseconds: 3))
        try log()
        try restored.restore(image: till.state.image)
        #expect(!till.state.webhooks.deliveries.isEmpty)
        for var state in [replayed, restored] {
            #expect(state.webhooks.deliveries == till.state.webhooks.deliveries)
            #expect(state.webhooks.webhooks == till.state.webhooks.webhooks)
            state.settle(at: till.now)
            let isNew = state.announceEnded()
            #expect(!isNew)
            #expect(state.webhooks.due(at: till.now, room: [1: 9], under: [:]) == due(till))
        }
    }

    @Test func `an end that was not stored is announced after a restart`() throws {
        var (till, token) = try Till.withWebhook()
        till.state.isLogged = true
        var replayed = till.state
        _ = till.pay("12.30", key: "k1", token: token)
        let image = till.state.image(of: till.state.drainChanges())
        try replayed.replay(image.changes, response: image.response, at: till.now)
        till.now = till.now + .seconds(3600)
        replayed.settle(at: till.now)
        let isNew = replayed.announceEnded()
        #expect(isNew)
        #expect(replayed.webhooks.deliveries.last?.event.kind == .settled)
    }

    @Test func `a session takes 16 webhooks and 100 faults`() throws {
        var (till, _) = try Till.withWebhook()
        for _ in 1..<Webhook.most { _ = try till.state.register(Till.hook) }
        #expect(throws: WebhookError.tooMany) { try till.state.register(Till.hook) }
        #expect(throws: WebhookError.tooManyFaults) { try till.state.add(.late, times: 101, to: "webhook-1") }
        #expect(try till.state.add(.late, times: 100, to: "webhook-1").faults.count == 100)
        #expect(throws: WebhookError.tooManyFaults) { try till.state.add(.late, times: 1, to: "webhook-1") }
        #expect(throws: WebhookError.unknown("webhook-99", known: till.state.webhooks.webhooks.map(\.id))) {
            try till.state.removeWebhook("webhook-99")
        }
        var other = try Till(TestFiles.living)
        #expect(throws: WebhookError.unknownToBank("till")) { try other.state.register(Till.hook) }
    }
}
