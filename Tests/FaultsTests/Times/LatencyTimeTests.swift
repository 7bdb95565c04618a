import BankModel
import Faults
import NIOCore
import NIOEmbedded
import TestBanks
import TestServer
import Testing

@testable import BankEngine
@testable import StubServer

/// A random latency is drawn once, and waited for once.
@Suite struct LatencyTimeTests {
    @Test(
        arguments: [
            #""uniform": {"from": "100ms", "to": "900ms"}"#, #""normal": {"mean": "500ms", "sigma": "100ms", "max": "900ms"}"#,
            #""lognormal": {"median": "500ms", "sigma": 0.2, "max": "900ms"}"#,
            #""ramp": {"from": "400ms", "to": "400ms", "over": "10s"}"#,
        ], OracleWire.allCases)
    func `a drawn latency is the same at every point`(latency: String, wire: OracleWire) async throws {
        try await withStub(OracleBank.sources()) { stub in
            let till = try stub.till
            var waits: [Int] = []
            for isWarm in [false, true] {
                for point in ["request", "commit", "head", "body"] {
                    till.reset()
                    let line = try TimedLine(wire, to: till, of: stub)
                    defer { line.close() }
                    if isWarm { try line.ask(TimedRequest(path: "/v1/clock")) }
                    _ = try till.set(rule(#"{"fault": {"delay": {"at_point": "\#(point)", \#(latency)}}}"#))
                    try line.ask(TimedRequest(path: "/v1/document.json"))
                    try line.move(to: 2000, every: 5)
                    #expect(line.answer.timeline.lastWord == "whole")
                    waits.append(try #require(line.answer.timeline.end))
                }
            }

            #expect(Set(waits).count == 1, "\(waits)")
            #expect(waits.allSatisfy { (100...900).contains($0) }, "\(waits)")
        }
    }

    @Test(arguments: OracleWire.allCases) func `requests of one tick wait each once`(wire: OracleWire) async throws {
        try await withStub(OracleBank.sources()) { stub in
            let till = try stub.till
            _ = try till.set(rule(#"{"fault": {"delay": {"at_point": "request", "fixed": "700ms"}}}"#))
            let loop = EmbeddedEventLoop()
            let lines = try (1...3).map { _ in try TimedLine(wire, to: till, of: stub, on: loop) }
            defer { for line in lines { line.close() } }

            for line in lines { try line.ask(TimedRequest(path: "/v1/document.json"), runs: false) }
            for _ in 0..<300 {
                loop.advanceTime(by: .milliseconds(5))
                for line in lines { try line.exchange() }
            }

            // Bytes under TLS are forwarded in the first step.
            let at = wire.isSecure ? 705 : 700
            for line in lines { #expect("\(line.answer.timeline)" == "\(at) head 200, body 1000, whole") }
            #expect(till.journal().entries.map(\.receipt.bodyBytes) == [1000, 1000, 1000])
            #expect(till.heldCount == 0)
        }
    }

    @Test(arguments: ["HEAD /v1/document.json", "GET /v1/elsewhere"], OracleWire.allCases)
    func `a response that has no body holds up no other`(_ asked: String, wire: OracleWire) async throws {
        let words = asked.split(separator: " ").map(String.init)
        let request = TimedRequest(method: words[0], path: words[1])
        // The reader of HTTP/1.1 waits for the bytes that a head promises.
        guard request.method != "HEAD" || wire.isHTTP2 else { return }
        try await withStub(OracleBank.sources()) { stub in
            let till = try stub.till
            _ = try till.set(rule(#"{"fault": {"delay": {"at_point": "body", "fixed": "700ms"}}, "times": 1}"#))
            let line = try TimedLine(wire, to: till, of: stub)
            defer { line.close() }

            try line.ask(request)
            try line.ask(TimedRequest(path: "/v1/document.json"))
            let early = line.answer.timeline
            try line.move(to: 900)

            let entries = till.journal().entries
            #expect(entries.first?.faults.map(\.applied) == [false])
            #expect(entries.first?.receipt.end == .kept)
            #expect("\(early)" == "0 head 200")
            #expect("\(line.answer.timeline)" == "0 head 200; 700 body 1000, whole")
            #expect(entries.last?.faults.map(\.applied) == [true])
        }
    }

    @Test func `a response without a body is not delayed there`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            let till = try stub.till
            _ = try till.set(rule(#"{"fault": {"status": {"status": 204}}}"#))
            _ = try till.set(rule(#"{"fault": {"delay": {"at_point": "body", "fixed": "700ms"}}}"#))
            let line = try TimedLine(.h1, to: till, of: stub)
            defer { line.close() }

            try line.ask(TimedRequest(path: "/v1/document.json"))

            #expect("\(line.answer.timeline)" == "0 head 204, whole")
            let entry = try #require(till.journal().entries.last)
            #expect(entry.faults.map(\.applied) == [true, false])
            #expect(entry.faults.last?.reason == "the response has no body")
            #expect(entry.receipt.end == .kept)
            #expect(till.heldCount == 0)
        }
    }
}
