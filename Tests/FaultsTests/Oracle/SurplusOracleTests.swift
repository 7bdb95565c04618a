import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// Bytes before and behind a response, byte by byte: they are all there, the response is whole, and the connection goes on.
@Suite struct SurplusOracleTests {
    private static let document = Array(OracleBank.document.utf8)
    private static let hints = "Link: </style.css>; rel=preload; as=style\r\n"

    @Test func `the same response comes twice and the connection stays`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": "surplus", "times": 1}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/document.json"))
            let first = try #require(await client.response())
            let second = try #require(await client.response())
            await client.send(request("GET /v1/clock"))
            let third = try #require(await client.response())

            #expect(first.body == Self.document)
            #expect((second.head, second.body) == (first.head, first.body))
            #expect(third.json["now"] != nil)
            let entries = try await stub.till.ended(2)
            #expect(entries.map(\.connection) == [1, 1])
            let count = first.head.count
            #expect(entries.first?.receipt == Receipt(headBytes: count, bodyBytes: 1000, rawBytes: count + 1000, end: .kept))
            #expect(entries.last?.receipt.rawBytes == 0)
        }
    }

    @Test(arguments: [
        (#"{"status": 408}"#, "HTTP/1.1 408 \r\nContent-Length: 0\r\n\r\n"),
        (
            #"{"status": 200, "body": {"accounts": []}}"#,
            "HTTP/1.1 200 \r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"accounts\":[]}"
        ),
        (
            #"{"status": 503, "body": "closed"}"#,
            "HTTP/1.1 503 \r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n\r\nclosed"
        ),
        (#"{"status": 204, "body": "never"}"#, "HTTP/1.1 204 \r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"),
        (#"{"bytes": "\u0000\u0001 no HTTP"}"#, "\u{0}\u{1} no HTTP"),
    ])
    func `the bytes after a response are those of the settings`(settings: String, surplus: String) async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"surplus": \#(settings)}}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/document.json", headers: ["Connection: close"]))
            let (end, bytes) = await client.end()

            let receipt = try #require(await stub.till.ended(1).first?.receipt)
            #expect(end == .fin)
            #expect(bytes.suffix(surplus.utf8.count) == ArraySlice(Array(surplus.utf8)))
            #expect(receipt.rawBytes == surplus.utf8.count)
            #expect(receipt.headBytes + receipt.bodyBytes + receipt.rawBytes == bytes.count)
            #expect(receipt.bodyBytes == 1000)
            #expect(receipt.end == .fin)
        }
    }

    @Test func `a response without a body is repeated without one`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": "surplus"}"#))
            let client = try stub.client()

            await client.send(request("HEAD /v1/document.json"))
            let first = try #require(await client.response(isHead: true))
            let second = try #require(await client.response(isHead: true))

            #expect(second.head == first.head)
            let receipt = try #require(await stub.till.ended(1).first?.receipt)
            #expect(receipt == Receipt(headBytes: first.head.count, rawBytes: first.head.count, end: .kept))
        }
    }

    @Test(arguments: [("100", "100 Continue", ""), ("102", "102 Processing", ""), ("103", "103 ", hints)])
    func `interim responses come before the final one`(status: String, line: String, headers: String) async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"early-hints": {"status": \#(status), "count": 2}}}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/document.json"))
            let interims = try (await client.responses(2)).map { try #require($0) }
            let final = try #require(await client.response())

            for interim in interims {
                let text = String(decoding: interim.head, as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 \(line)"))
                #expect(text.hasSuffix("\r\n\(headers)\r\n"))
                #expect(interim.body.isEmpty)
            }
            #expect(final.status == 200)
            #expect(final.body == Self.document)
            let entry = try #require(await stub.till.ended(1).first)
            let receipt = Receipt(
                headBytes: final.head.count, bodyBytes: 1000, rawBytes: interims.reduce(0) { $0 + $1.head.count }, end: .kept)
            #expect(entry.receipt == receipt)
            #expect(entry.status == 200)
        }
    }

    @Test func `interim responses are headers of a stream that goes on`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"early-hints": {"count": 3}}, "nth": 2}"#))
            let client = try await HTTP2Client(stub)

            let numbers = await client.get("/v1/document.json", times: 3)
            await client.read { $0.haveEnded(numbers) }

            for number in numbers {
                #expect(client.streams[number]?.status == 200)
                #expect(client.streams[number]?.body == Self.document)
                #expect(client.streams[number]?.isWhole == true)
                #expect((client.streams[number]?.headers["link"] != nil) == (number == numbers[1]))
            }
            #expect(client.end == nil)
            let entries = try await stub.till.ended(3)
            // Names and values: `:status`, `103`, `link` and its value.
            let bytes = 3 * (7 + 3 + 4 + "</style.css>; rel=preload; as=style".utf8.count)
            #expect(entries.map(\.receipt.rawBytes) == [0, bytes, 0])
            #expect(entries.map(\.receipt.headBytes).allSatisfy { $0 == entries[0].receipt.headBytes })
            #expect(entries.allSatisfy { $0.receipt.end == .kept })
        }
    }
}
