import BankClient
import BankModel
import Foundation
import Platform

/// A client of a scripted bank, signed in, with a clock that only sleeping advances. Its waits and keys follow from the seed:
/// a client that is restarted has another, so that a key that is the same was kept.
final class Bank: Sendable {
    let client: BankClient
    let transport: ScriptedTransport
    let clock = TestClock()

    init(
        _ name: String = "counterfoil", store: any TokenStore = MemoryTokenStore(), outbox: any Outbox = MemoryOutbox(),
        cache: (any DataCache)? = nil, images: FileImageCache? = nil,
        amounts: any AmountReading = ExactAmounts(), zone: String = "UTC", signedIn: Bool = true,
        seed: UInt64 = .random(in: 0...(.max)),
        answer: @escaping @Sendable (HTTPRequest, Int) async -> ScriptedTransport.Outcome
    ) async throws {
        transport = ScriptedTransport(answer)
        let reading = Reading(amounts: amounts, timeZone: TimeZone(identifier: zone) ?? .gmt)
        guard let adapter = KnownBanks.adapter(name, reading, clock: clock) else { throw StorageError("no bank \(name)") }
        var parts = ClientParts(
            adapter: adapter, baseURL: "http://bank", transport: transport, store: store, outbox: outbox, clock: clock,
            random: RandomSource(SeededGenerator(seed: seed)))
        parts.cache = cache
        parts.images = images
        client = BankClient(parts)
        if adapter.usesTokens, signedIn { try await client.signIn(token: "token", of: "ava") }
    }

    var payments: [HTTPRequest] { transport.requests.filter { $0.method != "GET" } }
    /// The number of requests to addresses with that suffix.
    func count(_ path: String) -> Int { transport.requests.filter { $0.url.hasSuffix(path) }.count }
    var keys: [String] { payments.compactMap { $0.headers["Idempotency-Key"] } }

    /// The failure of the call; nil if it succeeds.
    func error<Value>(_ body: (BankClient) async throws -> Value) async -> ClientError? {
        do {
            _ = try await body(client)
            return nil
        } catch {
            return (error as? ClientFailure)?.error
        }
    }
}

/// The entry of that intent, if exactly one customer has one.
func onlyEntry(_ intent: String, in outbox: any Outbox) async throws -> OutboxEntry? {
    let owners = try await outbox.owners(of: intent)
    guard let owner = owners.first, owners.count == 1 else { return nil }
    return try await outbox.entry(intent, of: owner)
}

/// Blocks callers until it is opened.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watching: [CheckedContinuation<Void, Never>] = []
        var cameOnce = false
    }

    private let state = Locked(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let (through, watching) = state.withLock { state in
                state.cameOnce = true
                if !state.isOpen { state.waiting.append(continuation) }
                defer { state.watching = [] }
                return (state.isOpen, state.watching)
            }
            if through { continuation.resume() }
            for watcher in watching { watcher.resume() }
        }
    }

    /// Returns once a caller waits.
    func hasWaiting() async {
        await withCheckedContinuation { continuation in
            let now = state.withLock { state in
                if !state.cameOnce { state.watching.append(continuation) }
                return state.cameOnce
            }
            if now { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }
}

func currency(_ code: String) -> Currency {
    guard let currency = Currency(code) else { preconditionFailure("\(code) is no code of a currency") }
    return currency
}

/// The amount of a literal, which the test's author guarantees.
func pounds(_ text: String) -> Money {
    guard let money = try? Money(major: text, currency: currency("GBP")) else { preconditionFailure("\(text) is no amount") }
    return money
}
