import BankModel
import NIOEmbedded
import Platform
import Testing
import TestServer

@testable import BankEngine
@testable import StubServer

/// A receipt never claims more than the operating system has accepted, nor more than a client that is gone can have got.
@Suite struct TrueReceiptTests {
    private func claimed(_ entries: [JournalEntry], on wire: OracleWire) -> Int {
        // A head of HTTP/2 is compressed: its receipt counts names and values.
        entries.reduce(0) { $0 + $1.receipt.bodyBytes + (wire.isHTTP2 ? 0 : $1.receipt.headBytes + $1.receipt.rawBytes) }
    }

    @Test(arguments: OracleWire.allCases, ["", #"{"fault": "early-hints"}"#])
    func `a client that stops reading`(wire: OracleWire, fault: String) async throws {
        try await withStub(OracleBank.sources()) { stub in
            let till = try stub.till
            if !fault.isEmpty { _ = try till.set(rule(fault)) }
            let line = try TimedLine(wire, to: till, of: stub)
            line.stall(after: 20_000)
            let changes = Locked(0)
            let watcher = till.watchJournal { changes.withLock { $0 += 1 } }
            defer { till.stopWatching(watcher) }

            for _ in 0..<60 { try line.ask(TimedRequest(path: "/v1/document.json"), runs: false) }
            try line.exchange()

            let entries = till.journal().entries
            let ended = entries.filter { $0.durationMicroseconds != nil }
            #expect(entries.count > 20)
            #expect(ended.count < entries.count)
            #expect(claimed(ended, on: wire) <= line.accepted)

            line.close()

            let all = await till.ended(entries.count)
            #expect(claimed(all, on: wire) <= line.accepted)
            #expect(all.contains { $0.receipt.end == .clientGone })
            // Each came and ended.
            #expect(changes.withLock { $0 } >= 2 * entries.count)
        }
    }

    @Test func `what a client that resets has not acknowledged is not sent, and it may have read none of the rest`() async throws {
        try await withStub { stub in
            let client = try stub.client(timeoutSeconds: 2)
            await client.send(
                String(
                    repeating: request("GET /v1/clock", headers: ["X-Request-Id: " + String(repeating: "r", count: 3000)]), count: 3000)
            )
            try await stalls(stub, client)
            let arrived = client.unreadBytes
            let till = try stub.till
            let halves = HalfCorrections(of: till, claiming: arrived)
            defer { till.stopWatching(halves.watcher) }

            client.abort()

            let entries = await till.entries { all in
                all.contains { $0.receipt.isReset } && all.allSatisfy { $0.durationMicroseconds != nil }
            }
            let whole = entries.filter { $0.receipt.end == .kept && $0.receipt.unsent == 0 }
            let lost = entries.filter { $0.receipt.end == .clientGone }
            #expect(!whole.isEmpty)
            #expect(!lost.isEmpty)
            #expect(claimed(whole, on: .h1) <= arrived)
            #expect(halves.count == 0)
            #expect(lost.contains { $0.receipt.unsent > 0 })
            // Behind the last response that was accepted whole, the head of another may have been.
            #expect(entries.last { $0.receipt.end == .kept || $0.receipt.unsent > 0 }?.receipt.isReset == true)
        }
    }

    /// Counts how often a reader of the journal finds a reset connection's records corrected in part.
    private final class HalfCorrections: Sendable {
        private let found: ViolationCount
        let watcher: Int

        private final class ViolationCount: Sendable { let count = Locked(0) }

        /// - Parameter most: the bytes that responses which count as sent may have in all.
        init(of session: BankSession, claiming most: Int) {
            let found = ViolationCount()
            self.found = found
            watcher = session.watchJournal {
                let entries = session.journal().entries
                guard entries.contains(where: { $0.receipt.isReset }) else { return }
                let kept = entries.filter { $0.durationMicroseconds != nil && $0.receipt.end == .kept && $0.receipt.unsent == 0 }
                if kept.reduce(0, { $0 + $1.receipt.headBytes + $1.receipt.bodyBytes }) > most { found.count.withLock { $0 += 1 } }
            }
        }

        var count: Int { found.count.withLock { $0 } }
    }

    /// Returns when a response has been waiting for its client for two seconds, and nothing else happens: neither does the journal change
    /// nor does the client receive more. Counted in time, because a busy machine may keep the server waiting.
    private func stalls(_ stub: Stub, _ client: RawClient) async throws {
        let end = ContinuousClock.now + .seconds(300)
        var (last, since) = ([-1, -1], ContinuousClock.now)
        while since + .seconds(2) > ContinuousClock.now, ContinuousClock.now < end {
            let seen = [try stub.till.journalRevision, client.unreadBytes]
            if seen != last || seen.contains(0) { (last, since) = (seen, ContinuousClock.now) }
            await Task.yield()
        }
    }

    /// A connection that is never closed.
    private final class Peer: SessionConnection {
        var id: ObjectIdentifier { ObjectIdentifier(self) }

        func closeNow() {}
        func closeWhenIdle(drains: Bool) {}
        func whenClosed(_ body: @escaping @Sendable () -> Void) {}
    }

    private func asked(_ session: BankSession, on peer: Peer) -> ResponsePlan {
        session.handle(
            WireRequest(
                method: "GET", target: "/v1/clock", headers: [], body: [], on: peer, mono: session.clock.monotonic(), line: WireLine(),
                sentTarget: "/v1/clock", authority: nil))
    }

    @Test func `a reader of the journal waits for receipts, and not for what a fault holds`() async throws {
        try await withStub { stub in
            let (till, peer) = (try stub.till, Peer())
            let plan = asked(till, on: peer)
            await till.waitForExchanges(within: .milliseconds(1))
            #expect(till.journal().entries.map(\.durationMicroseconds) == [nil])

            let query = Task { try await till.journal(JournalQuery()).records.map { $0.durationMicroseconds != nil } }
            // On a thread of its own: the query waits for 200 ms, and a task of a busy pool may come later.
            await blocking {
                let end = ContinuousClock.now + .seconds(300)
                while till.inner.withLock({ $0.watchers.isEmpty }), ContinuousClock.now < end { sched_yield() }
                till.complete(plan, Receipt(headBytes: 1, end: .kept), status: 200)
            }
            #expect(try await query.value == [true])

            _ = try till.set(rule(#"{"fault": "hang"}"#))
            _ = asked(till, on: peer)
            #expect(till.journal().entries.last?.fault?.applied == true)
            #expect(till.journal().entries.last?.durationMicroseconds == nil)
            let began = ContinuousClock.now
            await till.waitForExchanges(within: .seconds(600))
            #expect(ContinuousClock.now - began < .seconds(300))
        }
    }

    @Test func `a client that resets after it has read a response and asked again may have read the last alone`() async throws {
        try await withStub { stub in
            let client = try stub.client()
            for _ in 1...2 {
                await client.send(request("GET /v1/clock"))
                #expect(await client.response()?.status == 200)
            }

            client.abort()

            let entries = try await stub.till.entries { $0.count == 2 && $0[1].receipt.isReset }
            #expect(entries.map(\.receipt.isReset) == [false, true])
        }
    }

    @Test func `a client that ends its side before its response gets FIN, and the receipt shows it`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"delay": {"at_point": "head", "until": "released"}}, "times": 1}"#))
            let client = try stub.client()
            await client.send(request("GET /v1/clock"))
            #expect(try await stub.till.holds(1))
            client.shutdownWriting()
            // The server has read the FIN once its one loop has answered another connection.
            #expect(try await stub.ask(request("GET /v1/nowhere")).status == 404)

            #expect(try stub.till.release() == 1)

            #expect(await client.response()?.status == 200)
            #expect(await client.end().end == .fin)
            #expect(try await stub.till.ended(2).first?.receipt.end == .fin)
        }
    }
}
