import BankEngine
import BankModel
import StubServer
import TestBanks
import TestServer
import Testing

/// A bank's own limit on a server: in its responses, and in the journal as the bank's.
@Suite struct RateLimitWireTests {
    private static let files = TestFiles()
        .replacing("dialects/terse.yaml", "request_id:", with: "rate_limit: {requests: 2, within: 1m}\nrequest_id:")

    @Test func `the bank's limit follows the session clock, and the journal shows it as the bank's response`() async throws {
        try await withStub([source(Self.files)]) { stub in
            try stub.till.freeze()
            let ask = request("GET /v1/accounts", token: try stub.token())
            let client = try stub.client()

            let responses = try await client.responses(to: [ask, ask, ask]).map { try #require($0) }
            try stub.till.advance(.seconds(60))
            let later = try await stub.ask(ask)

            #expect((responses + [later]).map(\.status) == [200, 200, 429, 200])
            let shown = (responses + [later]).map { $0.header("RateLimit") }
            #expect(shown == [1, 0, 0, 1].map { "\"default\";r=\($0);t=60" }, "the second comes from the cache, with headers of its own")
            #expect(responses[2].header("Retry-After") == "60")
            #expect(responses[2].header("X-Request-Id") != nil)
            let entry = try await stub.till.ended(4)[2]
            #expect(entry.response == "rate-limited")
            #expect(entry.faults.isEmpty)
            #expect(!entry.committed)
            #expect(entry.responseHeaders.contains { $0.name == "RateLimit" })
        }
    }

    @Test func `a fault's response is as without a limit, and its request counts`() async throws {
        try await withStub([source(Self.files)]) { stub in
            try stub.till.freeze()
            _ = try stub.till.set(rule(#"{"fault": {"dialect": {"name": "rate-limited", "retry_after": 7}}, "on": {"attempt": 1}}"#))
            let ask = request("GET /v1/accounts", token: try stub.token())

            let responses = try await stub.ask([ask, ask, ask])

            #expect(responses.map(\.status) == [429, 200, 429])
            #expect(responses[0].header("Retry-After") == "7")
            #expect(responses.map { $0.header("RateLimit") != nil } == [false, true, true])
            #expect(try await stub.till.ended(3).map(\.faults.count) == [1, 0, 0])
        }
    }
}
