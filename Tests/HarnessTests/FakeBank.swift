import BankModel
import Contracts
import DriverProtocol
import Faults
import Foundation
import Harness
import Synchronization

/// A bank whose journal is what the scripted driver notes in its state folder.
struct FakeBank: TestBank {
    let folder: URL
    let opened = Counter()

    var banks: [BankFacts] {
        [BankFacts(name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .accounts, .status])]
    }

    var caFile: String? { nil }

    func openSession(_ wish: SessionWish) async throws -> any TestSession {
        opened.add(1)
        return FakeSession(
            seed: wish.seed, now: wish.clock?.now ?? Instant(seconds: 1_700_000_000),
            requests: folder.appending(path: "state/\(wish.name)/requests"), open: opened)
    }

    func shutdown() async {}

    /// How many sessions are open.
    final class Counter: Sendable {
        private let count = Mutex(0)

        func add(_ more: Int) { count.withLock { $0 += more } }

        var value: Int { count.withLock { $0 } }
    }
}

struct FakeSession: TestSession {
    let baseURL = "http://127.0.0.1:1"
    let seed: UInt64
    let now: Instant
    let requests: URL
    let open: FakeBank.Counter

    func expectedViews(customer: String, timeZone: String) -> [DriverOperation: JSON] { [:] }
    func defaults(of operation: DriverOperation) -> JSONObject { JSONObject() }
    func issueToken(login: String) throws -> (id: String, text: String) { ("token#1", "cf_s1_0_0123456789abcdef") }
    func tokens(_ action: StepAction.TokenAction) throws {}
    func set(_ rule: Rule) throws -> String { throw FakeError.refused }
    func start(outage name: String) throws -> (rules: [(id: String, rule: Rule)], seed: UInt64) { throw FakeError.refused }
    func endOutage() {}
    func release() {}
    func firedCounts() -> [String: Int] { [:] }

    func journal() -> (entries: [JournalEntry], dropped: Int) {
        let text = (try? String(contentsOf: requests, encoding: .utf8)) ?? ""
        var (real, mono) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &real)
        clock_gettime(CLOCK_MONOTONIC, &mono)
        let offset = Int64(real.tv_sec - mono.tv_sec) * 1_000_000_000 + Int64(real.tv_nsec - mono.tv_nsec)
        let moments = text.split(separator: "\n").compactMap { Int64($0.filter { $0.isASCII && $0.isNumber }) }
        let entries = moments.enumerated().map { index, microseconds in
            JournalEntry(
                seq: index + 1, monoNanoseconds: microseconds * 1000 - offset, durationMicroseconds: 0, token: "token#1",
                receipt: Receipt(end: .kept))
        }
        return (entries, 0)
    }

    func movements() -> [Movement] { [] }
    func tokenTexts() -> [String: String] { ["token#1": "cf_s1_0_0123456789abcdef"] }
    func sensitiveTexts() -> [String: String] { ["description#1": "Corner café"] }
    func journalChanged(since seq: Int, within limit: Duration) async { await Task.yield() }
    func advance(by duration: Duration) {}
    func closeIdleConnections(within limit: Duration) async {}
    func close() async { open.add(-1) }

    enum FakeError: Error { case refused }
}
