import BankClient
import BankModel
import Testing

/// Answers that libcurl 7.88.1 mostly accepts and RFC 9112 does not; and strange ones that are valid nonetheless.
@Suite(.timeLimit(.minutes(10)))
struct OddAnswerTests {
    @Test(
        arguments: [
            "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 3\n\n{}x", "HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 2\n\n{}",
            "HTTP/1.1 200 OK\nContent-Length: 2, 3\n\n{}", "HTTP/1.1 200 OK\nContent-Length: +2\n\n{}",
            "HTTP/1.1 200 OK\nContent-Length: 2x\n\n{}", "HTTP/1.1 200 OK\nContent-Length: -1\n\n{}",
            "HTTP/1.1 200 OK\nContent-Length: 99999999999999999999\n\n{}", "HTTP/1.1 200 OK\nContent-Length:\n\n{}",
            "HTTP/1.1 200 OK\nContent-Length: 2\nTransfer-Encoding: chunked\n\n2\n{}\n0\n\n",
            "HTTP/1.1 200 OK\nTransfer-Encoding: identity\n\n{}", "HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n2\n{}\n0\n\n",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\n{}\n", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\n{}\n0\n",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n-2\n{}\n0\n\n", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\n{}xx0\n\n",
            "HTTP/1.1 200 OK\nContent-Length : 2\n\n{}", "HTTP/1.1 200 OK\nContent-Type: a\n Content-Length: 9\nContent-Length: 2\n\n{}",
            "HTTP/1.1 200 OK\nno colon\nContent-Length: 2\n\n{}", "HTTP/1.1 200 OK\nHTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
            "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{}",
        ])
    func `two framings, or none that can be relied on, are no answer`(_ text: String) async throws { try await rejects(text) }

    @Test(
        arguments: [
            "HTTP/1.1 2000 OK\nContent-Length: 2\n\n{}", "HTTP/1.1 20 OK\nContent-Length: 2\n\n{}",
            "HTTP/1.1 099 OK\nContent-Length: 2\n\n{}", "HTTP/1.1 -20 OK\nContent-Length: 2\n\n{}",
            "HTTP/1.1 abc OK\nContent-Length: 2\n\n{}", "HTTP/1.1\nContent-Length: 2\n\n{}", "HTTP/2 200\n\n{}",
            "HTTP/2 200\nContent-Length: 2\n\n{}", "HTTP/3 200\nContent-Length: 2\n\n{}", "HTTP/9.9 200 OK\nContent-Length: 2\n\n{}",
            "ICY 200 OK\nContent-Length: 2\n\n{}", "{\"accounts\":[]}", "<html>sign in</html>", "\n\n\n",
        ])
    func `an invalid status line is not an answer`(_ text: String) async throws { try await rejects(text) }

    @Test(
        arguments: ["HTTP/1.1 100 Continue\n\n", "HTTP/1.1 103 Early\nLink: a\n\nHTTP/1.1 200 OK\nConte", "HTTP/1.1 101 Switching\n\n"])
    func `interim answers without an end, or with nothing after them, are no answer`(_ text: String) async throws {
        try await rejects(text)
    }

    @Test func `a flood of interim answers is too large a head`() async throws {
        let flood = String(repeating: "HTTP/1.1 103 Early Hints\nLink: </a>\n\n", count: 3000)
        try await SocketServer.serving(.raw(flood + "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", .fin)) { server in
            #expect(await sendingFailure(HTTPRequest("GET", server.url))?.error == .tooLarge)
        }
    }

    @Test(arguments: ["2\n{}\n0\n" + String(repeating: "X-Line: 123\n", count: 20_000), String(repeating: "1\nx\n", count: 5000)])
    func `trailers without end are too large a head, chunks without end too large a body`(_ rest: String) async throws {
        let head = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"
        try await SocketServer.serving(.raw(head + rest, .fin)) { server in
            #expect(
                await sendingFailure(
                    HTTPRequest("GET", server.url), TransportLimits(connect: .seconds(300), total: .seconds(300), bodyBytes: 1000))?.error
                    == .tooLarge)
        }
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200\nContent-Length: 2\n\n{}", 200, "{}"), ("HTTP/1.0 200 OK\nContent-Length: 2\n\n{}", 200, "{}"),
            ("HTTP/1.1 299 Odd  words\ncontent-length:2\n\n{}", 299, "{}"), ("HTTP/1.1 599 No\nContent-Length: 0\n\n", 599, ""),
            ("HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 2\n\n{}", 200, "{}"),
            ("HTTP/1.1 103 Early\nLink: a\n\nHTTP/1.1 100 Continue\n\nHTTP/1.1 201 OK\nContent-Length: 2\n\n{}", 201, "{}"),
            ("HTTP/1.1 200 OK\nTransfer-Encoding: Chunked\n\n1;name=x\n{\n1\n}\n0\nX-Sum: 1\n\n", 200, "{}"),
            ("HTTP/1.1 204 None\n\n", 204, ""), ("HTTP/1.1 304 Same\nContent-Length: 10\n\n", 304, ""),
        ])
    func `strange answers that are whole come through`(_ text: String, _ status: Int, _ body: String) async throws {
        try await SocketServer.serving(.raw(text, .fin)) { server in
            let response = try await transport().send(HTTPRequest("GET", server.url))

            #expect(response.status == status)
            #expect(String(decoding: response.body, as: UTF8.self) == body)
        }
    }

    @Test func `a HEAD's answer has no body, whatever length it states`() async throws {
        try await SocketServer.serving(.raw("HTTP/1.1 200 OK\nContent-Length: 10\n\n", .keep)) { server in
            let response = try await transport().send(HTTPRequest("HEAD", server.url))

            #expect(response.status == 200)
            #expect(response.body.isEmpty)
        }
    }

    @Test(
        arguments: ["HTTP/1.1 204 None\n\n", "HTTP/1.1 304 Same\n\n", "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}"])
    func `bytes after an answer are never the answer to the next request`(_ first: String) async throws {
        let smuggled = "HTTP/1.1 201 Smuggled\nContent-Length: 2\n\n{}"
        try await SocketServer.serving(.raw(first + smuggled, .keep), .whole(200, "{}")) { server in
            let transport = transport()
            _ = try await transport.send(HTTPRequest("GET", server.url))

            #expect(try await transport.send(HTTPRequest("GET", server.url)).status == 200)
        }
    }

    private func rejects(_ text: String) async throws {
        try await SocketServer.serving(.raw(text, .fin)) { server in
            let failure = await sendingFailure(HTTPRequest("GET", server.url))

            #expect(failure?.mayHaveLeft == true, "\(text)")
            #expect(failure.map { [.offline, .decode, .tooLarge].contains($0.error) } == true, "\(String(describing: failure))")
        }
    }
}
