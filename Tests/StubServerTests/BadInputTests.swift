import BankCore
import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// Bytes that are no request, or too long for one, are rejected with a status, and the server continues.
@Suite struct BadInputTests {
    static let long = String(repeating: "x", count: 1 << 20)

    struct Bad: CustomTestStringConvertible {
        let name: String
        let request: String
        let status: Int
        var testDescription: String { name }
    }

    static let bad: [Bad] = [
        Bad(name: "no Host", request: "GET /v1/clock HTTP/1.1\r\n\r\n", status: 400),
        Bad(name: "two Hosts", request: "GET /v1/clock HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", status: 400),
        Bad(name: "a head of 1 MB", request: "GET /v1/clock HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n", status: 431),
        Bad(name: "a target of 1 MB", request: "GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", status: 431),
        Bad(
            name: "300 headers",
            request: "GET / HTTP/1.1\r\nHost: a\r\n" + (1...300).map { "X-\($0): y\r\n" }.joined() + "\r\n", status: 431),
        Bad(
            name: "a body over 1 MiB by length",
            request: "POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n\(long)y", status: 413),
        Bad(
            name: "a body over 1 MiB by chunks",
            request:
                "POST /v1/payments HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n\(long)\r\n1\r\ny\r\n0\r\n\r\n",
            status: 413),
        Bad(name: "garbage", request: "\u{1}\u{2}\u{3} no http\r\n\r\n", status: 400),
        Bad(name: "a TLS hello", request: "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\r\n\r\n", status: 400),
        Bad(name: "HTTP/2.0", request: "GET /v1/clock HTTP/2.0\r\nHost: a\r\n\r\n", status: 505),
        Bad(name: "no path", request: "GET clock HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
        Bad(name: "another scheme", request: "GET ftp://a/v1/clock HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
        Bad(
            name: "two Authorizations",
            request: "GET /v1/clock HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer a\r\n\r\n", status: 400),
        Bad(name: "another Expect", request: "POST /v1/payments HTTP/1.1\r\nHost: a\r\nExpect: money\r\n\r\n", status: 417),
        Bad(name: "a length that is no number", request: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n", status: 400),
        Bad(
            name: "a length and chunks",
            request: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", status: 400),
        Bad(
            name: "a length beyond 2^63", request: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775808\r\n\r\n",
            status: 413),
        Bad(
            name: "a length beyond 2^64", request: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n",
            status: 400),
        Bad(
            name: "an unknown coding", request: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            status: 501),
        Bad(name: "an unknown last coding", request: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", status: 501),
        Bad(name: "two spaces before the target", request: "GET  /v1/clock HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
        Bad(name: "two spaces behind the target", request: "GET /v1/clock  HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
        Bad(name: "CONNECT with a path", request: "CONNECT /v1/clock HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
        Bad(name: "CONNECT", request: "CONNECT bank:443 HTTP/1.1\r\nHost: bank:443\r\n\r\n", status: 400),
        Bad(name: "TRACE", request: "TRACE /v1/clock HTTP/1.1\r\nHost: a\r\n\r\n", status: 405),
        Bad(name: "a bad chunk", request: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", status: 400),
    ]

    @Test(arguments: bad) func `it is rejected with its status and FIN`(bad: Bad) async throws {
        try await withStub { stub in
            let client = try stub.client()
            await client.send(bad.request)

            let response = try #require(await client.response())

            #expect(response.status == bad.status, "\(response.text)")
            #expect(response.json["detail"]?.string?.isEmpty == false)
            #expect(response.header("Content-Type") == "application/problem+json")
            #expect(await client.end().end == .fin)
            #expect(try await stub.ask(request("GET /v1/clock")).status == 200)
        }
    }

    @Test func `spaces are seen however the line comes`() async throws {
        try await withStub { stub in
            let (client, pipelined) = (try stub.client(), try stub.client())
            for piece in ["GET ", " /v1/clock HTTP/1.1\r\nHost: a\r\n\r\n"] { await client.send(piece) }
            await pipelined.send(request("GET /v1/clock") + "GET  /v1/clock HTTP/1.1\r\nHost: a\r\n\r\n")

            #expect(await client.response()?.status == 400)
            #expect(await pipelined.responses(2).map { $0?.status } == [200, 400])
            // A value, or a body, may contain any number of them.
            let body = "{  }"
            let spaced = "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nX-Y: a  b\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            #expect(try await stub.ask(spaced).status == 404)
        }
    }

    @Test(arguments: ["100-continue", "money"])
    func `HTTP/1.0 has no expectations`(expected: String) async throws {
        try await withStub { stub in
            let response = try await stub.ask("POST /v1/nothing HTTP/1.0\r\nExpect: \(expected)\r\nContent-Length: 2\r\n\r\n{}")
            #expect(response.status == 404)
        }
    }

    @Test func `TRACE lists what there is`() async throws {
        try await withStub { stub in
            let (response, client) = (try await stub.ask(request("TRACE /v1/clock?x=1")), try await HTTP2Client(stub))
            let streams = [await client.ask("TRACE", "/v1/clock"), await client.ask("TRACE", "/nowhere")]
            await client.read { $0.haveEnded(streams) }

            #expect(response.header("Allow") == "GET, HEAD")
            #expect(response.text.contains("TRACE"))
            #expect(try await stub.ask(request("TRACE /nowhere")).status == 404)
            #expect(streams.map { client.streams[$0]?.status } == [405, 404])
            #expect(client.streams[streams[0]]?.headers["allow"] == "GET, HEAD")
        }
    }

    @Test(arguments: ["", "Idempotency-Key: k\r\n"])
    func `TRACE is rejected also behind a request like it`(_ header: String) async throws {
        try await withStub { stub in
            let client = try stub.client()

            await client.send("GET /v1/clock HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await client.response()?.status == 200)
            await client.send("TRACE /v1/clock HTTP/1.1\r\nHost: a\r\n\(header)\r\n")

            let response = try #require(await client.response())
            #expect(response.status == 405)
            #expect(response.header("Allow") == "GET, HEAD")
        }
    }

    @Test func `expect: 100-continue is answered before the body`() async throws {
        try await withStub { stub in
            let (client, body) = (try stub.client(), "grant_type=password&username=ann&password=apple")
            await client.send("POST /v1/token HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
            #expect(await client.response()?.status == 100)

            await client.send(body)

            #expect(await client.response()?.status == 200)
        }
    }

    @Test func `expect: 100-continue is answered before the body on HTTP 2, too`() async throws {
        try await withStub { stub in
            let client = try await HTTP2Client(stub)
            let fields = [(":method", "POST"), (":scheme", "http"), (":authority", "bank"), (":path", "/v1/token")]

            let stream = await client.send(fields + [("expect", "100-continue")], ends: false)
            await client.read { $0.streams[stream]?.status != nil }

            #expect(client.streams[stream]?.status == 100)
            #expect(client.streams[stream]?.isWhole == false)
            #expect(client.streams[stream]?.reset == nil)
        }
    }

    @Test(
        arguments: ["http://a", "HTTP://127.0.0.1:80", "https://[::1]"])
    func `the whole address as a target is taken, as every server must`(_ origin: String) async throws {
        try await withStub { stub in
            let statuses = try await stub.ask(["\(origin)/v1/clock?x=1", origin].map { request("GET \($0)") }).map(\.status)

            let paths = try stub.till.journal().entries.map(\.path)
            #expect(statuses == [200, 404])
            #expect(paths == ["/v1/clock", "/"])
        }
    }

    @Test(
        arguments: ["/v1/clock", "/v1/document.json", "/x"])
    func `an HTTP/1.0 client learns whether its connection is kept, and the connection is`(_ path: String) async throws {
        try await withStub { stub in
            let client = try stub.client()

            for _ in 1...2 {
                await client.send("GET \(path) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(await client.response()?.header("Connection") == "keep-alive")
            }
            await client.send("GET \(path) HTTP/1.0\r\n\r\n")
            #expect(await client.response()?.header("Connection") == "close")
            #expect(await client.end().end == .fin)
        }
    }

    @Test func `an HTTP/1.0 request with a transfer coding is the last of its connection`() async throws {
        try await withStub { stub in
            let client = try stub.client()

            await client.send("POST /x HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")

            #expect(await client.response()?.header("Connection") == "close")
            #expect(await client.end().end == .fin)
        }
    }

    /// Half a head is no request yet, and is not listed.
    @Test(arguments: [
        ("GET /v1/clo", []), ("POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc", [Receipt.End.incomplete]),
    ])
    func `a half request and then FIN is rejected`(half: String, listed: [Receipt.End]) async throws {
        try await withStub { stub in
            let client = try stub.client()
            await client.send(half)

            client.shutdownWriting()

            let (end, bytes) = await client.end()
            #expect(end == .fin)
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 400"))
            #expect(try await stub.till.ended(listed.count).map(\.receipt.end) == listed)
        }
    }

    @Test func `a body longer than promised is another request and rejected`() async throws {
        try await withStub { stub in
            let token = try stub.token()
            let client = try stub.client()

            await client.send(payment(key: "k1", token: token) + "}}")

            #expect(await client.response()?.status == 201)
            if await client.response()?.status != 400 { #expect(await client.end().end == .fin) }
            #expect(try await stub.ask(request("GET /v1/clock")).status == 200)
        }
    }

    @Test func `requests before garbage are answered also when the first is held`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}, "after": "released"}, "times": 1}"#))
            let client = try stub.client()
            await client.send(request("GET /v1/clock") + request("GET /v1/document.json") + "}}garbage\r\n\r\n")
            _ = try await stub.till.entries { $0.count == 1 }

            _ = try stub.till.release()

            #expect(await client.responses(3).map { $0?.status } == [500, 200, 400])
            #expect(await client.end().end == .fin)
        }
    }

    @Test func `half-closed clients get all their answers`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}, "after": "50ms"}, "times": 1}"#))
            let client = try stub.client()
            await client.send(request("GET /v1/clock") + request("GET /v1/document.json") + request("GET /v1/clock"))

            client.shutdownWriting()

            #expect(await client.responses(3).map { $0?.status } == [500, 200, 200])
            #expect(await client.end().end == .fin)
        }
    }

    @Test func `silence ends an idle connection by FIN and a half request by 408`() async throws {
        try await withStub(configure: { $0.idleTimeout = .seconds(3) }) { stub in
            let (idle, half, body) = (try stub.client(), try stub.client(), try stub.client())
            await idle.send(request("GET /v1/clock"))
            await half.send("GET /v1/cl")
            await body.send("POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")

            #expect(await idle.response()?.status == 200)
            #expect(await idle.end() == (.fin, []))
            #expect(await half.response()?.status == 408)
            #expect(await half.end().end == .fin)
            #expect(await body.response()?.status == 408)
            #expect(await body.end().end == .fin)
        }
    }
}
