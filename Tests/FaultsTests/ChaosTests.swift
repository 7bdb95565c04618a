import BankCore
import BankEngine
import BankModel
import Faults
import StubServer
import TestBanks
import TestServer
import Testing

/// The same seed gives the same faults, whatever the order of threads.
@Suite struct ChaosTests {
    /// Rules at every point, most of them by chance.
    private let rules = [
        #"{"fault": {"dialect": {"name": "rate-limited", "retry_after": 1}}, "on": {"role": "accounts"}, "probability": 0.1}"#,
        #"{"fault": {"status": {"status": 503}}, "probability": 0.1}"#,
        #"{"fault": "close", "probability": 0.02}"#, #"{"fault": "reset", "every": 97}"#,
        #"{"fault": {"lose-reply": {"by": "half-body"}}, "on": {"role": "pay"}, "probability": 0.1}"#,
        #"{"fault": {"garbage": {"random": 40}}, "probability": 0.02}"#,
        #"{"fault": {"content-type": {"value": "text/html"}}, "probability": 0.1}"#,
        #"{"fault": {"truncate": {"at": 0.3, "framing": "honest"}}, "probability": 0.1}"#,
        #"{"fault": {"corrupt": {"utf8": true}}, "probability": 0.05}"#,
        #"{"fault": {"longer-length": {"by": 5}}, "skip": 100, "probability": 0.02}"#,
    ]

    /// The requests of a run, identified by their number.
    private func requestText(_ number: Int, token: String) -> String {
        switch number % 5 {
        case 0: payment("0.01", key: "k\(number)", token: token)
        case 1: request("GET /v1/accounts/a1/entries?limit=2", token: token)
        case 2: request("GET /v1/clock")
        default: request("GET /v1/accounts", token: token)
        }
    }

    /// Sends requests one after another, on a new connection if the one before has ended.
    private func drive(_ stub: Stub, _ session: BankSession, _ numbers: some Sequence<Int>, token: String) async throws {
        var client: RawClient?
        for number in numbers {
            let open = try client ?? stub.client()
            await open.send(requestText(number, token: token))
            // A response that promises too much ends with its connection, like a truncated one.
            client = await open.response() == nil ? nil : open
        }
    }

    /// A session's journal without times.
    private func withoutTimes(_ session: BankSession) async -> [String] {
        await session.ended(0).map { entry in
            var object = entry.json.object ?? JSONObject()
            for name in ["at", "mono_ns", "duration_us"] { object[name] = nil }
            return JSON.object(object).text
        }
    }

    private func run(_ count: Int, loops: Int, underLoad: Bool) async throws -> (journal: [String], applied: [Int]) {
        var outcome: (journal: [String], applied: [Int]) = ([], [])
        try await withStub(configure: { ($0.eventLoops, $0.journalCapacity, $0.journalMemory) = (loops, count * 2, 1 << 30) }) { stub in
            let session = try stub.till
            _ = try session.withClock { clock, machine throws(ClockError) in
                clock.setMode(.frozen, machine: machine)
                try clock.set(to: Instant(seconds: 1_800_000_000), machine: machine)
            }
            for text in rules { _ = try session.set(rule(text)) }
            let token = try stub.token()
            let other = try await stub.server.openSession(bank: "till", name: "other")
            if underLoad { _ = try other.set(rule(#"{"fault": {"status": {"status": 500}}, "probability": 0.5}"#)) }
            try await withThrowingTaskGroup(of: Void.self) { load in
                for _ in 0..<(underLoad ? 2 : 0) {
                    load.addTask {
                        let client = try stub.client()
                        while !Task.isCancelled {
                            await client.send(request("GET /s/other/v1/clock"))
                            _ = await client.response()
                        }
                    }
                }
                try await drive(stub, session, 1...count, token: token)
                load.cancelAll()
            }
            outcome = (await withoutTimes(session), session.rules.map(\.applied))
        }
        return outcome
    }

    @Test func `the same requests give the same journal`() async throws {
        async let alone = run(3_000, loops: 1, underLoad: false)
        async let beside = run(3_000, loops: 4, underLoad: true)
        let (first, second) = (try await alone, try await beside)

        #expect(first.journal.count == 3_000)
        #expect(first.applied.allSatisfy { $0 > 0 })
        #expect(first.applied == second.applied)
        let difference = zip(first.journal, second.journal).first { $0 != $1 }
        #expect(difference == nil)
        #expect(second.journal.count == first.journal.count)
    }

    @Test func `concurrent requests get the same number of faults per rule`() async throws {
        var counts: [[Int]] = []
        for clients in [1, 8] {
            try await withStub(configure: { $0.eventLoops = 4 }) { stub in
                let session = try stub.till
                for text in rules where !text.contains("pay") && !text.contains("accounts") { _ = try session.set(rule(text)) }
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<clients {
                        group.addTask {
                            var client: RawClient?
                            for _ in 0..<(2000 / clients) {
                                client = client ?? (try? stub.client())
                                await client?.send(request("GET /v1/document.json"))
                                if await client?.response() == nil { client = nil }
                            }
                        }
                    }
                }
                counts.append(session.rules.map(\.applied))
            }
        }

        #expect(counts[0] == counts[1])
        #expect(counts[0].allSatisfy { $0 > 0 })
    }

    @Test func `another seed gives other faults`() async throws {
        var journals: [[Int?]] = []
        for seed: UInt64 in [1, 1, 2] {
            try await withStub(configure: { $0.seed = seed }) { stub in
                _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}}, "probability": 0.3}"#))
                try await drive(stub, stub.till, (1...200).map { _ in 2 }, token: "")
                journals.append(try await stub.till.ended(200).map(\.status))
            }
        }

        #expect(journals[0] == journals[1])
        #expect(journals[0] != journals[2])
    }
}
