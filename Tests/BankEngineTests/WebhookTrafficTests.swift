import BankModel
import Testing

@testable import BankCore
@testable import BankEngine

/// How many deliveries a webhook gets at once.
@Suite struct WebhookTrafficTests {
    private static let tenth: Int64 = 100_000_000

    private func delivery(_ number: Int) -> Delivery {
        let event = WebhookEvent(id: "evt_\(number)", kind: .settled, created: Instant(seconds: 0), object: JSONObject([]))
        return Delivery(number: number, webhook: 1, event: event, movement: number)
    }

    @Test func `a webhook gets four at once, and after a failure one at a time until it accepts one`() {
        var traffic = WebhookTraffic()
        #expect(traffic.room(of: 1, mono: 0) == 4)
        for number in 0..<4 { traffic.begin(delivery(number)) }
        #expect(traffic.room(of: 1, mono: 0) == 0)
        for number in 0..<4 { traffic.end(number, of: 1, failed: true, mono: 0) }
        #expect(traffic.room(of: 1, mono: Self.tenth - 1) == 0, "it rests")
        #expect(traffic.untilRested(mono: Self.tenth - 1) == 1)

        #expect(traffic.room(of: 1, mono: Self.tenth) == 1)
        traffic.begin(delivery(4))
        #expect(traffic.room(of: 1, mono: Self.tenth) == 0)
        #expect(traffic.room(of: 2, mono: Self.tenth) == 4, "another webhook")

        traffic.end(4, of: 1, failed: false, mono: Self.tenth)
        #expect(traffic.room(of: 1, mono: Self.tenth) == 4)
    }

    @Test func `what was being sent before a reset is not what is being sent after it`() {
        var traffic = WebhookTraffic()
        traffic.begin(delivery(0))
        let before = traffic.resets
        #expect(traffic.isSending(delivery(0), since: before))

        traffic.removeAll()
        #expect(!traffic.isSending(delivery(0), since: before))
        #expect(!traffic.isSending(delivery(0), since: traffic.resets))

        traffic.begin(delivery(0))
        #expect(!traffic.isSending(delivery(0), since: before))
        #expect(traffic.isSending(delivery(0), since: traffic.resets))
    }

    @Test func `nothing is kept of a webhook that was removed`() {
        var traffic = WebhookTraffic()
        traffic.begin(delivery(0))
        traffic.end(0, of: 1, failed: true, mono: 0)
        #expect(traffic.sending.isEmpty)

        traffic.forgetRests(exceptOf: [1: 0, 2: 4])
        #expect(traffic.untilRested(mono: 0) == Self.tenth)
        traffic.forgetRests(exceptOf: [2: 4])
        #expect(traffic.untilRested(mono: 0) == nil)
    }
}
