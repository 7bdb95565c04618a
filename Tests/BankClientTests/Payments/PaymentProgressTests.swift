@testable import BankClient
import BankModel
import DriverProtocol
import Testing

/// How a payment stands, after the bank has accepted it.
@Suite struct PaymentProgressTests {
    private static let order = Currency("GBP").map { PaymentOrder(from: "a", to: "b", amount: Money(minorUnits: 1000, currency: $0)) }

    /// A client that has paid A; these are the bank's answers to its questions, the last one every time.
    private func paid(_ answers: ScriptedTransport.Outcome...) async throws -> Bank {
        let bank = try await Bank { request, count in request.method == "POST" ? .paid : answers[min(count - 1, answers.count - 1)] }
        _ = try await bank.client.pay("A", try #require(Self.order))
        return bank
    }

    private func state(_ word: String) -> ScriptedTransport.Outcome { .json(200, #"{"id":"p1","state":"\#(word)"}"#) }

    @Test(arguments: PaymentProgress.State.allCases)
    func `the client shows the state that the bank reports now`(_ word: PaymentProgress.State) async throws {
        let bank = try await paid(state("accepted"), state(word.rawValue))

        #expect(try await bank.client.paymentState("A") == PaymentProgress(id: "p1", state: .accepted))
        #expect(try await bank.client.paymentState("A") == PaymentProgress(id: "p1", state: word))
        #expect(bank.count("/v1/payments/p1") == 2)
        #expect(bank.payments.count == 1)
    }

    @Test(arguments: [#"{"state":"under_review"}"#, #"{"state":7}"#, "{}"])
    func `a state that is not known is neither paid nor failed`(_ body: String) async throws {
        let bank = try await paid(.json(200, body))

        #expect(await bank.error { try await $0.paymentState("A") } == .outcomeUnknown)
        #expect(bank.payments.count == 1)
    }

    @Test func `while a payment is pending the client asks a few times, and waits longer each time`() async throws {
        let bank = try await paid(state("accepted"))

        #expect(try await bank.client.paymentState("A", untilEnded: true).state == .accepted)
        #expect(bank.count("/v1/payments/p1") == 4)
        #expect(bank.clock.slept == [.milliseconds(250), .milliseconds(500), .seconds(1)])
    }

    @Test func `a payment that waits for a second person is asked about as any that is pending, and not paid again`() async throws {
        let order = try #require(Self.order)
        let waiting = #"{"id":"p1","state":"pending-authorisation"}"#
        let bank = try await Bank { request, _ in .json(request.method == "POST" ? 201 : 200, waiting) }

        #expect(try await bank.client.pay("A", order) == PaymentReceipt(id: "p1", state: .pendingAuthorisation))
        #expect(try await bank.client.paymentState("A", untilEnded: true).state == .pendingAuthorisation)
        #expect(bank.count("/v1/payments/p1") == 4)
        #expect(try await bank.client.pay("A", order).state == .pendingAuthorisation)
        #expect(bank.payments.count == 1)
    }

    @Test func `it stops asking when the payment has ended`() async throws {
        let bank = try await paid(state("accepted"), state("rejected"), state("settled"))

        #expect(try await bank.client.paymentState("A", untilEnded: true).state == .rejected)
        #expect(bank.count("/v1/payments/p1") == 2)
    }

    @Test func `a failed question is not a result of the payment`() async throws {
        let lost = ScriptedTransport.Outcome.json(503, "{}")
        let bank = try await paid(lost, lost, lost, state("settled"))

        #expect(try await bank.client.paymentState("A", untilEnded: true).state == .settled)
        let never = try await paid(lost)
        #expect(await never.error { try await $0.paymentState("A", untilEnded: true) } == .unavailable)
        #expect(never.payments.count == 1)
    }

    @Test func `without a payment that the bank has accepted no question is asked`() async throws {
        let bank = try await Bank { _, _ in .json(422, #"{"type":"urn:counterfoil:problem:bad-request"}"#) }
        #expect(await bank.error { try await $0.paymentState("A") } == .nothingToDo)
        _ = await bank.error { try await $0.pay("A", try #require(Self.order)) }
        #expect(await bank.error { try await $0.paymentState("A") } == .rejected)
        #expect(bank.payments.count == bank.transport.requests.count)

        let unknown = try await Bank { _, _ in .lost }
        _ = await unknown.error { try await $0.pay("A", try #require(Self.order)) }
        #expect(await unknown.error { try await $0.paymentState("A") } == .outcomeUnknown)
        #expect(unknown.payments.count == unknown.transport.requests.count)
    }

    @Test func `a bank that does not report payment states has no such operation`() async throws {
        let bank = try await Bank("roundup") { _, _ in .lost }

        #expect(!bank.client.operations.contains(.paymentStatus))
        #expect(await bank.error { try await $0.paymentState("A") } == .nothingToDo)
    }

    @Test(arguments: [
        (#""default";r=0;t=60"#, 60), (#""a";r=5;t=60, "b";r=0;t=7"#, 7), (#""default"; r=0; t=3"#, 3), (#""default";r=0;t=-4"#, 0),
        (#""default";r=1;t=60"#, nil), (#""default";r=0"#, nil), (#""default";r=00;t=x"#, nil), ("", nil),
    ])
    func `a response about a used-up limit has the time to wait`(_ text: String, _ seconds: Int?) {
        var headers = HTTPHeaders()
        headers["RateLimit"] = text

        #expect(RateLimitHeader.wait(headers) == seconds.map { .seconds($0) })
        #expect(RetryAfterHeader.wait(headers, now: Instant(seconds: 0)) == seconds.map { .seconds($0) })
        headers["Retry-After"] = "2"
        #expect(RetryAfterHeader.wait(headers, now: Instant(seconds: 0)) == .seconds(2), "Retry-After takes precedence")
    }
}
