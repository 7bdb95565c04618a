import BankModel
import Faults
import NIOCore
import NIOEmbedded
import TestBanks
import TestServer
import Testing

@testable import BankEngine
@testable import StubServer

/// The bytes that leave and their times, on a loop whose clock the test advances; and the journal's record of them.
///
/// On such a loop a connection with TLS performs a real handshake; a reset is recognised by the socket's close without a
/// FIN.
@Suite struct FaultTimeTests {
    @Test(arguments: FaultTable.timedExchanges, OracleWire.allCases)
    func `a fault sends the bytes of its row at their times`(row: FaultRow, wire: OracleWire) async throws {
        try await withStub(OracleBank.sources()) { stub in
            for lateness in FaultRow.Lateness.allCases {
                for isWarm in [false, true] { try check(row, wire, lateness, isWarm: isWarm, stub) }
            }
        }
    }

    @Test func `every kind of an exchange is in the table`() {
        let exchanges = FaultKinds.all.filter { $0 is any ExchangeFault.Type }.map { $0.kind }

        #expect(Set(FaultTable.timedExchanges.map(\.setting.kind)) == Set(exchanges))
    }

    private func check(_ row: FaultRow, _ wire: OracleWire, _ lateness: FaultRow.Lateness, isWarm: Bool, _ stub: Stub) throws {
        let (till, kind) = (try stub.till, row.setting.kind)
        till.reset()
        let asked = try stub.timed(row.request)
        let line = try TimedLine(wire, to: till, of: stub)
        defer { line.close() }
        if isWarm { try line.ask(TimedRequest(path: "/v1/clock")) }
        let armed = try rule(row.rule(lateness))
        _ = try till.set(armed)

        try line.ask(asked)
        try line.move(to: FaultRow.release - 5)
        let expected = try #require(row.expected(on: wire, lateness))
        let held = till.heldCount
        try line.move(to: FaultRow.release)
        till.release()
        try line.exchange()
        try line.move(to: FaultRow.release + 400)

        let answer = line.answer
        let comment: Comment = "\(row.testDescription), \(wire.rawValue), \(lateness.rawValue), \(isWarm ? "warm" : "cold")"
        #expect("\(answer.timeline)" == "\(expected.filled(answer.length, head: answer.headBytes))", comment)
        #expect(held == (expected.goesOn(at: FaultRow.release) ? 1 : 0), comment)
        let entry = try #require(till.journal().entries.last)
        let ends: [String: Receipt.End] = ["whole": .kept, "fin": expected.has("goaway") ? .goaway : .fin, "rst": .rst, "raw": .kept]
        let receipt = Receipt(
            headBytes: answer.headBytes, bodyBytes: answer.body.count, rawBytes: answer.rawBytes,
            end: ends[String(expected.lastWord.prefix { $0 != " " })] ?? .streamReset)
        #expect(entry.receipt == receipt, comment)
        #expect(entry.status == answer.status, comment)
        #expect(entry.requestOnConnection == (isWarm ? 2 : 1), comment)
        #expect(entry.wireProtocol == wire.wireProtocol, comment)
        let fault = FaultRecord(
            rule: "rule-1", kind: kind, point: armed.point.rawValue, applied: row.isApplied(on: wire), reason: entry.fault?.reason)
        #expect(entry.faults == [fault], comment)
        #expect((fault.reason == nil) == fault.applied, comment)
        #expect(till.rules.map(\.applied) == [fault.applied ? 1 : 0], comment)
        #expect(till.heldCount == 0, comment)
        let effects = FaultKinds.effects(of: kind)
        let changesContent = effects.contains(.changesContent) && !effects.contains(.cutsResponse)
        if row.request == .document, !changesContent, armed.point == .body || kind == "delay" {
            #expect(answer.body == Array(OracleBank.document.utf8.prefix(answer.body.count)), comment)
        }
    }

    /// Faults at several points of one exchange, and the bytes that leave.
    struct Several: Sendable, CustomTestStringConvertible {
        let faults: [String]
        let leaves: Timeline

        init(_ faults: String..., leaves: Timeline) {
            self.faults = faults
            self.leaves = leaves
        }

        var testDescription: String { faults.joined(separator: ", ") }
    }

    @Test(
        arguments: [
            Several(
                "delay request 100", "delay commit 50", "delay head 30", "delay body 20", leaves: "180 head 200; 200 body 1000, whole"),
            Several("delay request 100", "delay head 30", "truncate", leaves: "130 head 200, body 500, fin"),
            Several("delay request 100", "slow", leaves: "100 head 200, body 500; 200 body 500, whole"),
            Several("delay request 100", "lose-reply", leaves: "100 fin"),
            Several("delay request 100", "delay commit 50", "garbage", leaves: "150 raw 3, fin"),
            Several("delay commit 50", "garbage", leaves: "50 raw 3, fin"),
            Several("dialect late 150", "delay head 30", leaves: "180 head 429, body all, whole"),
            Several("dialect late 150", "garbage", leaves: "150 raw 3, fin"),
            Several("delay commit 50", "goaway", leaves: "50 goaway 0, fin"),
            Several("dialect late 150", "goaway", leaves: "150 goaway 0, fin"),
            Several("delay request 100", "reset-stream", leaves: "100 reset 8"),
            Several("delay commit 50", "reset-stream", leaves: "50 reset 8"),
        ], OracleWire.allCases)
    func `faults of one exchange wait one after the other`(row: Several, wire: OracleWire) async throws {
        let streams = row.leaves.has("goaway") || row.leaves.has("reset")
        guard !row.leaves.has("raw") || !wire.isHTTP2, !streams || wire.isHTTP2 else { return }
        try await withStub(OracleBank.sources()) { stub in
            let till = try stub.till
            for text in row.faults { _ = try till.set(rule(Self.json(of: text))) }
            let line = try TimedLine(wire, to: till, of: stub)
            defer { line.close() }

            try line.ask(TimedRequest(path: "/v1/document.json"))
            try line.move(to: 400)

            let answer = line.answer
            let expected = wire.isHTTP2 && !streams ? row.leaves.onAStream : row.leaves
            #expect("\(answer.timeline)" == "\(expected.filled(answer.length))")
            let entry = try #require(till.journal().entries.last)
            #expect(entry.faults.map(\.kind) == row.faults.map { String($0.prefix { $0 != " " }) })
            #expect(entry.faults.allSatisfy { $0.applied })
            #expect(entry.receipt.headBytes == answer.headBytes)
            #expect(entry.receipt.bodyBytes == answer.body.count)
        }
    }

    private static func json(of text: String) -> String {
        let words = text.split(separator: " ").map(String.init)
        let settings = ["slow": #"{"chunks": 2, "over": "200ms"}"#, "garbage": #"{"bytes": "abc"}"#, "lose-reply": #"{"by": "close"}"#]
        return switch words[0] {
        case "delay": #"{"fault": {"delay": {"at_point": "\#(words[1])", "fixed": "\#(words[2])ms"}}}"#
        case "dialect": #"{"fault": {"dialect": {"name": "rate-limited"}, "after": "\#(words[2])ms"}}"#
        default: #"{"fault": {"\#(words[0])": \#(settings[words[0]] ?? "{}")}}"#
        }
    }
}

extension TimedAnswer {
    /// The status received; nil if none was.
    var status: Int? {
        guard headBytes > 0 else { return nil }
        let text = "\(timeline)"
        return text.firstRange(of: "head ").flatMap { Int(text[$0.upperBound...].prefix(3)) } ?? 201
    }
}

extension Stub {
    /// A row's request, with its token and cursor made now.
    func timed(_ request: OracleRequest) throws -> TimedRequest {
        switch request {
        case .document: return TimedRequest(path: "/v1/document.json")
        case .pay:
            return TimedRequest(
                method: "POST", path: "/v1/payments",
                headers: [
                    JournalEntry.Header("Authorization", "Bearer \(try token())"), JournalEntry.Header("Idempotency-Key", "k1"),
                    JournalEntry.Header("Content-Type", "application/json"),
                ],
                body: #"{"from": "a1", "to": "p1", "amount": "1.00"}"#)
        case .page:
            let bearer = [JournalEntry.Header("Authorization", "Bearer \(try token())")]
            let line = try TimedLine(.h1, to: till, of: self)
            defer { line.close() }
            try line.ask(TimedRequest(path: "/v1/accounts/a1/entries?limit=2", headers: bearer))
            let cursor = try #require(JSON(parsing: line.answer.body)["next"]?.string)
            return TimedRequest(path: "/v1/accounts/a1/entries?limit=2&cursor=\(cursor)", headers: bearer)
        }
    }
}
