import BankClient
import BankModel
import Foundation
import Platform
import Testing

/// Payments when the bank or the network fails.
@Suite(.timeLimit(.minutes(10)))
struct PaymentTests {
    @Test(
        arguments: [
            [.lost, .lost, .paid], [.problem(503, "maintenance"), .problem(504, "x"), .paid],
            [.problem(500, "internal-error"), .problem(502, "x"), .paid],
            [.failure(TransportFailure(.timeout, "", mayHaveLeft: true)), .paid], [.problem(409, "key-in-flight"), .paid],
            [.json(200, "<html>"), .paid], [.success(HTTPResponse(status: 200, headers: ["Content-Type": "text/html"])), .paid],
            [.problem(429, "rate-limited"), .paid], [.lost, .json(201, #"{"id":"p1","status":"accepted"}"#)],
        ] as [[ScriptedTransport.Outcome]])
    func `every attempt has the same key and bytes`(_ outcomes: [ScriptedTransport.Outcome]) async throws {
        let bank = try await Bank { _, count in outcomes[count] }

        #expect(try await bank.client.pay("A", order("10.00")) == PaymentReceipt(id: "p1", state: .accepted))

        #expect(bank.payments.count == outcomes.count)
        #expect(Set(bank.payments.map(\.body)).count == 1)
        #expect(Set(bank.keys).count == 1)
    }

    @Test func `another intent has another key though all else is equal`() async throws {
        let bank = try await Bank { _, _ in .paid }

        _ = try await bank.client.pay("A", order("10.00"))
        _ = try await bank.client.pay("B", order("10.00"))

        #expect(Set(bank.keys).count == 2)
    }

    @Test func `a payment that was made is not sent again`() async throws {
        let bank = try await Bank { _, _ in .paid }

        let first = try await bank.client.pay("A", order("10.00"))
        let second = try await bank.client.pay("A", order("10.00"))

        #expect(first == second)
        #expect(bank.payments.count == 1)
        #expect(await bank.error { try await $0.pay("A", order("11.00")) } == .rejected)
    }

    @Test func `a double tap while the first answer is out joins it, a resume too`() async throws {
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

    @Test(
        arguments: [
            .lost, .problem(500, "internal-error"), .problem(409, "key-in-flight"), .json(200, "{"),
            .failure(TransportFailure(.timeout, "", mayHaveLeft: true)), .json(200, #"{"id":"p","state":"odd"}"#),
        ] as [ScriptedTransport.Outcome])
    func `no final answer is reported as unknown, not as failed, and a retry uses the same key`(
        _ outcome: ScriptedTransport.Outcome
    ) async throws {
        // By other seeds the waits for a key in flight can exceed the budget before the eighth attempt, as the test of the budget shows.
        let bank = try await Bank(seed: 1) { _, _ in outcome }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
        #expect(await bank.error { try await $0.resume("A") } == .outcomeUnknown)
        #expect(await bank.error { try await $0.pay("A", order("11.00")) } == .outcomeUnknown)

        let isConflict = outcome == .problem(409, "key-in-flight")
        #expect(bank.payments.count == (isConflict ? 2 * 8 : 2 * 4))
        #expect(Set(bank.keys).count == 1)
        #expect(Set(bank.payments.map(\.body)).count == 1)
    }

    @Test
    func `while a key is in flight the attempts are as many as the policy allows within its budget, for any random numbers`() async throws {
        let policy = RetryPolicy.inFlight
        var counts: Set<Int> = []
        for seed in 1...300 as ClosedRange<UInt64> {
            let bank = try await Bank(seed: seed) { _, _ in .problem(409, "key-in-flight") }
            let began = bank.clock.uptime()

            #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)

            let waited = bank.clock.uptime() - began
            #expect(waited <= policy.budget, "seed \(seed)")
            // The last attempt is left out only if the longest wait before it would exceed the budget.
            #expect(bank.payments.count == policy.attempts || waited + policy.cap > policy.budget, "seed \(seed)")
            counts.insert(bank.payments.count)
        }
        #expect(counts == [policy.attempts - 1, policy.attempts])
    }

    @Test func `where nothing was sent the payment is offline, and may be changed`() async throws {
        let bank = try await Bank { _, count in count < 4 ? .refused : .paid }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .offline)
        _ = try await bank.client.pay("A", order("11.00"))

        #expect(bank.payments.count == 5)
    }

    @Test func `a loss followed by no connection stays unknown`() async throws {
        let bank = try await Bank { _, count in count == 0 ? .lost : .refused }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
    }

    @Test(
        arguments: [
            (.success(HTTPResponse(status: 404)), .outcomeUnknown), (.json(400, "<html>"), .outcomeUnknown),
            (.problem(422, "key-mismatch"), .outcomeUnknown),
            (.problem(401, "token-rejected"), .outcomeUnknown), (.problem(422, "insufficient-funds"), .rejected),
            (.json(201, #"{"id":"p","state":"rejected"}"#), .rejected),
        ] as [(ScriptedTransport.Outcome, ClientError)])
    func `after a loss only the bank's own word about the payment is a final no`(
        _ outcome: ScriptedTransport.Outcome, _ expected: ClientError
    ) async throws {
        let bank = try await Bank { _, count in count == 0 ? .lost : outcome }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == expected)
        #expect(bank.payments.count == 2)
    }

    @Test(
        arguments: [
            .problem(400, "bad-request"), .problem(422, "key-mismatch"), .problem(422, "insufficient-funds"), .problem(415, "x"),
            .problem(405, "x"), .problem(404, "not-found"), .problem(409, "account-closed"), .json(201, #"{"id":"p","state":"rejected"}"#),
            .json(201, #"{"id":"p","status":"rejected"}"#),
        ] as [ScriptedTransport.Outcome])
    func `a final rejection is reported and not retried; with another amount it is a corrected payment with a new key`(
        _ outcome: ScriptedTransport.Outcome
    ) async throws {
        let bank = try await Bank { _, count in count == 0 ? outcome : .paid }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .rejected)
        #expect(bank.payments.count == 1)
        _ = try await bank.client.pay("A", order("9.00"))

        #expect(Set(bank.keys).count == 2)
    }

    @Test(
        arguments: [
            ("counterfoil", .json(200, #"{"id":"p","state":"rejected"}"#)),
            ("roundup", .json(200, #"{"transferUid":"x","success":false,"errors":[{"message":"INSUFFICIENT_FUNDS"}]}"#)),
            ("roundup", .json(200, #"{"transferUid":"x","success":false}"#)),
            ("roundup", .json(400, #"{"success":false,"errors":[{"message":"TRANSFER_UID_ALREADY_USED"}]}"#)),
        ] as [(String, ScriptedTransport.Outcome)])
    func `a rejection inside a success, or of a used key, is not shown as done, nor sent again`(
        _ name: String, _ outcome: ScriptedTransport.Outcome
    ) async throws {
        let bank = try await Bank(name) { _, _ in outcome }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .rejected)
        #expect(bank.payments.count == 1)
    }

    @Test(arguments: [false, true])
    func `a payment rejected for lack of a sign-in continues under the same key after it`(_ resumes: Bool) async throws {
        let bank = try await Bank { _, count in count == 0 ? .problem(401, "token-rejected") : .paid }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .unauthorized)
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .unauthorized)
        #expect(bank.payments.count == 1)
        try await bank.client.signIn(token: "newer", of: "ava")
        _ = try await resumes ? bank.client.resume("A") : bank.client.pay("A", order("10.00"))

        #expect(Set(bank.keys).count == 1)
        #expect(Set(bank.payments.map(\.body)).count == 1)
    }

    @Test func `success: false in a 200 is a no, and the key is the path's`() async throws {
        let bank = try await Bank("roundup") { _, _ in
            .json(200, #"{"transferUid":"x","success":false,"errors":[{"message":"INSUFFICIENT_FUNDS"}]}"#)
        }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .rejected)

        let request = try #require(bank.payments.first)
        #expect(request.url.hasPrefix("http://bank/api/v2/account/from/savings-goals/to/add-money/"))
        #expect(UUID(uuidString: String(request.url.suffix(36))) != nil)
        #expect(request.body == Array(#"{"amount":{"currency":"GBP","minorUnits":1000}}"#.utf8))
    }

    @Test func `the key is stored before the first byte is sent, and outlives the process`() async throws {
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
            _ = try await after.client.resume("A")
            #expect(Set(before.keys + after.keys).count == 1)
            #expect(Set((before.payments + after.payments).map(\.body)).count == 1)
            #expect(await after.error { try await $0.resume("B") } == .nothingToDo)
        }
    }

    @Test func `calling off: unknown once a byte may have left`() async throws {
        let latch = Latch()
        let bank = try await Bank { _, _ in
            await latch.wait()
            return .failure(TransportFailure(.cancelled, "cancelled", mayHaveLeft: true))
        }
        let task = Task { await bank.error { try await $0.pay("A", order("10.00")) } }
        await latch.hasWaiting()

        task.cancel()
        latch.open()

        #expect(await task.value == .outcomeUnknown)
        #expect(bank.payments.count == 1)
    }
}

func order(_ amount: String) -> PaymentOrder {
    PaymentOrder(from: "from", to: "to", amount: pounds(amount))
}

/// Values observed from inside an answer.
private final class Stored: Sendable {
    private let seen = Locked<OutboxEntry?>(nil)

    var entry: OutboxEntry? { seen.withLock { $0 } }
    func see(_ entry: OutboxEntry?) { seen.withLock { $0 = entry } }
}
