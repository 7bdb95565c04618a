import BankClient
import BankModel
import Testing

/// A bank forgets a key after its window: sent again it would make a second payment.
@Suite(.timeLimit(.minutes(10)))
struct KeyWindowTests {
    @Test(
        arguments: [
            (nil, true), (0, true), (86_400 - 301, true), (86_400 - 300, false), (86_400, false), (-300, true), (-301, false),
        ] as [(Int64?, Bool)])
    func `a key is sent again only while the bank surely remembers it`(_ age: Int64?, _ expected: Bool) {
        let now = Instant(seconds: 1_800_000_000)
        let sent = age.map { now + .seconds(-$0) }

        #expect(KeyWindow(.seconds(86_400)).allows(sent, now: now) == expected)
        #expect(KeyWindow(nil).allows(sent, now: now))
    }

    @Test func `an open payment older than its window is not sent again but reported as unknown, after a restart too`() async throws {
        try await withFolder { folder in
            let bank = try await Bank(outbox: try SQLiteOutbox(path: folder + "/outbox.sqlite")) { _, count in count < 4 ? .lost : .paid }
            #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
            let sent = bank.payments.count
            try bank.clock.sleep(for: .seconds(25 * 3600))

            #expect(await bank.error { try await $0.resume("A") } == .outcomeUnknown)
            #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
            #expect(bank.payments.count == sent)

            // Another payment is independent of this one.
            _ = try await bank.client.pay("B", order("10.00"))
            #expect(Set(bank.keys).count == 2)
        }
    }

    @Test func `within its window it is sent again under its key`() async throws {
        let bank = try await Bank { _, count in count < 4 ? .lost : .paid }
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
        try bank.clock.sleep(for: .seconds(23 * 3600))

        _ = try await bank.client.resume("A")

        #expect(Set(bank.keys).count == 1)
    }

    @Test func `the window runs from the first sending, however often it was sent since`() async throws {
        let bank = try await Bank { _, _ in .lost }
        for _ in 0..<3 {
            #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
            try bank.clock.sleep(for: .seconds(10 * 3600))
        }
        let sent = bank.payments.count

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)

        #expect(sent == 12)
        #expect(bank.payments.count == sent)
    }

    @Test func `a key that was never sent has no age`() async throws {
        let bank = try await Bank { _, count in count < 4 ? .refused : .paid }
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .offline)
        try bank.clock.sleep(for: .seconds(100 * 3600))

        #expect(try await bank.client.resume("A") == PaymentReceipt(id: "p1", state: .accepted))
    }

    @Test func `a payment rejected long ago moved nothing: a retry has a new key`() async throws {
        let bank = try await Bank { _, count in count == 0 ? .problem(422, "insufficient-funds") : .paid }
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .rejected)
        try bank.clock.sleep(for: .seconds(25 * 3600))

        _ = try await bank.client.pay("A", order("10.00"))

        #expect(Set(bank.keys).count == 2)
    }

    @Test func `a clock that was put back makes a key's age unknown`() async throws {
        let bank = try await Bank { _, _ in .lost }
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
        let sent = bank.payments.count
        try bank.clock.sleep(for: .seconds(-3600))

        #expect(await bank.error { try await $0.resume("A") } == .outcomeUnknown)
        #expect(bank.payments.count == sent)
    }

    @Test func `a bank that remembers a transfer for ever is asked however old it is`() async throws {
        let bank = try await Bank("roundup") { _, count in
            count < 4 ? .lost : .json(200, #"{"transferUid":"p1","success":true,"errors":[]}"#)
        }
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
        try bank.clock.sleep(for: .seconds(1_000_000))

        _ = try await bank.client.resume("A")

        #expect(Set(bank.payments).count == 1)
    }
}
