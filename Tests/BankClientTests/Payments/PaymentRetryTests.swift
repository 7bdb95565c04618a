import BankClient
import BankModel
import Testing

/// When a payment is sent again.
@Suite(.timeLimit(.minutes(10)))
struct PaymentRetryTests {
    @Test(
        arguments: [
            ("counterfoil", .problem(409, "key-in-flight"), .paid),
            (
                "roundup", .json(409, #"{"success":false,"errors":[{"message":"TRANSFER_IN_PROGRESS"}]}"#),
                .json(200, #"{"transferUid":"p1","success":true,"errors":[]}"#)
            ),
        ] as [(String, ScriptedTransport.Outcome, ScriptedTransport.Outcome)])
    func `a key in flight is retried, unchanged, after growing pauses`(
        _ name: String, _ conflict: ScriptedTransport.Outcome, _ paid: ScriptedTransport.Outcome
    ) async throws {
        let bank = try await Bank(name) { _, count in count < 4 ? conflict : paid }

        #expect(try await bank.client.pay("A", order("10.00")) == PaymentReceipt(id: "p1", state: .accepted))

        #expect(Set(bank.payments).count == 1)
        #expect(bank.clock.slept.count == 4)
        #expect(zip(bank.clock.slept, bank.clock.slept.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// The header, the bank's clock as far as it is wrong, in seconds, and the wait that it asks for.
    @Test(
        arguments: [
            ("2", 0, Duration.seconds(2)), ("DATE", 0, .seconds(3)), ("RFC850", 0, .seconds(3)), ("soon", 0, .zero), ("-1", 0, .zero),
            ("DATE", -480, .seconds(3)), ("DATE", -90, .seconds(3)), ("DATE", 90, .seconds(3)), ("DATE", 390, .seconds(3)),
        ] as [(String, Int64, Duration)], [429, 503])
    func `the bank's Retry-After is obeyed in each form, by its own clock, and nothing is sent before`(
        _ asked: (text: String, skew: Int64, least: Duration), _ status: Int
    ) async throws {
        let there = Instant(seconds: 1_800_000_000 + asked.skew)
        let at = (there + .seconds(3)).httpDate
        let text = asked.text == "DATE" ? at : asked.text == "RFC850" ? "Friday, 15-Jan-27 08:00:03 GMT" : asked.text
        let word = status == 429 ? "rate-limited" : "maintenance"
        let headers: HTTPHeaders = ["Retry-After": text, "Date": there.httpDate]
        let bank = try await Bank { _, count in count == 0 ? .problem(status, word, headers: headers) : .paid }

        _ = try await bank.client.pay("A", order("10.00"))

        #expect(bank.clock.slept.count == 1)
        #expect(bank.clock.slept.allSatisfy { $0 >= asked.least && $0 <= asked.least + .milliseconds(100) })
    }

    @Test(
        arguments: [
            ("86400", 429, ClientError.rateLimited), ("Fri, 01 Jan 2038 00:00:00 GMT", 429, .rateLimited),
            ("99999999999999999999", 429, .rateLimited), ("86400", 503, .outcomeUnknown),
        ])
    func `a wait of hours is reported instead of waited`(_ text: String, _ status: Int, _ expected: ClientError) async throws {
        let bank = try await Bank { _, _ in .problem(status, "maintenance", headers: ["Retry-After": text]) }

        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == expected)
        #expect(await bank.error { try await $0.accounts() } == (status == 429 ? .rateLimited : .unavailable))
        #expect(bank.transport.requests.count == 2)
        #expect(bank.clock.slept.isEmpty)
    }

    @Test func `without Retry-After the waits vary, their ceiling doubles, and they end`() async throws {
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
    func `a request that is wrong is not sent twice`(_ status: Int) async throws {
        let bank = try await Bank { _, _ in .problem(status, "x") }

        _ = await bank.error { try await $0.pay("A", order("10.00")) }
        _ = await bank.error { try await $0.accounts() }

        #expect(bank.transport.requests.count == 2)
    }

    @Test func `attempts are bounded in count and time, and never earlier than the bank asks`() async throws {
        let patient = try await Bank { _, _ in .problem(429, "rate-limited", headers: ["Retry-After": "1"]) }
        #expect(await patient.error { try await $0.pay("A", order("10.00")) } == .rateLimited)
        #expect(patient.clock.slept.count == 3)
        #expect(patient.clock.slept.allSatisfy { $0 >= .seconds(1) })
        #expect(patient.clock.uptime() <= .seconds(8))
        #expect(patient.payments.count == 4)
    }

    @Test(arguments: [(429, ClientError.cancelled), (503, .outcomeUnknown)])
    func `cancelled while waiting: cancelled if nothing was done, unknown if something may have been`(
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
