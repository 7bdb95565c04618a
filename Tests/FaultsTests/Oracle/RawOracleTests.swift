import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// HTTP/1.1 byte by byte: distinguishes FIN from RST, and compares the receipt with the received bytes.
@Suite struct RawOracleTests {
    /// The expectation for one fault.
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: String
        let end: RawClient.End
        /// The number of bytes of the document that arrive; nil if no head arrives either.
        var bytes: Int?
        /// The bytes that arrive instead of a response.
        var raw: String?
        var testDescription: String { fault }
    }

    static let cases = [
        Case(fault: #""close""#, end: .fin),
        Case(fault: #""reset""#, end: .rst),
        Case(fault: #""hang""#, end: .silence),
        Case(fault: #"{"lose-reply": {"by": "close"}}"#, end: .fin),
        Case(fault: #"{"lose-reply": {"by": "reset"}}"#, end: .rst),
        Case(fault: #"{"lose-reply": {"by": "hang"}}"#, end: .silence),
        Case(fault: #"{"lose-reply": {"by": "half-body"}}"#, end: .fin, bytes: 500),
        Case(fault: #"{"truncate": {"at": 0}}"#, end: .fin, bytes: 0),
        Case(fault: #"{"truncate": {"at": 999}}"#, end: .fin, bytes: 999),
        Case(fault: #"{"longer-length": {"by": 100}}"#, end: .fin, bytes: 1000),
        Case(fault: #"{"reset-body": {"at": 0}}"#, end: .rst, bytes: 0),
        Case(fault: #"{"reset-body": {"at": 999}}"#, end: .rst, bytes: 999),
        Case(fault: #"{"stall-body": {"at": 10}}"#, end: .silence, bytes: 10),
        Case(fault: #"{"garbage": {"bytes": "SSH-2.0-x"}}"#, end: .fin, raw: "SSH-2.0-x"),
    ]

    @Test(arguments: cases) func `it ends as in its receipt`(hit: Case) async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": \#(hit.fault)}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/document.json"))
            if hit.end == .silence {
                #expect(try await stub.till.holds(1))
                client.timeoutSeconds = 3
            }
            let (end, bytes) = await client.end()

            #expect(end == hit.end)
            if end == .silence { client.close() }
            let receipt = try #require(await stub.till.ended(1).first?.receipt)
            #expect(receipt.end == RawOracleTests.receiptEnd(hit.end))
            #expect(receipt.unsent == 0)
            #expect(receipt.bodyBytes == hit.bytes ?? 0)
            guard let count = hit.bytes else {
                #expect(receipt.headBytes == 0)
                #expect(bytes == Array((hit.raw ?? "").utf8))
                #expect(receipt.rawBytes == bytes.count)
                return
            }
            let head = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
            #expect(receipt.headBytes == head.upperBound)
            #expect(bytes[head.upperBound...] == ArraySlice(OracleBank.document.utf8.prefix(count)))
        }
    }

    @Test func `a head is cut inside its first header's name`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"lose-reply": {"by": "half-head"}}}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/document.json"))
            let (end, bytes) = await client.end()

            let text = String(decoding: bytes, as: UTF8.self)
            #expect(end == .fin)
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.count > "HTTP/1.1 200 OK\r\n".count)
            #expect(!text.dropFirst("HTTP/1.1 200 OK\r\n".count).contains(":"))
            let receipt = try #require(await stub.till.ended(1).first?.receipt)
            #expect(receipt.headBytes == bytes.count)
            #expect(receipt.end == .fin)
        }
    }

    @Test(arguments: [
        ("cut", "1f4\r\n", 250, ""), ("size", "zz\r\n", 500, ""),
    ])
    func `a chunk is broken`(how: String, size: String, bytes count: Int, after: String) async throws {
        try await withStub(OracleBank.sources(OracleBank.text(500))) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"bad-chunk": {"how": "\#(how)"}}}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/document.json"))
            let (end, bytes) = await client.end()

            let head = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
            let body = String(decoding: bytes[head.upperBound...], as: UTF8.self)
            #expect(end == .fin)
            #expect(body == size + OracleBank.text(500).prefix(count) + after)
            let receipt = try #require(await stub.till.ended(1).first?.receipt)
            #expect(receipt.headBytes == head.upperBound)
            #expect(receipt.bodyBytes == count)
            #expect(receipt.end == .fin)
        }
    }

    @Test(arguments: [
        #"{"truncate": {"at": 10}}"#, #"{"longer-length": {"by": 5}}"#, #"{"reset-body": {"at": 10}}"#, #"{"stall-body": {"at": 10}}"#,
        #"{"bad-chunk": {"how": "cut"}}"#, #"{"corrupt": {"bom": true}}"#, #"{"slow": {"chunks": 2, "over": "1s"}}"#,
        #"{"lose-reply": {"by": "half-body"}}"#,
    ])
    func `responses without a body are unchanged`(fault: String) async throws {
        try await withStub(OracleBank.sources()) { stub in
            let etag = try #require(try await stub.ask(request("GET /v1/document.json")).header("ETag"))
            _ = try stub.till.set(rule(#"{"fault": \#(fault)}"#))
            let client = try stub.client()

            await client.send(request("HEAD /v1/document.json"))
            let head = try #require(await client.response(isHead: true))
            await client.send(request("GET /v1/document.json", headers: ["If-None-Match: \(etag)"]))
            let unchanged = try #require(await client.response())

            #expect(head.status == 200)
            #expect(head.contentLength == 1000)
            #expect(unchanged.status == 304)
            let entries = try await stub.till.ended(3)[1...]
            #expect(entries.allSatisfy { $0.fault?.applied == false && $0.fault?.reason != nil })
            #expect(entries.map(\.receipt) == [head, unchanged].map { Receipt(headBytes: $0.head.count, end: .kept) })
        }
    }

    @Test func `a client that leaves midway is reported`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"slow": {"bytes_per_second": 40}}}"#))
            let client = try stub.client()
            await client.send(request("GET /v1/document.json"))
            var count = 0
            while count < 300, case .bytes(let bytes) = await client.more() { count += bytes.count }

            client.abort()

            let receipt = try #require(await stub.till.ended(1).first?.receipt)
            #expect(receipt.end == .clientGone)
            #expect(receipt.headBytes > 0)
            #expect(receipt.bodyBytes < 1000)
            #expect(receipt.headBytes + receipt.bodyBytes >= count)
        }
    }

    @Test(arguments: [#""close""#, #"{"truncate": {"at": 10}}"#, #"{"lose-reply": {"by": "half-body"}}"#])
    func `it stays FIN whatever the client still sends`(fault: String) async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": \#(fault)}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/document.json") + request("GET /v1/clock") + String(repeating: "x", count: 200_000))

            #expect(await client.end().end == .fin)
            #expect(try await stub.till.ended(1).map(\.receipt.end) == [.fin])
        }
    }

    /// The end in the receipt; the client ends a silent connection.
    private static func receiptEnd(_ end: RawClient.End) -> Receipt.End {
        switch end {
        case .fin: .fin
        case .rst: .rst
        case .silence: .clientGone
        }
    }
}
