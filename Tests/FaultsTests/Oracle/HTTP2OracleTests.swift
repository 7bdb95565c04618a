import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// HTTP/2 frame by frame: a fault affects its stream and no other, and everything sent before it arrives.
@Suite struct HTTP2OracleTests {
    /// The expectation for the affected stream.
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: String
        var status: Int? = nil
        var bytes = 0
        /// The code of RST_STREAM; nil for silence.
        var code: Int?
        var testDescription: String { fault }
    }

    private static let internalError = 2
    private static let refusedStream = 7
    private static let cancel = 8

    static let cases = [
        Case(fault: #""close""#, code: internalError),
        Case(fault: #""reset""#, code: cancel),
        Case(fault: #""hang""#, code: nil),
        Case(fault: #"{"lose-reply": {"by": "close"}}"#, code: internalError),
        Case(fault: #"{"lose-reply": {"by": "half-body"}}"#, status: 200, bytes: 500, code: internalError),
        Case(fault: #"{"truncate": {"at": 100}}"#, status: 200, bytes: 100, code: internalError),
        Case(fault: #"{"truncate": {"at": 0}}"#, status: 200, bytes: 0, code: internalError),
        Case(fault: #"{"longer-length": {"by": 5}}"#, status: 200, bytes: 1000, code: internalError),
        Case(fault: #"{"reset-body": {"at": 999}}"#, status: 200, bytes: 999, code: cancel),
        Case(fault: #"{"stall-body": {"at": 10}}"#, status: 200, bytes: 10, code: nil),
        Case(fault: #"{"reset-stream": {"code": "refused-stream"}}"#, code: refusedStream),
        Case(fault: #"{"reset-stream": {"code": "http-1-1-required"}}"#, code: 13),
        Case(fault: #""reset-stream""#, code: cancel),
    ]

    @Test(arguments: cases) func `one stream is hit and not its neighbours`(hit: Case) async throws {
        try await withStub(OracleBank.sources()) { stub in
            let session = try stub.till
            _ = try session.set(rule(#"{"fault": \#(hit.fault), "nth": 2, "on": {"operation": "document"}}"#))
            let client = try await HTTP2Client(stub)

            let numbers = await client.get("/v1/document.json", times: 3)
            await client.read { $0.haveEnded(hit.code == nil ? [numbers[0], numbers[2]] : numbers) }
            if hit.code == nil { await client.read { $0.streams[numbers[1]]?.body.count ?? 0 == hit.bytes } }

            for number in [numbers[0], numbers[2]] {
                let neighbour = client.streams[number]
                #expect(neighbour?.status == 200)
                #expect(neighbour?.body == Array(OracleBank.document.utf8))
                #expect(neighbour?.isWhole == true)
                #expect(neighbour?.reset == nil)
            }
            let stream = client.streams[numbers[1]] ?? HTTP2Client.Stream()
            #expect(stream.status == hit.status)
            #expect(stream.body == Array(OracleBank.document.utf8.prefix(hit.bytes)))
            #expect(stream.reset == hit.code)
            #expect(!stream.isWhole)
            // The connection carries on.
            let next = await client.get("/v1/clock")
            await client.read { $0.haveEnded([next]) }
            #expect(client.streams[next]?.status == 200)
            #expect(client.end == nil)
            #expect(client.goAway == nil)
            if hit.code == nil { #expect(session.heldCount == 1) }
            let entries = hit.code == nil ? session.journal().entries : await session.ended(4)
            let affected = try #require(entries.first { $0.fault != nil })
            #expect(entries.map(\.connection) == [1, 1, 1, 1])
            #expect(affected.fault?.applied == true)
            guard hit.code != nil else { return }
            #expect(affected.receipt.end == .streamReset)
            #expect(affected.receipt.bodyBytes == hit.bytes)
            #expect((affected.receipt.headBytes > 0) == (hit.status != nil))
            #expect(entries.filter { $0.fault == nil }.allSatisfy { $0.receipt.end == .kept })
        }
    }

    @Test(arguments: [
        (#""goaway""#, 0, 0), (#"{"goaway": {"last": "this"}}"#, 1, 0),
        (#"{"goaway": {"last": "0", "code": "enhance-your-calm"}}"#, 0, 11),
    ])
    func `GOAWAY is followed by FIN`(fault: String, last: Int, code: Int) async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": \#(fault)}"#))
            let client = try await HTTP2Client(stub)

            let stream = await client.get("/v1/document.json")
            await client.read { $0.end != nil }

            #expect(client.goAway?.last == last)
            #expect(client.goAway?.code == code)
            #expect(client.end == .fin)
            #expect(client.streams[stream] == nil)
            let entry = try #require(await stub.till.ended(1).first)
            #expect(entry.receipt.end == .goaway)
            #expect(entry.receipt.headBytes == 0)
            #expect(entry.receipt.bodyBytes == 0)
        }
    }

    @Test func `GOAWAY leaves open streams their response`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"goaway": {"last": "this", "open": true}}, "on": {"operation": "document"}}"#))
            let client = try await HTTP2Client(stub)

            let first = await client.get("/v1/document.json")
            await client.read { $0.goAway != nil }
            #expect(client.goAway?.last == first)
            #expect(client.goAway?.code == 0)
            client.timeoutSeconds = 3
            await client.read { $0.end != nil }

            #expect(client.end == .silence)
            #expect(client.streams[first] == nil)
            #expect(try stub.till.heldCount == 1)
        }
    }

    @Test func `GOAWAY names the stream that is hit`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"goaway": {"last": "this"}}, "nth": 2, "on": {"operation": "document"}}"#))
            let client = try await HTTP2Client(stub)

            let numbers = await client.get("/v1/document.json", times: 2)
            await client.read { $0.end != nil }

            // The earlier responses arrive all the same.
            #expect(client.streams[numbers[0]]?.isWhole == true)
            #expect(client.goAway?.last == numbers[1])
            #expect(client.end == .fin)
            #expect(try await stub.till.ended(2).map(\.receipt.end) == [.kept, .goaway])
        }
    }

    @Test(arguments: [true, false]) func `GOAWAY takes the open streams with it`(isApart: Bool) async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"stall-body": {"at": 10}}, "nth": 1}"#))
            _ = try stub.till.set(rule(#"{"fault": "goaway", "nth": 2}"#))
            let client = try await HTTP2Client(stub)

            let first = await client.get("/v1/document.json")
            if isApart { await client.read { $0.streams[first]?.body.count == 10 } }
            _ = await client.get("/v1/document.json")
            await client.read { $0.end != nil }

            #expect(client.goAway?.last == 0)
            #expect(client.end == .fin)
            let receipts = try await stub.till.ended(2).map(\.receipt)
            #expect(receipts.map(\.end) == [.clientGone, .goaway])
            #expect(try stub.till.heldCount == 0)
            // The bytes in the receipt have arrived, whether or not both requests were read at once.
            #expect(receipts.map(\.bodyBytes) == [client.streams[first]?.body.count ?? 0, 0], "\(receipts)")
            #expect(client.streams[first]?.body.count == 10, "\(receipts)")
        }
    }

    @Test func `a client that resets a held stream keeps its connection`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"stall-body": {"at": 10}}, "times": 1}"#))
            let client = try await HTTP2Client(stub)
            let first = await client.get("/v1/document.json")
            await client.read { $0.streams[first]?.body.count == 10 }

            await client.reset(first)
            let second = await client.get("/v1/document.json")
            await client.read { $0.haveEnded([second]) }

            #expect(client.streams[second]?.isWhole == true)
            #expect(client.end == nil)
            let receipts = try await stub.till.ended(2).map(\.receipt)
            #expect(receipts.map(\.end) == [.clientGone, .kept])
            #expect(receipts.map(\.bodyBytes) == [10, 1000])
            #expect(try stub.till.heldCount == 0)
        }
    }

    @Test func `released responses arrive complete`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"stall-body": {"at": 10}}}"#))
            let client = try await HTTP2Client(stub)
            let stream = await client.get("/v1/document.json")
            await client.read { $0.streams[stream]?.body.count == 10 }

            #expect(try stub.till.release() == 1)
            await client.read { $0.haveEnded([stream]) }

            #expect(client.streams[stream]?.body == Array(OracleBank.document.utf8))
            #expect(client.streams[stream]?.isWhole == true)
            let receipt = try #require(await stub.till.ended(1).first?.receipt)
            #expect(receipt.end == .kept)
            #expect(receipt.bodyBytes == 1000)
        }
    }

    @Test(arguments: [
        #"{"delay": {"fixed": "50ms"}}"#, #"{"slow": {"chunks": 4, "over": "50ms"}}"#, #"{"status": {"status": 204}}"#,
        #"{"huge-head": {"bytes": 8000, "lines": 1}}"#, #"{"redirect": {"to": "loop"}}"#,
    ])
    func `a whole response keeps the connection alive`(fault: String) async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": \#(fault), "on": {"connection": "warm"}}"#))
            let client = try await HTTP2Client(stub)
            let first = await client.get("/v1/clock")
            await client.read { $0.haveEnded([first]) }

            let second = await client.get("/v1/document.json")
            await client.read { $0.haveEnded([second]) }

            #expect(client.streams[second]?.isWhole == true)
            #expect(client.end == nil)
            let affected = try #require(await stub.till.ended(2).last)
            #expect(affected.fault?.applied == true)
            #expect(affected.receipt.end == .kept)
            #expect(affected.receipt.bodyBytes == client.streams[second]?.body.count)
        }
    }

    @Test(arguments: [(14_000, 1), (14_000, 3), (60_000, 4), (200_000, 1)])
    func `a head that is too huge is not sent`(bytes: Int, lines: Int) async throws {
        try await withStub(OracleBank.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"huge-head": {"bytes": \#(bytes), "lines": \#(lines)}}}"#))
            let client = try await HTTP2Client(stub)

            let stream = await client.get("/v1/document.json")
            await client.read { $0.haveEnded([stream]) }

            let entry = try #require(await stub.till.ended(1).first)
            #expect(client.streams[stream]?.isWhole == true)
            #expect(client.end == nil)
            #expect(entry.receipt.end == .kept)
            #expect(entry.fault?.applied == (bytes <= 14_000))
            #expect((entry.receipt.headBytes > 13_900) == (bytes <= 14_000))
        }
    }

    @Test func `a rule's own long header does not end the connection`() async throws {
        try await withStub(OracleBank.sources()) { stub in
            let long = String(repeating: "x", count: 20_000)
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500, "headers": {"X-Long": "\#(long)"}}}, "nth": 2}"#))
            let client = try await HTTP2Client(stub)

            let numbers = await client.get("/v1/document.json", times: 3)
            await client.read { $0.haveEnded(numbers) }

            #expect(client.streams[numbers[0]]?.isWhole == true)
            #expect(client.streams[numbers[2]]?.isWhole == true)
            #expect(client.end == nil)
        }
    }

    @Test func `a reader that opens no window holds the reset back but not for ever`() async throws {
        try await withStub(OracleBank.sources(OracleBank.text(200_000))) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": 150000}}}"#))
            let client = try await HTTP2Client(stub)
            client.opensWindows = false

            let stream = await client.get("/v1/document.json")
            await client.read { $0.haveEnded([stream]) }

            #expect(client.streams[stream]?.reset == HTTP2OracleTests.cancel)
            #expect(client.streams[stream]?.body.count == 65_535)
            let receipt = try #require(await stub.till.ended(1).first?.receipt)
            #expect(receipt.end == .streamReset)
            // A receipt of HTTP/2 counts whole pieces of 16 KiB (docs/faults.md). The window cut the last byte of the fourth.
            #expect(receipt.bodyBytes == 3 * 16_384, "\(receipt)")
        }
    }

    @Test func `written bytes arrive before the reset`() async throws {
        try await withStub(OracleBank.sources(OracleBank.text(1_000_000)), configure: patient) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": 999999}}}"#))
            for _ in 1...5 {
                let client = try await HTTP2Client(stub)
                let stream = await client.get("/v1/document.json")
                await client.read { $0.haveEnded([stream]) }

                #expect(client.streams[stream]?.body.count == 999_999)
                #expect(client.streams[stream]?.reset == HTTP2OracleTests.cancel)
            }
            let entries = try await stub.till.ended(5)
            #expect(entries.allSatisfy { $0.receipt.bodyBytes == 999_999 && $0.receipt.end == .streamReset })
        }
    }
}
