import BankModel
import Faults
import NIOCore
import NIOEmbedded
import Platform
import TestBanks
import Testing
import TestServer

@testable import BankEngine
@testable import StubServer

/// The bytes that leave a connection with a fault before any request, and their times. `refuse` is not here: it is the
/// listener's, and the suite of the oracle tests it.
@Suite struct ConnectionTimeTests {
    @Test(arguments: FaultTable.timedConnections, OracleWire.allCases)
    func `a fault of a connection acts at its time`(row: FaultRow, wire: OracleWire) async throws {
        guard wire.isSecure || !row.isOfTLS else { return }
        let authority = try TestAuthority()
        defer { authority.remove() }
        try await withStub(
            OracleBank.sources(), configure: { $0.tls = TLSSettings(authority: authority.authority, port: 0) }
        ) { stub in
            let (till, asked) = (try stub.till, TimedRequest(path: "/v1/document.json"))
            let warm = try TimedLine(wire, to: till, of: stub)
            defer { warm.close() }
            try warm.ask(asked)
            let expected = try #require(row.expected(on: wire))
            let armed = try rule(row.rule())
            _ = try till.set(armed)

            try warm.ask(asked)
            let untouched = "\(warm.answer.timeline)"
            let applied = till.rules.map(\.applied)
            till.clearJournal()
            let line = try TimedLine(wire, to: till, of: stub)
            defer { line.close() }
            try line.ask(asked)
            try line.move(to: FaultRow.release - 5)
            let held = till.heldCount
            try line.move(to: FaultRow.release)
            till.release()
            try line.exchange()
            try line.move(to: FaultRow.release + 100)

            #expect(untouched == "0 head 200, body 1000, whole", "a rule does not apply to a connection that has begun")
            #expect(applied == [0], "a rule does not apply to a connection that has begun")
            #expect("\(line.answer.timeline)" == "\(expected)")
            #expect(held == (expected.goesOn(at: FaultRow.release) ? 1 : 0))
            let entries = till.journal().entries
            let ends: [String: Receipt.End] = ["fin": .fin, "rst": .rst]
            #expect(entries.first?.receipt == Receipt(end: ends[expected.lastWord] ?? .kept))
            #expect(
                entries.first?.faults == [
                    FaultRecord(rule: "rule-1", kind: row.setting.kind, point: armed.point.rawValue, applied: true)
                ])
            #expect(till.rules.map(\.applied) == [1])
            #expect(till.heldCount == 0)
            #expect(entries.count == (expected.has("head") ? 2 : 1))
            if entries.count == 2 {
                let receipt = Receipt(headBytes: line.answer.headBytes, bodyBytes: 1000, end: .kept)
                #expect(entries[1].receipt == receipt)
                #expect(entries[1].faults.isEmpty)
                #expect(entries[1].requestOnConnection == 1)
            }
            line.close()
            #expect(till.inner.withLock { $0.connections.all.count } == 1, "only the warm one is known")
        }
    }

    @Test(arguments: OracleWire.allCases)
    func `a narrow connection lets a piece through each 20 milliseconds`(wire: OracleWire) async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"bandwidth": {"bytes_per_second": 20000}}}"#))
            let line = try TimedLine(wire, to: stub.till, of: stub)
            defer { line.close() }
            try line.move(to: 400)

            try line.ask(TimedRequest(path: "/v1/document.json"))
            try line.move(to: 400)

            let answer = line.answer
            let end = try #require(answer.timeline.end)
            #expect(answer.timeline.lastWord == "whole")
            #expect(answer.body.count == 1000)
            // 400 bytes each time, the first at once; TLS and HTTP/2 add some of their own, less than two pieces.
            let least = (answer.headBytes + 1000 - 1) / 400 * 20
            if wire == .h1 { #expect(end == least) } else { #expect((40...(least + 40)).contains(end)) }
            #expect(try stub.till.journal().entries.map(\.receipt.bodyBytes) == [0, 1000])
        }
    }

    @Test func `every kind of a connection is in a table`() {
        let kinds = FaultKinds.all.filter { $0 is any ConnectionFault.Type }.map { $0.kind }

        #expect(Set(FaultTable.timedConnections.map(\.setting.kind) + ["bandwidth", "refuse"]) == Set(kinds))
    }
}
