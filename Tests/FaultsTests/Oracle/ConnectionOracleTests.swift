import BankEngine
import BankModel
import Faults
import Platform
import StubServer
import TestServer
import Testing

/// Faults of whole connections and of the port.
@Suite struct ConnectionOracleTests {
    let clock = request("GET /v1/clock")

    @Test func `a port that refuses connections stays reserved`() async throws {
        try await withStub { stub in
            let open = try stub.client()
            await open.send(clock)
            #expect(await open.response()?.status == 200)

            let id = try stub.till.set(rule(#"{"fault": "refuse"}"#))
            try await stub.till.waitForPorts()

            #expect(throws: RawClient.Failure.self) { try stub.client() }
            #expect(ConnectionOracleTests.canTake(0), "any free port")
            #expect(!ConnectionOracleTests.canTake(stub.port))
            #expect(await open.end().end != .silence)
            #expect(try stub.till.removeRule(id))
            try await stub.till.waitForPorts()
            #expect(try await stub.ask(clock).status == 200)
            #expect(!ConnectionOracleTests.canTake(stub.port))
        }
    }

    @Test func `no moment gives the port away`() async throws {
        try await withStub { stub in
            let port = stub.port
            let thief = Task.detached {
                while !Task.isCancelled {
                    if ConnectionOracleTests.canTake(port) { return true }
                    await Task.yield()
                }
                return false
            }
            for _ in 1...20 {
                let id = try stub.till.set(rule(#"{"fault": "refuse"}"#))
                try await stub.till.waitForPorts()
                #expect(try stub.till.removeRule(id))
                try await stub.till.waitForPorts()
            }
            thief.cancel()
            #expect(await !thief.value)
        }
    }

    @Test(arguments: 1...5) func `a port refuses every connection`(_: Int) async throws {
        try await withStub { stub in
            for _ in 1...5 {
                let id = try stub.till.set(rule(#"{"fault": "refuse"}"#))
                try await stub.till.waitForPorts()
                #expect(throws: RawClient.Failure.self) { try stub.client() }
                #expect(try stub.till.removeRule(id))
                try await stub.till.waitForPorts()
                #expect(try await stub.ask(clock).status == 200)
            }
        }
    }

    @Test func `a black hole is silent until its rule is gone`() async throws {
        try await withStub { stub in
            let id = try stub.till.set(rule(#"{"fault": "blackhole"}"#))
            let client = try stub.client()
            await client.send(clock)
            #expect(try await stub.till.holds(1))

            let patience = client.timeoutSeconds
            client.timeoutSeconds = 3
            #expect(await client.end() == (.silence, []))
            #expect(try stub.till.heldCount == 1)

            client.timeoutSeconds = patience
            #expect(try stub.till.removeRule(id))
            #expect(await client.end() == (.fin, []))
            #expect(await stubEnds(stub, 1) == [.fin])
        }
    }

    @Test(arguments: [("reset-on-accept", RawClient.End.rst), ("close-on-accept", .fin)])
    func `accepted connections end at once`(kind: String, end: RawClient.End) async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": "\#(kind)"}"#))

            for count in 1...20 {
                let client = try stub.client()
                // Even with a request that is never read.
                if count.isMultiple(of: 2) { await client.send(clock) }
                #expect(await client.end() == (end, []))
            }

            #expect(await stubEnds(stub, 20) == Array(repeating: end == .rst ? .rst : .fin, count: 20))
        }
    }

    @Test func `a slow connection is slow both ways`() async throws {
        try await withStub(OracleBank.sources(OracleBank.text(100_000))) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"bandwidth": {"bytes_per_second": 200000}}}"#))
            let token = try stub.token()
            let down = try stub.client()
            let up = try stub.client()

            let clock = ContinuousClock()
            let downTime = await clock.measure {
                await down.send(request("GET /v1/document.json"))
                #expect(await down.response()?.body.count == 100_000)
            }
            let upTime = await clock.measure {
                let text = String(repeating: " ", count: 100_000) + #"{"from": "a1", "to": "p1", "amount": "1.00"}"#
                await up.send(request("POST /v1/payments", token: token, key: "k1", body: text))
                #expect(await up.response()?.status == 201)
            }

            #expect(downTime >= .milliseconds(400))
            #expect(upTime >= .milliseconds(400))
        }
    }

    /// The ends of the first `count` exchanges.
    private func stubEnds(_ stub: Stub, _ count: Int) async -> [Receipt.End] {
        (try? await stub.till.ended(count).map(\.receipt.end)) ?? []
    }

    /// Whether another process could bind the port, without special options.
    private static func canTake(_ port: Int) -> Bool {
        guard let socket = StreamSocket.open() else { return false }
        defer { socket.close() }
        return socket.bind(to: port)
    }
}
