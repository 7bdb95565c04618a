import BankCore
import BankEngine
import BankModel
import Faults
import Platform
import StubServer
import Testing
import TestServer

/// Held exchanges end with their client, their rule, or the state that they wait in.
@Suite struct HoldingTests {
    @Test func `a client that goes away is held no longer`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": "hang"}"#))
            let client = try stub.client()
            await client.send(request("GET /v1/clock"))
            _ = try await stub.till.entries { !$0.isEmpty }

            client.close()

            #expect(try await stub.till.ended(1).map(\.receipt.end) == [.clientGone])
            #expect(try stub.till.heldCount == 0)
        }
    }

    @Test func `held exchanges end with their rule's time to live`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": "hang", "ttl": "3s"}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/clock"))

            #expect(await client.end() == (.fin, []))
            #expect(try stub.till.rules.isEmpty)
        }
    }

    @Test func `a released delay executes and a removed one does not`() async throws {
        try await withStub { stub in
            let token = try stub.token()
            let delay = #"{"fault": {"delay": {"at_point": "request", "until": "released"}}, "on": {"role": "pay", "attempt": 1}}"#
            let id = try stub.till.set(rule(delay))
            let (first, second) = (try stub.client(), try stub.client())
            await first.send(payment(key: "k1", token: token))
            _ = try await stub.till.entries { $0.count == 1 }
            #expect(try await stub.ask(payment(key: "k1", token: token)).error == "key-in-flight")
            #expect(try stub.till.ledger.movements.isEmpty)

            #expect(try stub.till.release() == 1)
            #expect(await first.response()?.status == 201)
            await second.send(payment(key: "k2", token: token))
            _ = try await stub.till.entries { $0.count == 3 }
            #expect(try stub.till.removeRule(id))

            #expect(await second.end() == (.fin, []))
            #expect(try stub.till.ledger.movements.map(\.key) == ["k1"])
            #expect(try await stub.ask(payment(key: "k2", token: token)).status == 201)
        }
    }

    @Test func `a payment that waits while the session is restored is not made in the restored state`() async throws {
        try await withStub { stub in
            let till = try stub.till
            till.snapshot()
            // A token of after the snapshot, which the restored state does not know.
            let token = try stub.token()
            _ = try till.set(rule(#"{"fault": {"delay": {"at_point": "request", "until": "released"}}, "times": 1}"#))
            let client = try stub.client()
            await client.send(payment(key: "k1", token: token))
            #expect(await till.holds(1))

            #expect(till.restore())
            #expect(till.release() == 1)

            #expect(await client.end() == (.fin, []))
            #expect(till.ledger.movements.isEmpty)
            #expect(try await stub.ask(payment(key: "k1", token: try stub.token())).status == 201)
            #expect(till.ledger.movements.map(\.key) == ["k1"])
        }
    }

    /// A connection that is never closed.
    private final class Peer: SessionConnection {
        var id: ObjectIdentifier { ObjectIdentifier(self) }

        func closeNow() {}
        func closeWhenIdle(drains: Bool) {}
        func whenClosed(_ body: @escaping @Sendable () -> Void) {}
    }

    @Test func `a session that has just ended holds no request and no connection`() async throws {
        try await withStub { stub in
            let (till, peer) = (try await stub.server.openSession(bank: "till", listener: .clear()), Peer())
            for kind in ["hang", "blackhole"] { _ = try till.set(rule(#"{"fault": "\#(kind)"}"#)) }

            till.close()
            let plan = till.handle(
                WireRequest(
                    method: "GET", target: "/v1/clock", headers: [], body: [], on: peer, mono: till.clock.monotonic(), line: WireLine(),
                    sentTarget: "/v1/clock", authority: nil))
            let connection = till.apply(peer, at: .connect, isSecure: false)

            #expect(plan.held?.ending == .dropped)
            #expect(connection?.held?.ending == .dropped)
            #expect(till.heldCount == 0)
        }
    }

    /// A port that counts how often it is closed.
    private final class Port: SessionPort {
        let port = 1
        let openConnections: [any SessionConnection]
        let closed = Locked(0)

        init(_ openConnections: [any SessionConnection] = []) { self.openConnections = openConnections }

        func set(isOpen: Bool) {}
        func waitForChange() async {}
        func close() { closed.withLock { $0 += 1 } }
    }

    @Test func `a port that was opened for a session that has ended meanwhile is closed`() async throws {
        try await withStub { stub in
            let (till, port) = (try await stub.server.openSession(bank: "till"), Port())
            till.close()

            till.setPorts([port], protocols: [.h1], isSecure: false)

            #expect(port.closed.withLock { $0 } == 1)
            #expect(till.port == nil)
        }
    }

    @Test func `a session that was replaced by one of its name cannot remove that`() async throws {
        try await withStub { stub in
            let registry = stub.server.registry
            let first = try await stub.server.openSession(bank: "till", name: "mine")
            try registry.remove("mine")
            let second = try await stub.server.openSession(bank: "till", name: "mine")

            registry.remove(first)

            #expect(registry.session("mine") === second)
            registry.remove(second)
            #expect(registry.session("mine") == nil)
        }
    }
}
