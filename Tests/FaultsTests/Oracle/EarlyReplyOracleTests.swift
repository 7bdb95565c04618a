import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// Responses that leave before the request's body has come: the body is never needed, and nothing of it is executed.
@Suite struct EarlyReplyOracleTests {
    private static let head = [
        "POST /v1/payments HTTP/1.1", "Host: bank", "Idempotency-Key: k1", "Content-Type: application/json", "Content-Length: 1000",
    ]

    private func head(_ stub: Stub, _ more: [String] = []) throws -> String {
        (Self.head + ["Authorization: Bearer \(try stub.token())"] + more).joined(separator: "\r\n") + "\r\n\r\n"
    }

    @Test func `a session answers early for as long as a rule demands it`() async throws {
        try await withStub { stub in
            let till = try stub.till
            let early = try rule(#"{"fault": "early-reply"}"#)

            #expect(!till.mayAnswerEarly)
            let id = try till.set(early)
            #expect(till.mayAnswerEarly)
            #expect(till.removeRule(id))
            #expect(!till.mayAnswerEarly)
            _ = try till.set(early)
            till.reset()
            #expect(!till.mayAnswerEarly)
        }
    }

    @Test func `the connection ends behind a response to a HEAD`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"early-reply": {"status": 413, "body": "too much"}}, "on": {"role": "pay"}}"#))
            let client = try stub.client()

            await client.send(try head(stub))
            let response = try #require(await client.response())

            #expect(response.status == 413)
            #expect(response.text == "too much")
            #expect(response.header("Connection") == "close")
            #expect(await client.end() == (.fin, []))
            let entry = try #require(await stub.till.ended(1).first)
            #expect(entry.receipt == Receipt(headBytes: response.head.count, bodyBytes: 8, end: .fin))
            #expect(entry.fault?.applied == true)
            #expect(entry.operation == "pay")
            #expect(entry.customer == "ann")
            #expect(!entry.committed)
            #expect(entry.bodyBytes == 0)
        }
    }

    @Test(arguments: [false, true]) func `the rest of the body is dropped and the connection stays`(isExpected: Bool) async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"early-reply": {"status": 503, "then": "drain"}}, "times": 1}"#))
            let client = try stub.client()

            await client.send(try head(stub, isExpected ? ["Expect: 100-continue"] : []))
            let early = try #require(await client.response())
            await client.send(String(repeating: "x", count: 600))
            await client.send(String(repeating: "x", count: 400) + request("GET /v1/clock"))
            let next = try #require(await client.response())

            #expect(early.status == 503)
            #expect(early.header("Connection") == nil)
            #expect(next.status == 200)
            #expect(next.json["now"] != nil)
            let entries = try await stub.till.ended(2)
            #expect(entries.map(\.connection) == [1, 1])
            #expect(entries.map(\.requestOnConnection) == [1, 2])
            #expect(entries.map(\.receipt.end) == [.kept, .kept])
        }
    }

    @Test(arguments: [
        #""on": {"attempt": 1}"#, #""nth": 2"#, #""on": {"operation": "signIn"}"#, #""on": {"customer": "bob"}"#,
    ])
    func `a request that no rule answers by its head is read whole`(members: String) async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"early-reply": {"status": 503}}, \#(members)}"#))
            let client = try stub.client()
            let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#
            let padded = body + String(repeating: " ", count: 1000 - body.utf8.count)

            await client.send(try head(stub))
            await client.send(padded)
            let response = try #require(await client.response())

            let entry = try #require(await stub.till.ended(1).first)
            let isAffected = members.contains("attempt")
            #expect(response.status == (isAffected ? 503 : 201))
            #expect(entry.bodyBytes == 1000)
            #expect(entry.requestOnConnection == 1)
            #expect(try stub.till.rules.map(\.applied) == [isAffected ? 1 : 0])
        }
    }

    @Test func `a key is free behind an early response`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": "early-reply", "times": 1}"#))
            let token = try stub.token()
            let client = try stub.client()

            await client.send(try head(stub))
            #expect(await client.response()?.status == 413)
            let paid = try await stub.ask(payment(key: "k1", token: token))

            #expect(paid.status == 201)
            let entries = try await stub.till.ended(2)
            #expect(entries.map(\.committed) == [false, true])
            #expect(entries.last?.attempt == 1)
        }
    }

    @Test(arguments: [("close", 0, nil), ("close", 0, "later"), ("drain", nil, nil), ("drain", nil, "later")] as [(String, Int?, String?)])
    func `a stream is answered before its body`(then: String, code: Int?, body: String?) async throws {
        try await withStub { stub in
            let text = body.map { #", "body": "\#($0)""# } ?? ""
            _ = try stub.till.set(
                rule(#"{"fault": {"early-reply": {"status": 413, "then": "\#(then)"\#(text)}}, "on": {"operation": "pay"}}"#))
            let client = try await HTTP2Client(stub)

            let stream = await client.ask("POST", "/v1/payments", halfBody: Array(repeating: 32, count: 100))
            await client.read { $0.streams[stream].map { code == nil ? $0.isWhole : $0.reset != nil } ?? false }

            #expect(client.streams[stream]?.status == 413)
            #expect(client.streams[stream]?.isWhole == true)
            #expect(client.streams[stream]?.body == Array((body ?? "").utf8))
            #expect(client.streams[stream]?.reset == code)
            // The connection carries on.
            let next = await client.get("/v1/clock")
            await client.read { $0.haveEnded([next]) }
            #expect(client.streams[next]?.status == 200)
            #expect(client.end == nil)
            let entry = try #require(await stub.till.ended(2).first)
            #expect(entry.receipt.end == (code == nil ? .kept : .streamReset))
            #expect(entry.receipt.bodyBytes == (body ?? "").utf8.count)
            #expect(!entry.committed)
        }
    }
}
