import BankModel
import Contracts
import DriverProtocol
import Faults
import Foundation
import Harness
import Platform

/// A bank whose journal is what the scripted driver notes in its state folder.
struct FakeBank: TestBank {
    let folder: URL
    var hasLoginCall = true
    /// The views of a correct client.
    var views: [DriverOperation: JSON] = [:]
    let opened = Counter()
    /// The commands on connections, each with the number of earlier requests.
    let endings = Endings()
    /// How far the machine's clock was set in the session of that name.
    var clockWasSet: @Sendable (String) -> Duration = { _ in .zero }

    var banks: [BankFacts] {
        [
            BankFacts(
                name: "toy", customers: [.init(login: "ava", password: "secret"), .init(login: "ben", password: "staple")],
                hasLoginCall: hasLoginCall,
                operations: [.login, .accounts, .status])
        ]
    }

    var caFile: String? { nil }
    var pins: [String] { [] }

    func openSession(_ parameters: SessionParameters) async throws -> any TestSession {
        opened.add(1)
        return FakeSession(
            seed: parameters.seed, clock: Clock(parameters.clock?.now ?? Instant(seconds: 1_700_000_000)),
            requests: folder.appending(path: "state/\(parameters.name).requests"), open: opened, endings: endings, views: views,
            clockWasSet: clockWasSet(parameters.name))
    }

    func shutdown() async {}

    /// A session's clock, which stands still between steps.
    final class Clock: Sendable {
        private let instant: Locked<Instant>

        init(_ now: Instant) { instant = Locked(now) }

        var now: Instant { instant.withLock { $0 } }

        func advance(by duration: Duration) { instant.withLock { $0 = $0 + duration } }
    }

    /// The commands on connections.
    final class Endings: Sendable {
        private let notes = Locked<[String]>([])

        func note(_ what: String, after requests: Int) { notes.withLock { $0.append("\(what) after \(requests)") } }

        var all: [String] { notes.withLock { $0 } }
    }

    /// How many sessions are open.
    final class Counter: Sendable {
        private let count = Locked(0)

        func add(_ more: Int) { count.withLock { $0 += more } }

        var value: Int { count.withLock { $0 } }
    }
}

struct FakeSession: TestSession {
    let baseURL = "http://127.0.0.1:1"
    let seed: UInt64
    let clock: FakeBank.Clock
    let requests: URL
    let open: FakeBank.Counter
    let endings: FakeBank.Endings
    let views: [DriverOperation: JSON]
    let clockWasSet: Duration

    var now: Instant { clock.now }

    func machineClockWasSet() -> Duration { clockWasSet }

    func expectedViews(customer: String, timeZone: String) -> [DriverOperation: JSON] { views }
    func defaults(of operation: DriverOperation, customer: String?) -> JSONObject {
        JSONObject(operation == .accounts ? [(key: "account", value: .string("\(customer ?? "nobody")-main"))] : [])
    }
    func issueToken(login: String) throws -> (id: String, text: String) { ("token#1", "cf_s1_0_0123456789abcdef") }
    func tokens(_ action: StepAction.TokenAction) throws {}

    /// Takes only what holds a request: the driver itself records in its file of requests that one of them is held.
    func happen(_ event: BankEvent) throws {}
    func webhook(_ action: StepAction.WebhookAction, url: String?) throws -> String? { nil }
    var isDelivering: Bool { false }
    func deliveries() -> [WebhookAttempt] { [] }
    func decideChallenge(approves: Bool) throws {}
    var authorisedConsent: String? { nil }
    func set(_ rule: Rule) throws -> String {
        guard rule.kind == "hang" || rule.kind == "lose-reply" else { throw FakeError.refused }
        return "rule-1"
    }

    func start(outage name: String) throws -> (rules: [(id: String, rule: Rule)], seed: UInt64) { throw FakeError.refused }
    func waitForPorts() async {}
    func remove(rule id: String) {}
    func endOutage() {}
    func release() {}
    func appliedCounts() -> [String: Int] { ["rule-1": journal().entries.count { $0.fault != nil }] }

    func journal() -> (entries: [JournalEntry], dropped: Int) {
        let text = (try? String(contentsOf: requests, encoding: .utf8)) ?? ""
        let offset = MachineTime.wall() - MachineTime.monotonic()
        let entries = text.split(separator: "\n").enumerated().compactMap { index, line -> JournalEntry? in
            let words = line.split(separator: " ")
            guard let microseconds = words.first.flatMap({ Int64($0.filter { $0.isASCII && $0.isNumber }) }) else { return nil }
            // `TIME held PID`: the request is held for as long as the process lives that sent it. `TIME late PID`: it was only delayed.
            let holder = words.count == 3 ? pid_t(words[2]) : nil
            let isHeld = holder.map { kill($0, 0) == 0 } ?? false
            let kind = words.count == 3 && words[1] == "late" ? "delay" : "status"
            let fault = holder.map { _ in FaultRecord(rule: "rule-1", kind: kind, point: "request", applied: true) }
            return JournalEntry(
                seq: index + 1, monoNanoseconds: microseconds * 1000 - offset, durationMicroseconds: isHeld ? nil : 0, token: "token#1",
                committed: true, fault: fault, receipt: Receipt(end: .kept))
        }
        return (entries, 0)
    }

    func movements() -> [Movement] { [] }
    func tokenOwners() -> [String: String] { ["token#1": "ava"] }

    func tokenTexts() -> [String: String] { ["token#1": "cf_s1_0_0123456789abcdef"] }
    func idTokenBeginnings() -> [String: String] { [:] }
    func sensitiveTexts() -> [String: String] { ["description#1": "Corner café"] }
    func waitForExchanges(within limit: Duration) async {}
    func journalChanged(since seq: Int, within limit: Duration) async { await Task.yield() }
    func advance(by duration: Duration) { clock.advance(by: duration) }
    func endConnectionsAfterResponses() { endings.note("announced", after: journal().entries.count) }
    func closeIdleConnections(within limit: Duration) async { endings.note("ended", after: journal().entries.count) }
    func close() async { open.add(-1) }

    enum FakeError: Error { case refused }
}
