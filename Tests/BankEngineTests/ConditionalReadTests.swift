import BankEngine
import BankModel
import StubServer
import TestBanks
import TestServer
import Testing

/// `If-None-Match` is answered the same whether the response was rendered for it or before.
@Suite struct ConditionalReadTests {
    /// The bank with tags on what changes, too.
    private static let files = TestFiles().replacing(
        "till/bank.yaml", "accounts: {request: GET /accounts,", with: "accounts: {request: GET /accounts, etag: true,")

    @Test func `a response from the cache is that of the long way`() async throws {
        try await withStub { stub in
            let tag = try #require(try await stub.ask(request("GET /v1/document.json")).header("ETag"))
            try stub.till.reset()
            let ask = request("GET /v1/document.json", headers: ["If-None-Match: \"old\", W/\(tag)"])
            let client = try stub.client()

            let responses = try await client.responses(to: [ask, ask, ask]).map { try #require($0) }

            #expect(responses.allSatisfy { $0.status == 304 && $0.header("ETag") == tag && $0.header("Content-Length") == nil })
            #expect(responses.allSatisfy { $0.header("Cache-Control") == "max-age=60" && $0.header("Content-Type") == nil })
            #expect(Set(responses.map(\.lasting)).count == 1)
            let entries = try await stub.till.ended(3)
            #expect(entries.map(\.attempt) == [1, 2, 3])
            #expect(entries.map(\.status) == [304, 304, 304])
            #expect(entries.allSatisfy { $0.responseBody.isEmpty && $0.committed })
            #expect(Set(entries.map { $0.responseHeaders.map(\.name) }).count == 1)
            #expect(entries.map(\.receipt) == responses.map { Receipt(headBytes: $0.head.count, end: .kept) })
        }
    }

    @Test func `a client with another body or none gets the whole one`() async throws {
        try await withStub { stub in
            let client = try stub.client()
            func ask(_ headers: [String]) async throws -> RawResponse {
                await client.send(request("GET /v1/document.json", headers: headers))
                return try #require(await client.response())
            }
            let whole = try await ask([])
            let tag = try #require(whole.header("ETag"))

            for condition in [[], ["If-None-Match: \"\(tag.dropFirst(2))"], ["If-Modified-Since: Sat, 21 Nov 2026 09:00:00 GMT"]] {
                #expect(try await ask(["If-None-Match: \"old\"", "If-None-Match: \(tag)"]).status == 304)
                let response = try await ask(condition)
                #expect(response.status == 200)
                #expect(response.body == whole.body)
                #expect(response.lasting == whole.lasting)
            }
        }
    }

    @Test func `a tag ends with what it names`() async throws {
        try await withStub([source(ConditionalReadTests.files)]) { stub in
            let token = try stub.token()
            let before = try await stub.ask(request("GET /v1/accounts", token: token))
            let ask = request("GET /v1/accounts", token: token, headers: ["If-None-Match: \(try #require(before.header("ETag")))"])
            #expect(try [await stub.ask(ask), await stub.ask(ask)].map(\.status) == [304, 304])

            #expect(try await stub.ask(payment("12.30", key: "k", token: token)).status == 201)

            let after = try await stub.ask(ask)
            #expect(after.status == 200)
            #expect(after.text.contains("87.70"))
            #expect(after.header("ETag") != before.header("ETag"))
            let other = try await stub.ask(request("GET /v1/accounts", token: stub.token("bob"), headers: ["If-None-Match: *"]))
            #expect(other.status == 304)
            #expect(other.header("ETag") != after.header("ETag"))
        }
    }

    @Test func `a tag opens nothing`() async throws {
        try await withStub([source(ConditionalReadTests.files)]) { stub in
            let token = try stub.token()
            let client = try stub.client()
            let ask = request("GET /v1/accounts", token: token, headers: ["If-None-Match: *"])
            func status() async -> Int? {
                await client.send(ask)
                return await client.response()?.status
            }
            #expect([await status(), await status()] == [304, 304])

            try stub.till.revokeTokens()

            #expect(await status() == 401)
        }
    }
}
