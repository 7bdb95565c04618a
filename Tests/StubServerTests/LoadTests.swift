import BankCore
import BankEngine
import BankModel
import Faults
import StubServer
import TestBanks
import TestServer
import Testing

/// Many requests, and clients that do not read.
@Suite struct LoadTests {
    /// The bank with a document of two megabytes.
    private func large() throws -> [BankSource] {
        var files = TestFiles()
        files.files["till/document.json"] = "\"" + String(repeating: "d", count: 2 << 20) + "\""
        return [try source(files)]
    }

    @Test func `a client that never reads is not answered further`() async throws {
        try await withStub(large()) { stub in
            let client = try stub.client()
            await client.send(String(repeating: request("GET /v1/document.json"), count: 50))

            for _ in 1...5 { #expect(try await stub.ask(request("GET /v1/clock")).status == 200) }

            let answered = try stub.till.journal().entries.count { $0.operation == "document" }
            #expect(answered <= 5)
            let responses = await client.responses(50).map { $0?.body.count }
            #expect(responses == Array(repeating: (2 << 20) + 2, count: 50))
        }
    }

    @Test func `many pipelined requests wait for a held one`() async throws {
        try await withStub { stub in
            let client = try stub.client()
            await client.send(String(repeating: request("GET /v1/document.json"), count: 4000))
            for _ in 1...4000 { #expect(await client.response()?.status == 200) }
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}, "after": "100ms"}, "times": 1}"#))

            await client.send(String(repeating: request("GET /v1/nothing"), count: 4000))

            #expect(await client.response()?.status == 500)
            #expect(await client.responses(3999).allSatisfy { $0?.status == 404 })
        }
    }

    @Test(arguments: [true, false]) func `a slow reader gets all of a last response`(closesItsSide: Bool) async throws {
        try await withStub(large()) { stub in
            let client = try stub.client()
            await client.send(request("GET /v1/document.json", headers: ["Connection: close"]))
            if closesItsSide { client.shutdownWriting() }

            // More time than a connection is drained after FIN passes before the first byte is read.
            let idle = try RawClient(port: stub.port, timeoutSeconds: 2)
            #expect(await idle.end().end == .silence)

            #expect(await client.response()?.body.count == (2 << 20) + 2)
            #expect(await client.end().end == .fin)
        }
    }
}
