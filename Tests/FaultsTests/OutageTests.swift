import BankCore
import BankEngine
import BankFiles
import BankModel
import Faults
import Platform
import StubServer
import TestBanks
import Testing
import TestServer

/// Plans: the effect of their entries as the session's clock advances.
@Suite struct OutageTests {
    let clock = request("GET /v1/clock")

    /// A plan that answers with these statuses, each for a minute with a minute between them.
    private func answering(_ statuses: Int..., more: String = "") throws -> Plan {
        let entries = statuses.enumerated().map { index, status in
            #"{"at": "\#(2 * index + 1)m", "for": "1m", "rules": [{"fault": {"status": {"status": \#(status)}}}]}"#
        }
        return try plan(#"{"about": "A test.", \#(more) "entries": [\#(entries.joined(separator: ", "))]}"#)
    }

    /// A plan of one entry that begins at once.
    private func storm(_ rule: String, members: String = "", name: String = "storm") throws -> Plan {
        try plan(#"{"about": "A test.", "entries": [{\#(members) "rules": [\#(rule)]}]}"#, name: name)
    }

    @Test func `entries open and close as the clock goes on`() async throws {
        try await withStub { stub in
            try stub.till.freeze()
            _ = try stub.till.start(answering(503, 502))
            var seen: [Int] = []
            for _ in 0..<5 {
                seen.append(try await stub.ask(clock).status)
                try stub.till.advance(.seconds(59))
                #expect(try await stub.ask(clock).status == seen.last, "an entry lasts for all of its minute")
                try stub.till.advance(.seconds(1))
            }

            #expect(seen == [200, 503, 200, 502, 200])
            #expect(try stub.till.outage?.isOver == true)
            #expect(try stub.till.outage?.outage.rules.map(\.applied) == [2, 2])
            #expect(try await stub.till.ended(10).compactMap(\.fault?.rule) == ["storm-1", "storm-1", "storm-2", "storm-2"])
        }
    }

    @Test func `tokens expire that were issued before`() async throws {
        try await withStub { stub in
            try stub.till.freeze()
            let before = try stub.token()
            _ = try stub.till.start(plan(#"{"about": "A test.", "entries": [{"at": "1m", "for": "1m", "tokens": "expire"}]}"#))
            #expect(try await stub.ask(request("GET /v1/accounts", token: before)).status == 200)

            try stub.till.advance(.seconds(60))
            let after = try stub.token()

            #expect(try await stub.ask(request("GET /v1/accounts", token: before)).error == "token-expired")
            #expect(try await stub.ask(request("GET /v1/accounts", token: after)).status == 200)
            try stub.till.advance(.seconds(60))
            #expect(try await stub.ask(request("GET /v1/accounts", token: after)).status == 200)
        }
    }

    @Test func `a token issued after an unnoticed event is valid`() async throws {
        let passed = Locked(Duration.zero)
        let later = MachineClock(
            now: { Instant(seconds: 1_800_000_000) + passed.withLock { $0 } }, monotonic: { passed.withLock { $0.nanoseconds } })
        try await withStub(configure: { $0.clock = later }) { stub in
            let before = try stub.token()
            _ = try stub.till.start(plan(#"{"about": "A test.", "entries": [{"at": "1m", "tokens": "expire"}]}"#))

            passed.withLock { $0 = .seconds(61) }
            let after = try stub.token()

            #expect(try await stub.ask(request("GET /v1/accounts", token: after)).status == 200)
            #expect(try await stub.ask(request("GET /v1/accounts", token: before)).error == "token-expired")
        }
    }

    @Test func `held exchanges end with their entry`() async throws {
        try await withStub { stub in
            try stub.till.freeze()
            _ = try stub.till.start(storm(#"{"fault": "hang"}"#, members: #""for": "1m","#))
            let client = try stub.client()
            await client.send(clock)
            _ = try await stub.till.entries { !$0.isEmpty }
            #expect(try stub.till.heldCount == 1)

            try stub.till.advance(.seconds(60))

            #expect(await client.end().bytes.isEmpty)
            #expect(try stub.till.heldCount == 0)
            #expect(try await stub.till.ended(1).first?.committed == false)
            #expect(try await stub.ask(clock).status == 200)
        }
    }

    @Test(arguments: ["real", "session"])
    func `an entry ends by itself when its time is over`(byClock: String) async throws {
        try await withStub { stub in
            let hang = #"{"for": "3s", "rules": [{"fault": "hang"}]}"#
            _ = try stub.till.start(plan(#"{"about": "A test.", "clock": "\#(byClock)", "entries": [\#(hang)]}"#))
            let client = try stub.client()
            await client.send(clock)

            #expect(await client.end().end != .silence)
            #expect(try await stub.ask(clock).status == 200)
        }
    }

    @Test func `a port that refuses connections listens again afterwards`() async throws {
        try await withStub { stub in
            try stub.till.freeze()
            let open = try stub.client()
            await open.send(clock)
            #expect(await open.response()?.status == 200)
            _ = try stub.till.start(storm(#"{"fault": "refuse"}"#, members: #""for": "1m","#))
            try await stub.till.waitForPorts()

            #expect(throws: RawClient.Failure.self) { try stub.client() }
            #expect(await open.end().end != .silence)
            try stub.till.advance(.seconds(60))
            try await stub.till.waitForPorts()

            #expect(try await stub.ask(clock).status == 200)
            #expect(try stub.till.journal().entries.compactMap(\.fault?.kind) == ["refuse"])
        }
    }

    @Test func `a second start is rejected unless it replaces`() async throws {
        try await withStub { stub in
            try stub.till.freeze()
            _ = try stub.till.start(storm(#"{"fault": {"status": {"status": 503}}}"#))

            #expect(throws: OutageError.running("storm")) { try stub.till.start(storm(#"{"fault": "close"}"#, name: "other")) }
            #expect(try await stub.ask(clock).status == 503)
            let other = try storm(#"{"fault": {"status": {"status": 502}}}"#, name: "other")
            _ = try stub.till.start(other, replaces: true)

            #expect(try await stub.ask(clock).status == 502)
            #expect(try stub.till.endOutage())
            #expect(try await stub.ask(clock).status == 200)
            #expect(try !stub.till.endOutage())
        }
    }

    @Test func `a plan that has run is no hindrance`() async throws {
        try await withStub { stub in
            try stub.till.freeze()
            _ = try stub.till.start(answering(503))
            try stub.till.advance(.seconds(120))

            _ = try stub.till.start(storm(#"{"fault": {"status": {"status": 502}}}"#))

            #expect(try await stub.ask(clock).status == 502)
        }
    }

    @Test func `a limit ends a plan earlier`() async throws {
        try await withStub { stub in
            try stub.till.freeze()
            let outage = try stub.till.start(answering(503, 502), limit: .seconds(90))
            #expect(outage.rules.map(\.id) == ["storm-1"])
            try stub.till.advance(.seconds(60))
            #expect(try await stub.ask(clock).status == 503)

            try stub.till.advance(.seconds(30))

            #expect(try await stub.ask(clock).status == 200)
            #expect(try stub.till.outage?.isOver == true)
        }
    }

    /// The statuses of 40 requests under a plan that matches half of them.
    private func statuses(serverSeed: UInt64, planSeed: String, seed: UInt64? = nil) async throws -> [Int] {
        var statuses: [Int] = []
        try await withStub(configure: { $0.seed = serverSeed }) { stub in
            let rule = #"{"fault": {"status": {"status": 503}}, "probability": 0.5}"#
            _ = try stub.till.start(plan(#"{"about": "A test.", \#(planSeed) "entries": [{"rules": [\#(rule)]}]}"#), seed: seed)
            let client = try stub.client()
            for _ in 0..<40 {
                await client.send(clock)
                statuses.append(await client.response()?.status ?? 0)
            }
        }
        return statuses
    }

    @Test func `the same seed decides the same on any server`() async throws {
        let first = try await statuses(serverSeed: 7, planSeed: #""seed": 3,"#)

        #expect(first.contains(200))
        #expect(first.contains(503))
        #expect(try await statuses(serverSeed: 8, planSeed: #""seed": 3,"#) == first)
        #expect(try await statuses(serverSeed: 8, planSeed: "", seed: 3) == first)
        #expect(try await statuses(serverSeed: 7, planSeed: #""seed": 3,"#, seed: 4) != first)
        #expect(try await statuses(serverSeed: 7, planSeed: "") != statuses(serverSeed: 8, planSeed: ""))
    }

    @Test func `a reset ends it`() async throws {
        try await withStub { stub in
            _ = try stub.till.start(storm(#"{"fault": "refuse"}"#))
            try await stub.till.waitForPorts()

            try stub.till.reset()
            try await stub.till.waitForPorts()

            #expect(try stub.till.outage == nil)
            #expect(try await stub.ask(clock).status == 200)
        }
    }

    @Test func `rules set by hand come first`() async throws {
        try await withStub { stub in
            _ = try stub.till.start(storm(#"{"fault": {"status": {"status": 503}}}"#))
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 418}}, "times": 1}"#))

            #expect(try await stub.ask(clock).status == 418)
            #expect(try await stub.ask(clock).status == 503)
            try stub.till.removeRules()
            #expect(try await stub.ask(clock).status == 503)
        }
    }

    @Test func `rules that cannot apply here are skipped and listed`() async throws {
        try await withStub { stub in
            let atms = #"{"fault": "close", "on": {"role": "atms"}}"#

            let outage = try stub.till.start(storm(#"\#(atms), {"fault": "close", "on": {"role": "pay"}}"#))

            #expect(outage.rules.map(\.id) == ["storm-2"])
            #expect(outage.skipped.count == 1)
            #expect(outage.skipped.first?.hasPrefix("storm-1 (close): found the role atms") == true)
            #expect(throws: OutageError.self) { try stub.till.start(storm(atms), replaces: true) }
            #expect(try stub.till.outage?.outage.rules.count == 1, "the one that runs goes on")
        }
    }
}
