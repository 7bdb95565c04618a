import BankClient
import BankModel
import Foundation
import Platform
import Testing

/// Two clients on one folder, as two processes of an app are.
struct SharedStoreTests {
    private let old = Token(access: "old", refresh: "r1", owner: "ava")

    @Test func `two keepers on one file make one refresh, and both use its token`() async throws {
        try await withFolder { folder in
            // The first refresh goes on once the other keeper waits for the lock, or refreshes too.
            let (others, other) = AsyncStream<Void>.makeStream()
            let refresher = CountedRefresh { number in
                guard number == 1 else { return _ = other.yield() }
                for await _ in others { break }
            }
            let clock = WatchedClock { other.yield() }
            let keepers = (0..<2).map { _ in
                TokenKeeper(store: FileTokenStore(path: folder + "/t", clock: clock), refresher: refresher)
            }
            try await keepers[0].signIn(old)

            async let one = keepers[0].replacement(for: old)
            async let two = keepers[1].replacement(for: old)

            #expect(try await [one?.access, two?.access] == ["new 1", "new 1"])
            #expect(refresher.count == 1)
        }
    }

    @Test func `a token that another process has removed is not refreshed`() async throws {
        try await withFolder { folder in
            let refresher = CountedRefresh()
            let store = FileTokenStore(path: folder + "/t")
            let keeper = TokenKeeper(store: store, refresher: refresher)
            try await keeper.signIn(old)
            try FileTokenStore(path: folder + "/t").clear()

            #expect(try await keeper.replacement(for: old) == nil)
            #expect(refresher.count == 0)
        }
    }

    @Test func `a payment that another process has begun is the payment: its key is sent`() async throws {
        try await withFolder { folder in
            let outboxes = try (0..<2).map { _ in try SQLiteOutbox(path: folder + "/outbox.sqlite") }
            func entry(_ key: String, _ state: OutboxEntry.State = .open) -> OutboxEntry {
                OutboxEntry(owner: "ava", intent: "A", order: order("10.00"), key: key, body: [1], state: state)
            }

            #expect(try outboxes[0].claim(entry("one"), replacing: nil).key == "one")
            #expect(try outboxes[1].claim(entry("two"), replacing: nil).key == "one")
            #expect(try outboxes[1].claim(entry("three"), replacing: "other").key == "one")
            try outboxes[0].put(entry("one", .rejected("no")))
            #expect(try outboxes[1].claim(entry("four"), replacing: "one").key == "four")
            #expect(try outboxes[0].entry("A", of: "ava") == entry("four"))
        }
    }

    @Test func `two clients that get one payment order pay once`() async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            let first = try await Bank(outbox: try SQLiteOutbox(path: path)) { _, _ in .lost }
            let second = try await Bank(outbox: try SQLiteOutbox(path: path)) { _, _ in .paid }

            #expect(await first.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
            _ = try await second.client.pay("A", order("10.00"))

            let sent = first.payments.count
            _ = try await first.client.pay("A", order("10.00"))

            #expect(Set(first.keys + second.keys).count == 1)
            #expect(first.payments.count == sent)
        }
    }

    @Test func `an outbox that could not be opened is opened as soon as it can be`() async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            try write([UInt8](repeating: 7, count: 5000), to: path)
            let outbox = SQLiteOutbox.opened(path)
            let entry = OutboxEntry(owner: "ava", intent: "A", order: order("10.00"), key: "k", body: [1])
            await #expect(throws: StorageError.self) { try await outbox.put(entry) }
            try FileManager.default.removeItem(atPath: path)

            try await outbox.put(entry)

            #expect(try SQLiteOutbox(path: path).entry("A", of: "ava") == entry)
        }
    }
}

private final class CountedRefresh: TokenRefreshing {
    private let made = Locked(0)
    private let begun: @Sendable (Int) async -> Void

    /// - Parameter begun: called with the number of each refresh before it ends.
    init(_ begun: @escaping @Sendable (Int) async -> Void = { _ in }) { self.begun = begun }

    var count: Int { made.withLock { $0 } }

    func refresh(_ refresh: String) async throws(ClientFailure) -> Token {
        let number = made.withLock { made in
            made += 1
            return made
        }
        await begun(number)
        return Token(access: "new \(number)", refresh: "r\(number + 1)")
    }
}

/// The system's clock, which reports each wait before it begins.
private struct WatchedClock: ClientClock {
    private let base = SystemClock()
    private let waits: @Sendable () -> Void

    init(_ waits: @escaping @Sendable () -> Void) { self.waits = waits }

    func now() -> Instant { base.now() }
    func uptime() -> Duration { base.uptime() }
    func sleep(for duration: Duration) async throws {
        waits()
        try await base.sleep(for: duration)
    }
}
