import BankModel
import NIOCore
import NIOHTTP1
import TestServer
import Testing

@testable import BankAdmin
@testable import BankEngine
@testable import StubServer

/// The limits of the admin port: those of the banks' ports, and those of long responses.
@Suite struct AdminLimitTests {
    @Test(arguments: [
        ("GET /li", "incomplete head after 60ms"),
        ("POST /shutdown HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx", "incomplete body after 60ms"),
        ("POST /shutdown HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;x", "incomplete body after 60ms"),
    ])
    func `a half request to the admin port is rejected in time`(sent: String, expected: String) async throws {
        try await withAdmin(
            configure: {
                $0.headTimeout = .milliseconds(60)
                $0.bodyTimeout = .milliseconds(60)
            }
        ) { admin in
            let client = try RawClient(port: admin.port)
            await client.send(sent)

            let response = await client.response()
            #expect(response?.status == 408)
            #expect(response?.text.contains(expected) == true)
            #expect(await client.end().end == .fin)
        }
    }

    @Test func `silence ends a connection of the admin port`() async throws {
        try await withAdmin(configure: { $0.idleTimeout = .seconds(3) }) { admin in
            let (idle, half) = (try RawClient(port: admin.port), try RawClient(port: admin.port))
            await half.send("GET /li")

            #expect(await idle.end() == (.fin, []))
            #expect(await half.response()?.status == 408)
        }
    }

    @Test(arguments: [
        ("1;a=\(String(repeating: "b", count: 40_000))", 431),
        (String(repeating: "fff\r\n\(String(repeating: "x", count: 4095))\r\n", count: 300), 413), ("xyz\r\n", 400),
    ])
    func `a chunked body of the admin port is limited`(chunks: String, status: Int) async throws {
        try await withAdmin { admin in
            let client = try RawClient(port: admin.port)
            await client.send("POST /__admin/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)

            #expect(await client.response()?.status == status)
        }
    }

    @Test func `connections above a port's limit wait, and take nothing from other ports`() async throws {
        try await withAdmin(configure: { $0.connectionLimit = 1 }) { admin in
            let first = try admin.stub.client()
            await first.send(request("GET /v1/clock"))
            #expect(await first.response()?.status == 200)
            let second = try admin.stub.client()
            await second.send(request("GET /v1/clock"))
            for _ in 2...20 {
                await first.send(request("GET /v1/clock"))
                #expect(await first.response()?.status == 200)
            }

            #expect(try await admin.call("GET /sessions/till").json["exchanges"]?.int == 20, "the second connection waits")
            first.close()
            #expect(await second.response()?.status == 200)
        }
    }

    @Test func `a port may take half of the process's files, the admin port a quarter`() {
        let configuration = ServerConfiguration(seed: 1)

        #expect(configuration.connectionLimit(isAdmin: false) >= 2 * configuration.connectionLimit(isAdmin: true))
        #expect(configuration.connectionLimit(isAdmin: true) > 0)
    }

    /// Proxies close a connection on which nothing comes for half a minute.
    @Test(arguments: [("24s", 24), ("25s", 25), ("26s", 25), ("1d", 25)])
    func `a journal call waits for 25 seconds at most`(asked: String, seconds: Int) throws {
        let query = try JournalQuery(AdminQuery("revision=7&wait=\(asked)"))
        #expect(query.wait == .seconds(seconds))
    }

    // MARK: long responses

    @Test func `there are a few slots for long responses`() async throws {
        let long = LongResponses()
        func response(of count: Int) async throws -> AdminResponse {
            let piece = [UInt8](repeating: 0x20, count: 1000)
            return try await AdminResponse.fresh("text/plain", .pieces { AnySequence(repeatElement(piece, count: count)) }).placed(
                among: long)
        }
        let isShort = LongResponses.shortBytes / 1000
        var slots: [AdminResponse] = []
        for _ in 1...LongResponses.limit { slots.append(try await response(of: isShort + 1)) }

        let error = await #expect(throws: AdminProblem.self) { try await response(of: isShort + 1) }

        #expect(error?.status == .tooManyRequests)
        #expect(error?.response.headers.first(name: "Retry-After") == "1")
        guard case .whole(let bytes) = try await response(of: isShort).body else {
            Issue.record("expected a whole body")
            return
        }
        #expect(bytes.readableBytes == isShort * 1000)
        slots.removeLast()
        #expect(try await response(of: isShort + 1).slot != nil)
    }

    @Test func `readers of a long journal who do not read block no other client`() async throws {
        try await withAdmin { admin in
            let body = String(repeating: "\u{1}", count: 8_000)
            for _ in 1...300 { _ = try await admin.stub.ask(request("POST /v1/nothing", body: body)) }
            let readers = try (1...LongResponses.limit).map { _ in try RawClient(port: admin.port) }
            for reader in readers { await reader.send("GET /__admin/sessions/till/journal HTTP/1.1\r\nHost: localhost\r\n\r\n") }

            // Each has its slot once another gets none.
            var rejected = try await admin.call("GET /sessions/till/journal/har")
            while rejected.status != 429 { rejected = try await admin.call("GET /sessions/till/journal/har") }
            #expect(rejected.header("Retry-After") == "1")
            #expect(try await admin.ask("GET /livez").status == 200)
            #expect(try await admin.ask("GET /readyz").status == 200)
            #expect(try await admin.call("GET /metrics").status == 200)
            #expect(try await admin.call("GET /sessions/till/journal?last=3").json["entries"]?.array?.count == 3)

            for reader in readers { reader.close() }
            while try await admin.call("HEAD /sessions/till/journal").status != 200 {}
            let entries = try await admin.call("GET /sessions/till/journal?brief=true").json["entries"]?.array
            #expect(entries?.count == 300)
        }
    }
}
