import BankEngine
import BankModel
import Faults
import StubServer
import TestBanks
import TestServer
import Testing

/// Connections whose end is announced, as for a case's step `connections: cold`.
@Suite struct AnnouncedEndTests {
    @Test(arguments: ["GET /v1/clock", "GET /v1/document.json", "GET /v1/nothing", "HEAD /v1/document.json"])
    func `every response has Connection: close until idle connections are ended`(line: String) async throws {
        try await withStub { stub in
            let till = try stub.till
            let asked = request(line)
            let (kept, idle, late) = (try stub.client(), try stub.client(), try stub.client())
            let isHead = line.hasPrefix("HEAD")
            for client in [kept, idle] {
                await client.send(asked)
                #expect(await client.response(isHead: isHead)?.header("Connection") == nil)
            }

            till.endConnectionsAfterResponses()
            for client in [kept, late] {
                await client.send(asked)
                #expect(await client.response(isHead: isHead)?.header("Connection") == "close")
                #expect(await client.end() == (.fin, []))
            }
            // Neither of them closes its side: that is not awaited.
            await till.closeIdleConnections(within: .seconds(60))

            #expect(await idle.end() == (.fin, []))
            let next = try stub.client()
            for _ in 1...2 {
                await next.send(asked)
                #expect(await next.response(isHead: isHead)?.header("Connection") == nil)
            }
            #expect(await till.ended(6).map(\.receipt.end) == [.kept, .kept, .fin, .fin, .kept, .kept])
        }
    }

    @Test func `a connection of which no request has come is ended with the idle ones`() async throws {
        try await withStub { stub in
            let session = try await stub.server.openSession(bank: "till", listener: .clear())
            let port = try #require(session.port)
            let (used, unused) = (try RawClient(port: port), try RawClient(port: port))
            await used.send(request("GET /v1/clock"))
            #expect(await used.response()?.status == 200)
            while stub.server.connectionCount < 2 { await Task.yield() }

            await session.closeIdleConnections(within: .seconds(60))

            for client in [used, unused] { #expect(await client.end() == (.fin, [])) }
        }
    }

    @Test func `faults apply to responses with Connection: close`() async throws {
        try await withStub { stub in
            let till = try stub.till
            _ = try till.set(rule(#"{"fault": {"truncate": {"at": 10}}}"#))
            till.endConnectionsAfterResponses()
            let client = try stub.client()

            await client.send(request("GET /v1/document.json"))
            let (end, bytes) = await client.end()

            let entry = try #require(await till.ended(1).first)
            #expect(end == .fin)
            #expect(bytes.count == entry.receipt.headBytes + 10)
            #expect(entry.receipt.bodyBytes == 10)
            #expect(String(decoding: bytes, as: UTF8.self).contains("Connection: close\r\n"))
        }
    }

    @Test func `a client that has read the last response of HTTP/2 knows of the end`() async throws {
        try await withStub { stub in
            try stub.till.endConnectionsAfterResponses()
            for line in ["/v1/clock", "/v1/document.json", "/v1/nothing"] {
                let client = try await HTTP2Client(stub)

                let only = await client.get(line)
                await client.read { $0.haveEnded([only]) }

                #expect(client.goAway?.last == only)
                #expect(client.streams[only]?.isWhole == true)
                await client.read { _ in false }
                #expect(client.end == .fin)
            }
        }
    }

    @Test func `HTTP/2 sends GOAWAY before the last stream ends`() async throws {
        try await withStub { stub in
            let till = try stub.till
            let client = try await HTTP2Client(stub)
            let first = await client.get("/v1/clock")
            await client.read { $0.haveEnded([first]) }
            _ = try till.set(rule(#"{"fault": {"delay": {"until": "released"}}, "on": {"operation": "document"}}"#))

            till.endConnectionsAfterResponses()
            let (held, quick) = (await client.get("/v1/document.json"), await client.get("/v1/clock"))
            await client.read { $0.haveEnded([quick]) }
            let early = client.goAway
            till.release()
            await client.read { _ in false }

            #expect(early == nil)
            #expect(client.streams[held]?.isWhole == true)
            #expect(client.streams[quick]?.status == 200)
            #expect(client.goAway?.last == quick)
            #expect(client.goAway?.code == 0)
            #expect(client.end == .fin)
            #expect(await till.ended(3).map(\.receipt.end) == [.kept, .goaway, .kept])
            await till.closeIdleConnections(within: .seconds(60))
            let next = try await HTTP2Client(stub)
            let (one, two) = (await next.get("/v1/clock"), await next.get("/v1/clock"))
            await next.read { $0.haveEnded([one, two]) }
            #expect(next.goAway == nil)
            #expect(next.streams[two]?.status == 200)
        }
    }
}
