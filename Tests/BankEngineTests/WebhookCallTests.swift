import BankModel
import Platform
import StubServer
import TestBanks
import Testing
import TestServer

@testable import BankCore
@testable import BankEngine

/// When a session calls itself to send webhooks.
@Suite(.timeLimit(.minutes(10))) struct WebhookCallTests {
    /// What comes during a rest does not deliver, and relies on the call at its end.
    @Test func `a session calls itself at the end of a rest although nothing waits when it begins`() async throws {
        let timer = ListedTimer()
        let files = TestFiles.withWebhooks.replacing("till/bank.yaml", "retries: [5s, 5m, 1h]", with: "retries: []")
        // On a machine that stalls the rest would be over before it is looked at.
        let clock = MachineClock(now: { Instant(seconds: 1_800_000_000) }, monotonic: { 1_000_000_000 })
        let session = BankSession(
            id: "till", seed: 7, prepared: PreparedBank(try source(files).bank), clock: clock, journalCapacity: 1,
            budget: JournalBudget(limit: .max), timer: timer, sender: DeafReceiver())
        _ = try session.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
        var event = BankEvent(.paymentIn)
        (event.account, event.amount) = ("a1", "5.00")

        _ = try session.happen(event)

        var waits = timer.waits.stream.makeAsyncIterator()
        let first = await waits.next()
        #expect(first.map { $0 > .zero && $0 <= .milliseconds(101) } == true)
        #expect(session.webhooks.deliveries.map(\.state) == [.failed])
    }

    @Test func `what a provider state makes happen is sent without another request`() async throws {
        let receiver = ListedReceiver()
        let session = BankSession(
            id: "till", seed: 7, prepared: PreparedBank(try source(TestFiles.withWebhooks).bank), clock: .system, journalCapacity: 1,
            budget: JournalBudget(limit: .max), timer: ListedTimer(), sender: receiver)
        _ = try session.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))

        _ = try session.enter(.signedIn(customer: "ann"))
        _ = try session.enter(.entry(table: "payments"))

        let delivery = try #require(session.webhooks.deliveries.first)
        var messages = receiver.messages.stream.makeAsyncIterator()
        let first = await messages.next()
        #expect(first?.event == delivery.event.id)
    }

    @Test(arguments: [false, true])
    func `what waits for the disk is not sent once its webhook is removed or the session has ended`(hasEnded: Bool) async throws {
        let (receiver, log) = (ListedReceiver(), PendingLog())
        let session = BankSession(
            id: "till", seed: 7, prepared: PreparedBank(try source(TestFiles.withWebhooks).bank), clock: .system, journalCapacity: 1,
            budget: JournalBudget(limit: .max), timer: ListedTimer(), sender: receiver)
        session.keep(in: log)
        let webhook = try session.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook")).webhook
        var event = BankEvent(.paymentIn)
        (event.account, event.amount) = ("a1", "5.00")
        _ = try session.happen(event)
        #expect(session.inner.withLock { $0.traffic.isSending })

        if hasEnded { session.close() } else { try session.removeWebhook("webhook-\(webhook.number)") }
        log.finish()
        while session.inner.withLock({ $0.traffic.isSending }) { await Task.yield() }

        receiver.messages.continuation.finish()
        var sent: [String] = []
        for await message in receiver.messages.stream { sent.append(message.event) }
        #expect(sent.isEmpty)
        #expect(session.webhooks.deliveries.flatMap(\.attempts).isEmpty)
    }
}

/// A log whose commands become durable when a test says so.
private final class PendingLog: DurableLog {
    let path = "pending"
    let checkpointBytes = 1 << 30
    let notes: [String] = []
    let stopped: CommitTicket? = nil
    private let tickets = Locked<[CommitTicket]>([])

    func load(_ body: (StoredSession) throws -> Void) {}

    func open(session: String, bank: String, opening: [UInt8]) -> CommitTicket { pending() }

    func remove(session: String) -> CommitTicket { pending() }

    func append(_ command: StoredCommand) -> CommitTicket { pending() }

    func checkpoint(session: String, seq: Int64, state: [UInt8]) -> CommitTicket { pending() }

    func onFailure(_ body: @escaping @Sendable (LostCommands) -> Void) {}

    func withdraw(session: String) {}

    func attemptAfterFailure() -> CommitTicket? { nil }

    func close() {}

    /// Completes all tickets.
    func finish() { for ticket in tickets.withLock({ $0 }) { ticket.finish(.success(())) } }

    private func pending() -> CommitTicket {
        let ticket = CommitTicket()
        tickets.withLock { $0.append(ticket) }
        return ticket
    }
}

/// A receiver that lists what it gets.
private struct ListedReceiver: WebhookSender {
    let messages = AsyncStream<WebhookMessage>.makeStream()

    func check(_ url: String) throws(WebhookError) {}

    func send(_ message: WebhookMessage) async -> WebhookOutcome {
        messages.continuation.yield(message)
        return .status(204)
    }
}

/// A receiver that nobody has started.
private struct DeafReceiver: WebhookSender {
    func check(_ url: String) throws(WebhookError) {}

    func send(_ message: WebhookMessage) async -> WebhookOutcome { .failed("cannot connect") }
}

/// A timer that lists for how long it is set, and never calls.
private struct ListedTimer: SessionTimer {
    let waits = AsyncStream<Duration>.makeStream()

    func schedule(after wait: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        waits.continuation.yield(wait)
        return {}
    }
}
