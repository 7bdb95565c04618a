import BankEngine
import BankModel
import TestServer
import Testing

@testable import StubServer

/// A request whose body does not come whole is in the journal, with what came of it.
@Suite struct IncompleteRequestTests {
    /// The end of an incomplete request, and the status that rejects it.
    struct Ending: CustomTestStringConvertible {
        let name: String
        let framing: String
        let body: String
        var status: Int?
        var testDescription: String { name }
    }

    static let endings = [
        Ending(name: "the client goes away", framing: "Content-Length: 100", body: #"{"from": "a1""#),
        Ending(name: "the client ends its side", framing: "Content-Length: 100", body: #"{"from": "#, status: 400),
        Ending(name: "no chunk", framing: "Transfer-Encoding: chunked", body: "3\r\n{\"a\r\nno size\r\n", status: 400),
        Ending(
            name: "a body over the limit", framing: "Transfer-Encoding: chunked",
            body: "120000\r\n" + String(repeating: "x", count: 0x120000), status: 413),
    ]

    @Test(arguments: endings)
    func `it is listed with its caller and its headers, and nothing is executed`(_ ending: Ending) async throws {
        try await withStub { stub in
            let client = try stub.client()
            await client.send(
                request(
                    "POST /v1/payments", token: try stub.token(), key: "order-1",
                    headers: [ending.framing, "Connection: keep-alive"]) + ending.body)

            switch ending.status {
            case nil: client.abort()
            case 400 where ending.framing.hasPrefix("Content-Length"): client.shutdownWriting()
            default: break
            }
            if let status = ending.status { #expect(await client.response()?.status == status) }

            let entries = try await stub.till.ended(1)
            let entry = try #require(entries.first)
            #expect(entries.count == 1)
            #expect(entry.receipt == Receipt(end: .incomplete))
            #expect(entry.isIncomplete)
            #expect([entry.roles.joined(), entry.customer, entry.token] == ["pay", "ann", "token#1"])
            #expect(entry.requestHeaders.contains(JournalEntry.Header("Idempotency-Key", "order-1")))
            #expect(entry.status == ending.status)
            #expect(entry.bodyBytes > 0)
            #expect(entry.bodyBytes <= ending.body.utf8.count)
            #expect(!entry.committed)
            #expect(try stub.till.counts.payments == 0)
        }
    }

    @Test func `a stream that its client resets is listed, and so is one of another length than declared`() async throws {
        try await withStub { stub in
            let client = try await HTTP2Client(stub)
            let fields = [
                (":method", "POST"), (":scheme", "http"), (":authority", "bank"), (":path", "/v1/payments"),
                ("authorization", "Bearer \(try stub.token())"), ("idempotency-key", "order-1"),
            ]
            let wrong = await client.send(fields + [("content-length", "5")], body: "{}")
            await client.read { $0.haveEnded([wrong]) }
            _ = await client.send(fields, body: "{\"from\": ", ends: false)
            client.endSending()

            await client.read { $0.end != nil }

            let entries = try await stub.till.ended(2)
            #expect(entries.map(\.receipt.end) == [.incomplete, .incomplete])
            #expect(entries.map(\.bodyBytes) == [2, 9])
            #expect(entries.allSatisfy { $0.requestHeaders.contains(JournalEntry.Header("idempotency-key", "order-1")) })
            #expect(try stub.till.counts.payments == 0)
        }
    }

    @Test func `a rule waits for a request that comes whole`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 503}}, "on": {"role": "pay"}, "times": 1}"#))
            let half = try stub.client()
            await half.send(request("POST /v1/payments", headers: ["Content-Length: 100"]) + "{")
            half.close()
            #expect(try await stub.till.ended(1).map(\.receipt.end) == [.incomplete])

            let response = try await stub.ask(payment(key: "order-1", token: stub.token()))

            #expect(response.status == 503)
        }
    }
}
