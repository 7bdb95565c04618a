import BankCore
import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// Each fault's effect on an exchange, as seen by the client and as recorded in the journal.
@Suite struct FaultTests {
    let clock = request("GET /v1/clock")

    @Test(arguments: ["", #", "after": "50ms""#, #", "after": "released""#]) func `a status is sent with its headers and body`(
        after: String
    ) async throws {
        try await withStub { stub in
            _ = try stub.till.set(
                rule(
                    #"{"fault": {"status": {"status": 503, "headers": {"X-Why": "test"}, "body": {"a": 1.0}, "retry_after": 2}\#(after)}}"#
                ))
            let client = try stub.client()
            await client.send(clock)
            if after.contains("released") {
                _ = try await stub.till.entries { !$0.isEmpty }
                #expect(try stub.till.heldCount == 1)
                #expect(try stub.till.journal().entries.map(\.receipt.end) == [.held])
                #expect(try stub.till.release() == 1)
            }

            let response = try #require(await client.response())

            #expect(response.status == 503)
            #expect(response.text == #"{"a":1.0}"#)
            #expect(response.header("X-Why") == "test")
            #expect(response.header("Retry-After") == "2")
            #expect(response.header("Content-Type") == "application/json")
            let entry = try #require(try await stub.till.ended(1).first)
            #expect(entry.fault?.kind == "status")
            #expect(entry.fault?.point == "request")
            #expect(entry.fault?.applied == true)
            #expect(!entry.committed)
            #expect(entry.status == 503)
            #expect(entry.receipt.end == .kept)
            #expect(entry.receipt.bodyBytes == response.body.count)
        }
    }

    @Test func `a Retry-After can be a date of the response's own clock`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"dialect": {"name": "rate-limited", "retry_after": {"http-date": 0}}}}"#))

            let response = try await stub.ask(clock)

            #expect(response.status == 429)
            #expect(response.error == "rate-limited")
            #expect(response.header("Retry-After") == response.header("Date"))
            #expect(try await stub.till.ended(1).map(\.response) == ["rate-limited"])
        }
    }

    /// Sends a payment under a rule, and releases it if the rule waits for that.
    private func sentPayment(_ stub: Stub, under text: String) async throws -> (client: RawClient, token: String) {
        _ = try stub.till.set(rule(text))
        let (client, token) = (try stub.client(), try stub.token())
        await client.send(payment(key: "k1", token: token))
        if text.contains("released") {
            _ = try await stub.till.entries { !$0.isEmpty }
            _ = try stub.till.release()
        }
        return (client, token)
    }

    @Test(arguments: ["close", "reset"], ["", #", "after": "50ms""#, #", "after": "released""#])
    func `a connection that is cut executes nothing`(kind: String, after: String) async throws {
        try await withStub { stub in
            let (client, token) = try await sentPayment(stub, under: #"{"fault": {"\#(kind)": {}\#(after)}, "times": 1}"#)

            #expect(await client.end() == (kind == "close" ? .fin : .rst, []))

            let entry = try #require(try await stub.till.ended(1).first)
            #expect(entry.receipt.end == (kind == "close" ? .fin : .rst))
            #expect(entry.status == nil)
            #expect(!entry.committed)
            #expect(entry.receipt.headBytes == 0)
            #expect(try stub.till.ledger.movements.isEmpty)
            #expect(try await stub.ask(payment(key: "k1", token: token)).header("Idempotent-Replayed") == nil)
        }
    }

    @Test(arguments: ["close", "reset"], ["", #", "after": "50ms""#, #", "after": "released""#])
    func `a lost response is executed and its retry replays`(by: String, after: String) async throws {
        try await withStub { stub in
            let rule = #"{"fault": {"lose-reply": {"by": "\#(by)"}\#(after)}, "on": {"role": "pay"}, "times": 1}"#
            let (client, token) = try await sentPayment(stub, under: rule)

            #expect(await client.end() == (by == "close" ? .fin : .rst, []))

            let entry = try #require(try await stub.till.ended(1).first)
            #expect(entry.committed)
            #expect(entry.status == nil)
            #expect(entry.fault?.point == "commit")
            #expect(try stub.till.ledger.movements.map(\.key) == ["k1"])
            let retry = try await stub.ask(payment(key: "k1", token: token))
            #expect(retry.status == 201)
            #expect(retry.header("Idempotent-Replayed") == "true")
            #expect(try stub.till.ledger.movements.count == 1)
            #expect(try await stub.till.ended(2).map(\.attempt) == [1, 2])
        }
    }

    @Test func `responses before a reset arrive`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": "reset", "nth": 3}"#))
            let client = try stub.client()

            await client.send(clock + clock + clock)

            #expect(await client.response()?.status == 200)
            #expect(await client.response()?.status == 200)
            #expect(await client.end() == (.rst, []))
        }
    }

    @Test func `a business failure is a rejection inside a success`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": "business-failure", "on": {"role": "pay"}}"#))

            let response = try await stub.ask(payment("3.00", key: "k1", token: stub.token()))

            #expect(response.status == 201)
            #expect(response.json["done"] == false)
            #expect(response.json["amount"]?.string == "3.00")
            #expect(try stub.till.ledger.movements.isEmpty)
        }
    }

    @Test func `a held keyed write is in flight and abandoning frees its key`() async throws {
        try await withStub { stub in
            let held = try stub.till.set(rule(#"{"fault": {"close": {}, "after": "released"}, "times": 1}"#))
            let token = try stub.token()
            let client = try stub.client()
            await client.send(payment(key: "k1", token: token))
            _ = try await stub.till.entries { !$0.isEmpty }

            #expect(try await stub.ask(payment(key: "k1", token: token)).error == "key-in-flight")
            #expect(try stub.till.removeRule(held))

            #expect(await client.end().end == .fin)
            #expect(try await stub.ask(payment(key: "k1", token: token)).status == 201)
            #expect(try stub.till.ledger.movements.count == 1)
        }
    }

    @Test func `a held client that resets frees its key`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"close": {}, "after": "released"}, "times": 1}"#))
            let token = try stub.token()
            let client = try stub.client()
            await client.send(payment(key: "k1", token: token))
            _ = try await stub.till.entries { !$0.isEmpty }

            client.abort()

            #expect(try await stub.till.ended(1).map(\.receipt.end) == [.clientGone])
            #expect(try await stub.ask(payment(key: "k1", token: token)).status == 201)
        }
    }

    @Test func `resetting the session ends held exchanges`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}, "after": "released"}}"#))
            let client = try stub.client()
            await client.send(clock)
            _ = try await stub.till.entries { !$0.isEmpty }

            try stub.till.reset()

            #expect(await client.end() == (.fin, []))
            #expect(try stub.till.heldCount == 0)
            #expect(try stub.till.rules.isEmpty)
            #expect(try await stub.ask(clock).status == 200)
        }
    }

    @Test func `a snapshot during a held write does not hold its key for ever`() async throws {
        try await withStub { stub in
            let held = try stub.till.set(rule(#"{"fault": {"close": {}, "after": "released"}, "times": 1}"#))
            let token = try stub.token()
            let client = try stub.client()
            await client.send(payment(key: "k1", token: token))
            _ = try await stub.till.entries { !$0.isEmpty }

            try stub.till.snapshot()
            #expect(try stub.till.removeRule(held))
            #expect(await client.end().end == .fin)
            #expect(try stub.till.restore())

            #expect(try await stub.ask(payment(key: "k1", token: token)).status == 201)
        }
    }

    @Test func `requests behind a held exchange end with it`() async throws {
        try await withStub { stub in
            let other = try await stub.server.openSession(bank: "till", name: "other")
            #expect(try await stub.ask(request("GET /s/other/v1/document.json")).status == 200)
            let token = try other.issueTokens(login: "ann").access.text
            #expect(try await stub.ask(request("GET /s/other/v1/accounts", token: token)).status == 200)
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}, "after": "50ms"}}"#))
            let client = try stub.client()

            await client.send(clock + request("GET /s/other/v1/accounts", token: token))

            #expect(await client.response()?.status == 500)
            #expect(await client.response()?.status == 200)
        }
    }
}
