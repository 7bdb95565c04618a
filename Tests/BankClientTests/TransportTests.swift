import BankClient
import BankModel
import Foundation
import Testing

/// Network failures during an answer, caused by a bare socket server.
@Suite(.timeLimit(.minutes(10)))
struct TransportTests {
    @Test func `a whole answer by length comes through`() async throws {
        try await SocketServer.serving(.whole(201, #"{"a":1}"#, headers: "X-One: two\r\n")) { server in
            let response = try await transport().send(HTTPRequest("GET", server.url + "/x"))

            #expect(response.status == 201)
            #expect(response.headers["x-one"] == "two")
            #expect(response.body == Array(#"{"a":1}"#.utf8))
        }
    }

    @Test func `a whole answer in chunks comes through`() async throws {
        let response = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\nabc\n0\n\n"
        try await SocketServer.serving(.raw(response, .keep)) { server in
            let response = try await transport().send(HTTPRequest("GET", server.url))

            #expect(response.body == Array("abc".utf8))
        }
    }

    /// To libcurl 7.88.1 the first two are complete answers: exit 0, status 200, no body.
    @Test(
        arguments: [
            "HTTP/1.1 200 OK\nConte", "HTTP/1.1 200 OK\nContent-Type: application/json\n", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\n",
            "HTTP/1.1 200 OK\nContent-Length: 10\n\n{}", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\nabc\n",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nzz\nabc\n", "\u{1}\u{2}garbage\n\n", "",
        ], [SocketServer.Response.End.fin, .reset])
    func `an answer that breaks off is never an answer`(_ text: String, _ end: SocketServer.Response.End) async throws {
        try await SocketServer.serving(.raw(text, end)) { server in
            let failure = await sendingFailure(HTTPRequest("GET", server.url))

            #expect(failure?.torn == true, "\(String(describing: failure))")
            #expect(failure.map { [.offline, .decode].contains($0.error) } == true)
            #expect(failure?.mayHaveLeft == true)
        }
    }

    @Test func `a body without length or chunks may be half of one and is rejected`() async throws {
        try await SocketServer.serving(.raw("HTTP/1.1 200 OK\nContent-Type: application/json\n\n{}", .fin)) { server in
            #expect(await sendingFailure(HTTPRequest("GET", server.url))?.error == .decode)
        }
    }

    @Test(arguments: ["gzip", "x-vault"])
    func `a coding that was not requested is rejected, and so are bytes that are not of it`(_ coding: String) async throws {
        try await SocketServer.serving(.whole(200, "xx", headers: "Content-Encoding: \(coding)\r\n")) { server in
            #expect(await sendingFailure(HTTPRequest("GET", server.url))?.error == .decode)
            let plain = HTTPRequest("GET", server.url, headers: ["Accept-Encoding": "identity"])
            #expect(await sendingFailure(plain)?.error == .decode)
        }
    }

    @Test func `a compressed answer is requested and unpacked, and its Content-Length is that of the packed bytes`() async throws {
        let text = String(repeating: "{\"a\": 1} ", count: 100)
        try await SocketServer.serving(.packed(Array(text.utf8))) { server in
            let response = try await CurlTransport().send(HTTPRequest("GET", server.url))

            #expect(String(decoding: response.body, as: UTF8.self) == text)
            #expect(server.requests.first?.contains("Accept-Encoding: gzip, deflate") == true)
        }
    }

    @Test func `a small answer that expands beyond the limit is given up`() async throws {
        let bomb = ContentCoding.expanding(Array("{}".utf8), to: 64 << 20)
        try await SocketServer.serving(.packed(bomb, isPacked: true)) { server in
            #expect(
                await sendingFailure(
                    HTTPRequest("GET", server.url), TransportLimits(connect: .seconds(300), total: .seconds(300), bodyBytes: 1 << 20))?
                    .error == .tooLarge)
        }
    }

    @Test(
        arguments: [
            SocketServer.Response.whole(200, String(repeating: "x", count: 2000)),
            .raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n7d0\n\(String(repeating: "x", count: 2000))\n0\n\n", .fin),
            .raw("HTTP/1.1 200 OK\n" + String(repeating: "X-Line: 1234567890\n", count: 5000) + "Content-Length: 0\n\n", .fin),
            .raw("HTTP/1.1 200 OK\nX-Line: " + String(repeating: "x", count: 200_000) + "\nContent-Length: 0\n\n", .fin),
        ])
    func `too large a body or head is rejected`(_ response: SocketServer.Response) async throws {
        try await SocketServer.serving(response) { server in
            #expect(
                await sendingFailure(
                    HTTPRequest("GET", server.url), TransportLimits(connect: .seconds(300), total: .seconds(300), bodyBytes: 1000))?.error
                    == .tooLarge)
        }
    }

    @Test func `silence ends as timeout, and the request may have arrived`() async throws {
        try await SocketServer.serving(.raw("", .hang)) { server in
            let failure = await sendingFailure(
                HTTPRequest("POST", server.url, body: [1]), TransportLimits(connect: .seconds(300), total: .seconds(3)))

            #expect(failure?.error == .timeout)
            #expect(failure?.mayHaveLeft == true)
        }
    }

    @Test func `without a listener nothing was sent`() async throws {
        let closed = try await SocketServer.serving(.whole(200, "{}")) { $0.url }

        let failure = await sendingFailure(HTTPRequest("POST", closed, body: [1]))

        #expect(failure?.error == .offline)
        #expect(failure?.mayHaveLeft == false)
    }

    /// libcurl retries by itself when a reused connection dies; here the second connection is refused, and its "could not
    /// connect" must not hide that the first one received the request.
    @Test func `a request that a dying connection took may have arrived though the next connection is refused`() async throws {
        try await SocketServer.serving(.whole(200, "{}"), .raw("", .finAndRefuse)) { server in
            let transport = transport()
            _ = try await transport.send(HTTPRequest("GET", server.url))

            let failure = await sendingFailure(HTTPRequest("POST", server.url, body: [1]), by: transport)

            #expect(server.requests.count == 2)
            #expect(failure?.mayHaveLeft == true)
        }
    }

    @Test func `libcurl's own retries are the same to the byte`() async throws {
        try await SocketServer.serving(.whole(200, "{}"), .raw("", .fin), .whole(200, "{}")) { server in
            let transport = transport()
            _ = try await transport.send(HTTPRequest("GET", server.url))

            let request = HTTPRequest("POST", server.url + "/pay", headers: ["Idempotency-Key": "\"k\""], body: Array("order".utf8))
            #expect(try await transport.send(request).status == 200)

            #expect(server.requests.count == 3)
            #expect(server.requests[1] == server.requests[2])
        }
    }

    @Test func `no handshake: tls, and nothing was sent`() async throws {
        try await SocketServer.serving(.whole(200, "{}")) { server in
            let failure = await sendingFailure(HTTPRequest("POST", "https://127.0.0.1:\(server.port)", body: [1]))

            #expect(failure?.error == .tls)
            #expect(failure?.mayHaveLeft == false)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `cancelling ends a request at once`() async throws {
        try await SocketServer.serving(.raw("", .hang)) { server in
            let task = Task { await sendingFailure(HTTPRequest("GET", server.url), .patient) }
            await server.hasRead(1)

            task.cancel()

            let failure = await task.value
            #expect(failure?.error == .cancelled)
            #expect(failure?.mayHaveLeft == true)
        }
    }

    @Test func `many requests share the one thread`() async throws {
        try await SocketServer.serving(.whole(200, "{}")) { server in
            let transport = transport()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await transport.send(HTTPRequest("GET", server.url)).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 50))
        }
    }

    @Test(
        arguments: [
            HTTPRequest("GET", "ftp://127.0.0.1/x"), HTTPRequest("GET", "file:///etc/passwd"), HTTPRequest("GET", ""),
            HTTPRequest("GET", "http://127.0.0.1:1/", headers: ["Authorization": "Bearer a\r\nX-Evil: 1"]),
        ])
    func `an address or header that is none is rejected before anything is sent`(_ request: HTTPRequest) async {
        #expect(await sendingFailure(request)?.mayHaveLeft == false)
    }

    @Test func `a token is never part of a description`() {
        #expect(!"\(HTTPRequest("GET", "http://a/", headers: ["Authorization": "Bearer secret"]))".contains("secret"))
        #expect(!"\(Token(access: "secret", refresh: "secret"))".contains("secret"))
    }
}

func transport(_ limits: TransportLimits = .patient) -> CurlTransport { CurlTransport(limits: limits) }

/// The failure of the request; nil if it succeeds.
func sendingFailure(
    _ request: HTTPRequest, _ limits: TransportLimits = .patient, by given: CurlTransport? = nil
) async -> TransportFailure? {
    do throws(TransportFailure) {
        _ = try await (given ?? transport(limits)).send(request)
        return nil
    } catch {
        return error
    }
}

extension TransportLimits {
    /// Long enough for a machine that stalls for some seconds: for tests that await no timeout.
    static let patient = TransportLimits(connect: .seconds(300), total: .seconds(300))
}
