import BankEngine
import BankModel
import Faults
import Platform
import StubServer
import TestServer
import Testing

/// Large bodies: exactly the promised bytes arrive before the reset.
@Suite struct ExactBytesOracleTests {
    @Test(arguments: [(#"{"reset-body": {"at": 999}}"#, RawClient.End.rst, 999), (#"{"truncate": {"at": 999}}"#, .fin, 999)])
    func `a slow connection loses nothing`(fault: String, end: RawClient.End, bytes: Int) async throws {
        try await withStub(OracleBank.sources(), configure: patient) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"bandwidth": {"bytes_per_second": 5000}}}"#))
            _ = try stub.till.set(rule(#"{"fault": \#(fault)}"#))

            for count in 1...3 {
                let client = try stub.client()
                await client.send(request("GET /v1/document.json"))
                let (seen, got) = await client.end()

                let receipt = try #require(await stub.till.ended(2 * count).last { $0.method != nil }?.receipt)
                #expect(seen == end)
                #expect(got.count == receipt.headBytes + bytes)
                #expect(receipt.bodyBytes == bytes)
                #expect(receipt.unsent == 0)
                #expect(receipt.end == (end == .rst ? .rst : .fin))
            }
        }
    }

    @Test func `a million bytes arrive under TLS`() async throws {
        let authority = try TestAuthority()
        defer { authority.remove() }
        try await withStub(
            OracleBank.sources(OracleBank.text(1_000_000)),
            configure: {
                patient(&$0)
                $0.tls = TLSSettings(authority: authority.authority, port: 0)
            }
        ) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": 999999}}}"#))
            let url = try #require(stub.server.tlsAddress) + "/v1/document.json"

            for count in 1...10 {
                let result = try await OracleCurl.run([["--http1.1", "--cacert", authority.file, url]], limit: 300)

                #expect(result.exit == 56)
                #expect(result.body.count == 999_999)
                #expect(result.message.contains("reset by peer"))
                let receipt = try #require(await stub.till.ended(count).last?.receipt)
                #expect(receipt.bodyBytes == 999_999)
                #expect(receipt.unsent == 0)
                #expect(receipt.end == .rst)
            }
        }
    }

    @Test func `a million bytes arrive before the reset`() async throws {
        try await withStub(OracleBank.sources(OracleBank.text(1_000_000)), configure: patient) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": 999999}}}"#))

            var ends: [RawClient.End] = []
            var counts: [Int] = []
            for _ in 1...20 {
                let client = try stub.client()
                await client.send(request("GET /v1/document.json"))
                let (end, bytes) = await client.end()
                ends.append(end)
                counts.append(bytes.count)
            }

            let receipts = try await stub.till.ended(20).map(\.receipt)
            #expect(ends == Array(repeating: .rst, count: 20))
            #expect(counts == receipts.map { $0.headBytes + 999_999 })
            #expect(receipts.allSatisfy { $0.bodyBytes == 999_999 && $0.unsent == 0 && $0.end == .rst })
        }
    }

    @Test func `a reader who begins late gets them all`() async throws {
        try await withStub(OracleBank.sources(OracleBank.text(1_000_000)), configure: patient) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": 999999}}}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/document.json"))
            // The pause in reading is the subject of this test.
            #expect(try await stub.client(timeoutSeconds: 1).end().end == .silence)
            let (end, bytes) = await client.end()

            let receipt = try #require(await stub.till.ended(1).first?.receipt)
            #expect(end == .rst)
            #expect(bytes.count == receipt.headBytes + 999_999)
            #expect(receipt.bodyBytes == 999_999)
            #expect(receipt.unsent == 0)
            #expect(receipt.end == .rst)
        }
    }

    @Test(arguments: [1_000_000, 12_000_000]) func `a reader who never reads is reset after a second`(size: Int) async throws {
        try await withStub(OracleBank.sources(OracleBank.text(size))) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": \#(size - 1)}}}"#))
            let client = try stub.client()

            await client.send(request("GET /v1/document.json"))
            let entry = try #require(await stub.till.ended(1).first)

            let receipt = entry.receipt
            #expect(receipt.end == .rst)
            #expect(receipt.unsent > 0)
            let duration = try #require(entry.durationMicroseconds)
            #expect(duration > 900_000)
            let (end, bytes) = await client.end()
            #expect(end == .rst)
            #expect(bytes.count == receipt.headBytes + receipt.bodyBytes - receipt.unsent, "\(receipt)")
        }
    }

    @Test(.enabled(if: StreamSocket.endsSharedSockets), arguments: [1_000, 12_000_000])
    func `a process that is being started delays no reset`(size: Int) async throws {
        try await withStub(OracleBank.sources(OracleBank.text(size))) { stub in
            let client = try stub.client()
            await client.send(request("GET /v1/none"))
            #expect(await client.response()?.status == 404)
            let copy = try #require(client.copyOfOtherEnd())
            defer { copy.close() }
            _ = try stub.till.set(rule(#"{"fault": {"reset-body": {"at": \#(size - 1)}}}"#))

            await client.send(request("GET /v1/document.json"))
            let receipt = try #require(await stub.till.ended(2).last).receipt

            let (end, bytes) = await client.end()
            #expect(end == .rst)
            #expect(bytes.count == receipt.headBytes + receipt.bodyBytes - receipt.unsent, "\(receipt)")
        }
    }
}
