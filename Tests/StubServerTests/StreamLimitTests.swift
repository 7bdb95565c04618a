import BankEngine
import BankModel
import StubServer
import TestServer
import Testing

/// The streams that one HTTP/2 connection may open at once, and the rejection of more.
@Suite struct StreamLimitTests {
    @Test func `the 251st stream is rejected and the others are answered`() async throws {
        try await withStub { stub in
            let client = try await HTTP2Client(stub)
            // The settings arrive before its response, and are acknowledged.
            let first = await client.get("/v1/clock")
            await client.read { $0.haveEnded([first]) }
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}, "after": "released"}}"#))
            let streams = await client.get("/v1/clock", times: 251)
            await client.read { $0.haveEnded([streams[250]]) }

            #expect(client.streams[streams[250]]?.reset == 7, "REFUSED_STREAM")
            #expect(try await stub.till.holds(250))
            try stub.till.release()
            await client.read { $0.haveEnded(streams) }

            #expect(streams.dropLast().allSatisfy { client.streams[$0]?.status == 500 })
            #expect(client.goAway == nil)
            #expect(client.end == nil)
        }
    }

    @Test func `a client that has not read the settings may ask for more`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}, "after": "released"}}"#))
            let client = try await HTTP2Client(stub)
            let streams = await client.get("/v1/clock", times: 400)
            #expect(try await stub.till.holds(400))

            try stub.till.release()
            await client.read { $0.haveEnded(streams) }

            #expect(streams.allSatisfy { client.streams[$0]?.status == 500 })
        }
    }

    @Test func `some hundreds may be broken off`() async throws {
        try await withStub { stub in
            let client = try await HTTP2Client(stub)
            for _ in 1...500 { await client.reset(client.get("/v1/clock")) }
            let last = await client.get("/v1/clock")

            await client.read { $0.haveEnded([last]) }

            #expect(client.streams[last]?.status == 200)
            #expect(client.goAway == nil)
        }
    }
}
