import BankCore
import BankModel
import Faults
import Platform
import StubServer
import TestBanks
import TestServer
import Testing

@testable import BankEngine

/// Responses to reads are rendered once, which no client can detect.
@Suite struct CacheTests {
    @Test func `the second response is the first byte for byte`() async throws {
        try await withStub { stub in
            let ask = request("GET /v1/accounts", token: try stub.token())
            let client = try stub.client()
            await client.send(ask)
            let first = try #require(await client.response())

            for _ in 1...3 {
                await client.send(ask)
                let again = try #require(await client.response())
                #expect(again.body == first.body)
                #expect(again.lasting == first.lasting)
            }
            #expect(try await stub.till.ended(4).map(\.attempt) == [1, 2, 3, 4])
            #expect(try await stub.till.ended(4).allSatisfy { $0.committed && $0.customer == "ann" && $0.operation == "accounts" })
        }
    }

    @Test func `a read of a state that has not changed comes from the cache, and after a payment it does not`() async throws {
        try await withStub { stub in
            let (till, token) = (try stub.till, try stub.token())
            let ask = request("GET /v1/accounts", token: token)
            #expect(try await stub.ask(ask).status == 200)
            let operation = try #require(till.inner.withLock { $0.state.bank.operations.firstIndex { $0.name == "accounts" } })
            let key = ResponseCache.Key(operation: operation, target: "/v1/accounts", customer: "ann")
            let isKept = till.inner.withLock { $0.cache.response(key, revision: $0.state.revision) != nil }

            // Another text in the place of what was kept shows where the next response comes from.
            let kept = BankResponse(status: 200, body: Array("kept".utf8))
            till.inner.withLock { $0.cache.keep(kept, under: key, revision: $0.state.revision) }
            let second = try await stub.ask(ask)
            #expect(try await stub.ask(payment("1.00", key: "k", token: token)).status == 201)
            let third = try await stub.ask(ask)

            #expect(isKept)
            #expect(second.text == "kept")
            #expect(third.json["accounts"]?.array?.first?["balance"]?.string == "99.00")
        }
    }

    @Test func `old rows are rejected after a while though the response was there`() async throws {
        let rule = "scope: read\n    fresh: {within: 5m, for: {query: from, older: 90d}}\n    parent"
        let files = TestFiles().replacing("till/bank.yaml", "scope: read\n    parent", with: rule)
        try await withStub([source(files)]) { stub in
            let token = try stub.token()
            let (old, new) = ("GET /v1/accounts/a1/entries?from=2020-01-01", "GET /v1/accounts/a1/entries")
            func status(_ line: String) async throws -> Int { try await stub.ask(request(line, token: token)).status }
            #expect(try await status(old) == 200)
            #expect(try await status(old) == 200)
            #expect(try await status(new) == 200)
            #expect(try await status(new) == 200)

            try stub.till.advance(.seconds(301))

            #expect(try await status(old) == 403)
            #expect(try await status(new) == 200)
            #expect(try await status(old) == 403)
        }
    }

    @Test func `ended tokens are rejected though the response is there`() async throws {
        try await withStub { stub in
            let client = try stub.client()
            func status(_ token: String) async -> Int? {
                await client.send(request("GET /v1/accounts", token: token))
                return await client.response()?.status
            }
            for (end, expected) in [
                ({ try stub.till.revokeTokens() }, 401), ({ try stub.till.expireTokens() }, 401),
                ({ try stub.till.downscopeTokens() }, 403),
                ({ try stub.till.reset() }, 401),
            ] as [(() throws -> Void, Int)] {
                let token = try stub.token()
                #expect(await status(token) == 200)
                #expect(await status(token) == 200)

                try end()

                #expect(await status(token) == expected)
            }
        }
    }

    @Test func `two customers on one connection see their own`() async throws {
        try await withStub { stub in
            let tokens = [try stub.token("ann"), try stub.token("bob")]
            let client = try stub.client()
            var bodies: [[String?]] = []

            for _ in 1...3 {
                let responses = await client.responses(to: tokens.map { request("GET /v1/accounts", token: $0) })
                bodies.append(responses.map { $0?.json["accounts"]?.array?.first?["id"]?.string })
            }

            #expect(bodies == Array(repeating: ["a1", "b1"], count: 3))
            #expect(try await stub.till.ended(6).map(\.customer) == ["ann", "bob", "ann", "bob", "ann", "bob"])
        }
    }

    @Test func `restoring a snapshot shows its state`() async throws {
        try await withStub { stub in
            let token = try stub.token()
            let ask = request("GET /v1/accounts/a1", token: token)
            try stub.till.snapshot()
            #expect(try await stub.ask(payment("1.00", key: "k", token: token)).status == 201)
            #expect(try await stub.ask(ask).json["balance"]?.string == "99.00")

            #expect(try stub.till.restore())

            #expect(try await stub.ask(ask).json["balance"]?.string == "100.00")
            #expect(try await stub.ask(payment("2.00", key: "k", token: token)).status == 201)
            #expect(try await stub.ask(ask).json["balance"]?.string == "98.00")
        }
    }
}
