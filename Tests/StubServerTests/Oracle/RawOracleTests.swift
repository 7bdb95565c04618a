import BankModel
import Faults
import StubServer
import Testing

extension WireTests {
    /// HTTP/1.1 byte by byte: FIN and RST told apart, and the receipt held against what came.
    @Suite struct RawOracleTests {
        /// What is to be seen of one fault.
        struct Case: Sendable, CustomTestStringConvertible {
            let fault: String
            let end: RawClient.End
            /// So much of the document comes; nil: no head either.
            var bytes: Int?
            /// What comes in place of a reply.
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

        @Test(arguments: cases) func itEndsAsItsReceiptSays(hit: Case) async throws {
            try await withStub(OracleBank.sources()) { stub in
                _ = try stub.till.set(rule(#"{"fault": \#(hit.fault)}"#))
                let client = try stub.client(timeoutSeconds: 1)

                client.send(request("GET /v1/document.json"))
                let (end, bytes) = client.end()

                #expect(end == hit.end)
                if end == .silence { client.close() }
                let receipt = try #require(await stub.till.finished(1).first?.receipt)
                #expect(receipt.end == RawOracleTests.told(hit.end) && receipt.unsent == 0 && receipt.bodyBytes == hit.bytes ?? 0)
                guard let count = hit.bytes else {
                    #expect(receipt.headBytes == 0 && bytes == Array((hit.raw ?? "").utf8))
                    return
                }
                let head = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
                #expect(receipt.headBytes == head.upperBound)
                #expect(bytes[head.upperBound...] == ArraySlice(OracleBank.document.utf8.prefix(count)))
            }
        }

        @Test func aHeadIsCutInsideItsFirstHeadersName() async throws {
            try await withStub(OracleBank.sources()) { stub in
                _ = try stub.till.set(rule(#"{"fault": {"lose-reply": {"by": "half-head"}}}"#))
                let client = try stub.client()

                client.send(request("GET /v1/document.json"))
                let (end, bytes) = client.end()

                let text = String(decoding: bytes, as: UTF8.self)
                #expect(end == .fin && text.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(text.count > "HTTP/1.1 200 OK\r\n".count && !text.dropFirst("HTTP/1.1 200 OK\r\n".count).contains(":"))
                let receipt = try #require(await stub.till.finished(1).first?.receipt)
                #expect(receipt.headBytes == bytes.count && receipt.end == .fin)
            }
        }

        @Test(arguments: [
            ("cut", "1f4\r\n", 250, ""), ("size", "zz\r\n", 500, ""),
        ])
        func aChunkIsBroken(how: String, size: String, bytes count: Int, after: String) async throws {
            try await withStub(OracleBank.sources(OracleBank.text(500))) { stub in
                _ = try stub.till.set(rule(#"{"fault": {"bad-chunk": {"how": "\#(how)"}}}"#))
                let client = try stub.client()

                client.send(request("GET /v1/document.json"))
                let (end, bytes) = client.end()

                let head = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
                let body = String(decoding: bytes[head.upperBound...], as: UTF8.self)
                #expect(end == .fin && body == size + OracleBank.text(500).prefix(count) + after)
                let receipt = try #require(await stub.till.finished(1).first?.receipt)
                #expect(receipt.headBytes == head.upperBound && receipt.bodyBytes == count && receipt.end == .fin)
            }
        }

        @Test(arguments: [#""close""#, #"{"truncate": {"at": 10}}"#, #"{"lose-reply": {"by": "half-body"}}"#])
        func itStaysFINWhateverTheClientStillSends(fault: String) async throws {
            try await withStub(OracleBank.sources()) { stub in
                _ = try stub.till.set(rule(#"{"fault": \#(fault)}"#))
                let client = try stub.client()

                client.send(request("GET /v1/document.json") + request("GET /v1/clock") + String(repeating: "x", count: 200_000))

                #expect(client.end().end == .fin)
                #expect(try await stub.till.finished(1).map(\.receipt.end) == [.fin])
            }
        }

        @Test func aMillionBytesArriveUnderTLS() async throws {
            let authority = try TestAuthority()
            defer { authority.remove() }
            try await withStub(
                OracleBank.sources(OracleBank.text(1_000_000)),
                configure: { $0.tls = TLSSettings(authority: authority.authority, port: 0) }
            ) { stub in
                _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": 999999}}}"#))
                let url = try #require(stub.server.tlsAddress) + "/v1/document.json"

                for count in 1...10 {
                    let result = try await OracleCurl.run([["--http1.1", "--cacert", authority.file, url]])

                    #expect(result.exit == 56 && result.body.count == 999_999 && result.message.contains("reset by peer"))
                    let receipt = try #require(await stub.till.finished(count).last?.receipt)
                    #expect(receipt.bodyBytes == 999_999 && receipt.unsent == 0 && receipt.end == .rst)
                }
            }
        }

        @Test func aMillionBytesArriveBeforeTheReset() async throws {
            try await withStub(OracleBank.sources(OracleBank.text(1_000_000))) { stub in
                _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": 999999}}}"#))

                var ends: [RawClient.End] = []
                var counts: [Int] = []
                for _ in 1...20 {
                    let client = try stub.client()
                    client.send(request("GET /v1/document.json"))
                    let (end, bytes) = client.end()
                    ends.append(end)
                    counts.append(bytes.count)
                }

                let receipts = try await stub.till.finished(20).map(\.receipt)
                #expect(ends == Array(repeating: .rst, count: 20))
                #expect(counts == receipts.map { $0.headBytes + 999_999 })
                #expect(receipts.allSatisfy { $0.bodyBytes == 999_999 && $0.unsent == 0 && $0.end == .rst })
            }
        }

        @Test func aReaderWhoBeginsLateGetsThemAll() async throws {
            try await withStub(OracleBank.sources(OracleBank.text(1_000_000))) { stub in
                _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": 999999}}}"#))
                let client = try stub.client()

                client.send(request("GET /v1/document.json"))
                // That it does not read for a while is the matter here.
                try await Task.sleep(for: .milliseconds(300))
                let (end, bytes) = client.end()

                let receipt = try #require(await stub.till.finished(1).first?.receipt)
                #expect(end == .rst && bytes.count == receipt.headBytes + 999_999)
                #expect(receipt.bodyBytes == 999_999 && receipt.unsent == 0 && receipt.end == .rst)
            }
        }

        @Test(arguments: [1_000_000, 12_000_000]) func aReaderWhoNeverReadsIsResetAfterASecond(size: Int) async throws {
            try await withStub(OracleBank.sources(OracleBank.text(size))) { stub in
                _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": \#(size - 1)}}}"#))
                let client = try stub.client()

                client.send(request("GET /v1/document.json"))
                let entry = try #require(await stub.till.finished(1).first)

                let receipt = entry.receipt
                #expect(receipt.end == .rst && receipt.unsent > 0)
                let duration = try #require(entry.durationMicroseconds)
                // The larger document takes its time before it is sent at all.
                #expect(duration > 900_000 && duration < (size > 1_000_000 ? 4_000_000 : 1_800_000))
                let (end, bytes) = client.end()
                #expect(end == .rst)
                withKnownIssue("a write of which only a part has left is not counted") {
                    #expect(bytes.count == receipt.headBytes + receipt.bodyBytes - receipt.unsent, "\(receipt)")
                } when: {
                    size > 4_000_000
                }
            }
        }

        /// As the receipt tells an end; what is silent is ended by the client.
        private static func told(_ end: RawClient.End) -> Receipt.End {
            switch end {
            case .fin: .fin
            case .rst: .rst
            case .silence: .clientGone
            }
        }
    }
}
