import BankClient
import BankModel
import Foundation
import Platform
import Testing

/// Common errors of real clients with payments, rule by rule.
@Suite(.timeLimit(.minutes(10)))
struct PaymentRuleTests {
    @Test(
        arguments: [
            .lost, .failure(TransportFailure(.timeout, "", mayHaveLeft: true)), .problem(500, "internal-error"), .problem(502, "x"),
            .problem(503, "maintenance"), .problem(504, "x"),
        ] as [ScriptedTransport.Outcome])
    func `rule 1, a retry after a lost answer is not a second payment: one key, the same bytes`(
        _ outcome: ScriptedTransport.Outcome
    ) async throws {
        let bank = try await Bank { _, count in count < 2 ? outcome : .paid }

        _ = try await bank.client.pay("A", order("10.00"))

        #expect(bank.payments.count == 3)
        #expect(Set(bank.keys).count == 1)
        #expect(Set(bank.payments.map(\.body)).count == 1)
    }

    @Test func `rule 1, a double tap while the first answer is out joins it, a resume too`() async throws {
        let latch = Latch()
        let bank = try await Bank { _, _ in
            await latch.wait()
            return .paid
        }

        async let tap = bank.client.pay("A", order("10.00"))
        await latch.hasWaiting()
        async let second = bank.client.pay("A", order("10.00"))
        async let resumed = bank.client.resume("A")
        latch.open()
        let receipts = try await [tap, second, resumed]

        #expect(Set(receipts).count == 1)
        #expect(bank.payments.count == 1)
    }

    @Test func `rule 2, the key is stored before the first byte is sent, and outlives the process`() async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            let stored = Stored()
            let before = try await Bank(outbox: try SQLiteOutbox(path: path)) { _, _ in
                // The outbox as a crash in this instant would leave it.
                stored.see(try? await onlyEntry("A", in: SQLiteOutbox(path: path)))
                return .lost
            }
            _ = await before.error { try await $0.pay("A", order("10.00")) }

            let entry = try #require(stored.entry)
            #expect(entry.state == .open)
            #expect(entry.mayHaveLeft)
            #expect(before.keys.first == "\"\(entry.key)\"")
            #expect(before.payments.first?.body == entry.body)

            let after = try await Bank(outbox: try SQLiteOutbox(path: path)) { _, _ in .paid }
            _ = try await after.client.pay("A", order("10.00"))
            #expect(Set(before.keys + after.keys).count == 1)
            #expect(Set((before.payments + after.payments).map(\.body)).count == 1)
        }
    }

    @Test func `rule 2, signing in again between two attempts changes neither key nor bytes`() async throws {
        let bank = try await Bank { _, count in count == 0 ? .problem(401, "token-rejected") : .paid }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .unauthorized)
        try await bank.client.signIn(token: "newer", of: "ava")
        _ = try await bank.client.resume("A")

        #expect(Set(bank.keys).count == 1)
        #expect(Set(bank.payments.map(\.body)).count == 1)
    }

    @Test
    func
        `rule 3, a key belongs to one amount: corrected after a final rejection the payment has a new key, while open it cannot be changed`()
        async throws
    {
        let rejected = try await Bank { _, count in count == 0 ? .problem(422, "insufficient-funds") : .paid }
        #expect(await rejected.error { try await $0.pay("A", order("500.00")) } == .rejected)
        _ = try await rejected.client.pay("A", order("200.00"))
        #expect(Set(rejected.keys).count == 2)

        let open = try await Bank { _, _ in .lost }
        #expect(await open.error { try await $0.pay("A", order("500.00")) } == .outcomeUnknown)
        let sent = open.payments.count
        #expect(await open.error { try await $0.pay("A", order("200.00")) } == .outcomeUnknown)
        #expect(open.payments.count == sent)
    }

    @Test(
        arguments: [
            ("counterfoil", .problem(422, "key-mismatch")),
            ("roundup", .json(400, #"{"success":false,"errors":[{"message":"TRANSFER_UID_ALREADY_USED"}]}"#)),
        ] as [(String, ScriptedTransport.Outcome)])
    func `rule 3, a key that the bank knows for another payload is never sent again`(
        _ name: String, _ outcome: ScriptedTransport.Outcome
    ) async throws {
        let bank = try await Bank(name) { _, _ in outcome }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .rejected)
        #expect(bank.payments.count == 1)
    }

    @Test(
        arguments: [
            ("counterfoil", .problem(409, "key-in-flight"), .paid),
            (
                "roundup", .json(409, #"{"success":false,"errors":[{"message":"TRANSFER_IN_PROGRESS"}]}"#),
                .json(200, #"{"transferUid":"p1","success":true,"errors":[]}"#)
            ),
        ] as [(String, ScriptedTransport.Outcome, ScriptedTransport.Outcome)])
    func `rule 3, a key in flight is retried, unchanged, after growing pauses`(
        _ name: String, _ conflict: ScriptedTransport.Outcome, _ paid: ScriptedTransport.Outcome
    ) async throws {
        let bank = try await Bank(name) { _, count in count < 4 ? conflict : paid }

        #expect(try await bank.client.pay("A", order("10.00")) == PaymentReceipt(id: "p1", state: .accepted))

        #expect(Set(bank.payments).count == 1)
        #expect(bank.clock.slept.count == 4)
        #expect(zip(bank.clock.slept, bank.clock.slept.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test(
        arguments: [("2", Duration.seconds(2)), ("DATE", .seconds(3)), ("RFC850", .seconds(3)), ("soon", .zero), ("-1", .zero)])
    func `rule 6, the bank's Retry-After is obeyed in each form, and nothing is sent before`(_ text: String, _ least: Duration) async throws
    {
        let at = Instant(seconds: 1_800_000_003)
        let text = text == "DATE" ? at.httpDate : text == "RFC850" ? "Friday, 15-Jan-27 08:00:03 GMT" : text
        let headers: HTTPHeaders = ["Retry-After": text, "Date": Instant(seconds: 1_800_000_000).httpDate]
        let bank = try await Bank { _, count in count == 0 ? .problem(429, "rate-limited", headers: headers) : .paid }

        _ = try await bank.client.pay("A", order("10.00"))

        #expect(bank.clock.slept.count == 1)
        #expect(bank.clock.slept.allSatisfy { $0 >= least && $0 <= least + .milliseconds(100) })
    }

    @Test(
        arguments: [
            ("86400", 429, ClientError.rateLimited), ("Fri, 01 Jan 2038 00:00:00 GMT", 429, .rateLimited),
            ("99999999999999999999", 429, .rateLimited), ("86400", 503, .outcomeUnknown),
        ])
    func `rule 6, a wait of hours is reported instead of waited`(_ text: String, _ status: Int, _ expected: ClientError) async throws {
        let bank = try await Bank { _, _ in .problem(status, "maintenance", headers: ["Retry-After": text]) }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == expected)
        #expect(await bank.error { try await $0.accounts() } == (status == 429 ? .rateLimited : .unavailable))
        #expect(bank.transport.requests.count == 2)
        #expect(bank.clock.slept.isEmpty)
    }

    @Test func `rule 6, without Retry-After the waits vary, their ceiling doubles, and they end`() async throws {
        var (firsts, thirds): ([Duration], [Duration]) = ([], [])
        for _ in 0..<20 {
            let bank = try await Bank { _, _ in .problem(429, "rate-limited") }
            #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .rateLimited)
            #expect(bank.payments.count == 4)
            firsts += bank.clock.slept.prefix(1)
            thirds += bank.clock.slept.suffix(1)
        }

        #expect(Set(firsts).count > 15)
        #expect(firsts.allSatisfy { $0 <= .milliseconds(100) })
        #expect(thirds.allSatisfy { $0 <= .milliseconds(400) })
        #expect(thirds.contains { $0 > .milliseconds(100) })
    }

    @Test(arguments: [400, 403, 404, 405, 410, 415, 422])
    func `rule 6, a request that is wrong is not sent twice`(_ status: Int) async throws {
        let bank = try await Bank { _, _ in .problem(status, "x") }

        _ = await bank.error { try await $0.pay("A", order("10.00")) }
        _ = await bank.error { try await $0.accounts() }

        #expect(bank.transport.requests.count == 2)
    }

    @Test(
        arguments: [
            ("counterfoil", .json(201, #"{"id":"p","state":"rejected"}"#)), ("counterfoil", .json(200, #"{"id":"p","state":"rejected"}"#)),
            ("roundup", .json(200, #"{"transferUid":"x","success":false,"errors":[{"message":"INSUFFICIENT_FUNDS"}]}"#)),
            ("roundup", .json(200, #"{"transferUid":"x","success":false}"#)),
        ] as [(String, ScriptedTransport.Outcome)])
    func `rule 8, a no inside a success is not shown as done, nor sent again`(
        _ name: String, _ outcome: ScriptedTransport.Outcome
    ) async throws {
        let bank = try await Bank(name) { _, _ in outcome }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .rejected)
        #expect(bank.payments.count == 1)
    }

    @Test(arguments: [-480, -90, 90, 180, 390] as [Int64])
    func `rule 14, a Retry-After date is measured by the bank's own clock`(_ skew: Int64) async throws {
        let there = Instant(seconds: 1_800_000_000 + skew)
        let headers: HTTPHeaders = ["Retry-After": (there + .seconds(2)).httpDate, "Date": there.httpDate]
        let bank = try await Bank { _, count in count == 0 ? .problem(503, "maintenance", headers: headers) : .paid }

        _ = try await bank.client.pay("A", order("10.00"))

        #expect(bank.clock.slept.count == 1)
        #expect(bank.clock.slept.allSatisfy { $0 >= .seconds(2) && $0 <= .milliseconds(2100) })
    }

    @Test(arguments: [(429, ClientError.cancelled), (503, .outcomeUnknown)])
    func `rule 6, cancelled while waiting: cancelled if nothing was done, unknown if something may have been`(
        _ status: Int, _ expected: ClientError
    ) async throws {
        let bank = try await Bank { _, _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return .problem(status, "x")
        }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == expected)
        #expect(bank.payments.count == 1)
    }
}

/// Values observed from inside an answer.
private final class Stored: Sendable {
    private let seen = Locked<OutboxEntry?>(nil)

    var entry: OutboxEntry? { seen.withLock { $0 } }
    func see(_ entry: OutboxEntry?) { seen.withLock { $0 = entry } }
}
