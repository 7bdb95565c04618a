import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Which deliveries are sent next, and when.
@Suite struct WebhookQueueTests {
    private static let hook = WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook")

    /// A session with webhooks that get everything.
    private func till(webhooks: Int = 1) throws -> Till {
        var till = try Till(TestFiles.withWebhooks)
        for _ in 0..<webhooks { _ = try till.state.register(Self.hook) }
        return till
    }

    private func numbers(_ till: Till, _ room: [Int: Int] = [1: 9, 2: 9], under: [Int: Set<Int>] = [:]) -> [Int] {
        till.state.webhooks.due(at: till.now, room: room, under: under).map(\.number)
    }

    @Test func `the next attempt is known although a later delivery about its payment waits`() throws {
        var till = try till()
        let token = try till.token()
        _ = till.pay("12.30", key: "k1", token: token)
        _ = try till.state.happen(BankEvent(.paymentSettles), at: till.now)
        let all = till.state.webhooks.deliveries
        try #require(all.count > 1 && Set(all.map(\.movement)).count == 1)
        #expect(numbers(till) == [0])

        till.state.attempted(0, .init(at: till.now, status: 500))

        #expect(numbers(till).isEmpty, "the later ones follow the first")
        #expect(till.state.webhooks.nextAttempt(after: till.now) == till.now + .seconds(5))
        till.now = till.now + .seconds(5)
        #expect(till.state.webhooks.nextAttempt(after: till.now) == nil)
        for delivery in all {
            #expect(numbers(till) == [delivery.number])
            till.state.attempted(delivery.number, .init(at: till.now, status: 204))
        }
        #expect(!till.state.webhooks.isWaiting)
    }

    @Test func `deliveries about one consent follow each other, and do not wait for another consent's`() throws {
        var till = try till()
        for (number, id) in ["c1", "c2", "c1"].enumerated() {
            let event = WebhookEvent(
                id: "evt_\(number)", kind: .consentRevoked, created: till.now, object: JSONObject([("id", .string(id))]))
            let delivery = Delivery(number: number, webhook: 1, event: event, movement: Delivery.ofConsents, next: till.now)
            till.state.apply(.delivery(delivery, before: nil))
        }
        #expect(numbers(till) == [0, 1])

        till.state.attempted(0, .init(at: till.now, status: 204))

        #expect(numbers(till) == [1, 2])
    }

    @Test func `those that have been due the longest are sent first, to each webhook as many as it has room for`() throws {
        var till = try till(webhooks: 2)
        for _ in 1...3 { try till.receive() }
        till.state.attempted(0, .init(at: till.now, status: 500))
        till.now = till.now + .seconds(5)

        #expect(numbers(till) == [0, 1, 2, 3, 4, 5])
        #expect(numbers(till, [1: 1, 2: 1]) == [1, 2], "the retry has been due for the shortest time")
        #expect(numbers(till, [1: 2], under: [1: [2]]) == [0, 4])
        #expect(numbers(till, [:]).isEmpty)
        try till.state.removeWebhook("webhook-1")
        #expect(numbers(till) == [1, 3, 5])
    }

    @Test func `a reordered delivery follows the next one after a large step of the clock, too`() throws {
        var till = try till()
        _ = try till.state.add(.reordered, times: 1, to: "webhook-1")
        for _ in 1...2 { try till.receive() }
        till.now = till.now + .seconds(3600)

        #expect(numbers(till) == [1])
        #expect(numbers(till, under: [1: [1]]).isEmpty, "the next one is being sent")
        till.state.attempted(1, .init(at: till.now, status: 204))
        #expect(numbers(till) == [0])
    }

    @Test func `a reordered delivery whose next one fails comes after its minute`() throws {
        var till = try till()
        _ = try till.state.add(.reordered, times: 1, to: "webhook-1")
        for _ in 1...2 { try till.receive() }
        for _ in 1...2 {
            till.state.attempted(1, .init(at: till.now, status: 500))
            till.now = till.now + .seconds(5)
        }

        till.now = till.now + .seconds(50)
        #expect(numbers(till) == [0])
    }

    @Test func `a session that has dropped the first of a payment sends the next one`() throws {
        var till = try till()
        let event = WebhookEvent(id: "evt", kind: .settled, created: till.now, object: JSONObject([]))
        for number in 0...WebhookBook.most {
            // The first and the last are about one payment.
            let movement = number % WebhookBook.most
            let delivery = Delivery(number: number, webhook: 1, event: event, movement: movement, next: till.now)
            till.state.apply(.delivery(delivery, before: nil))
        }
        #expect(till.state.webhooks.deliveries.first?.number == 1)
        #expect(numbers(till, [1: 20_000]) == Array(1...WebhookBook.most))
    }

    @Test func `deliveries that were dropped are there again once those that they made room for are undone`() throws {
        var till = try till()
        let now = till.now
        func delivery(_ number: Int) -> Change {
            // Those that are dropped are about the same payments as others.
            let event = WebhookEvent(id: "evt_\(number)", kind: .settled, created: now, object: JSONObject([]))
            return .delivery(Delivery(number: number, webhook: 1, event: event, movement: number % 100, next: now), before: nil)
        }
        for number in 0..<WebhookBook.most { till.state.apply(delivery(number)) }
        let (all, due) = (till.state.webhooks.deliveries, numbers(till, [1: 20_000]))
        #expect(due == Array(0..<100))
        let added = (0..<3).map { delivery(WebhookBook.most + $0) }
        for change in added { till.state.apply(change) }
        #expect(till.state.webhooks.deliveries.first?.number == 3)

        till.state.undo(added)

        #expect(till.state.webhooks.deliveries == all)
        #expect(numbers(till, [1: 20_000]) == due)
        for change in added { till.state.apply(change) }
        #expect(till.state.webhooks.deliveries.map(\.number) == Array(3..<WebhookBook.most + 3))
    }
}
