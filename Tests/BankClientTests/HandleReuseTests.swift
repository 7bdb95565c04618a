import BankClient
import BankModel
import Testing

/// libcurl's handles are reused for one request after another; no token may remain in one for the next request.
@Suite(.timeLimit(.minutes(10)))
struct HandleReuseTests {
    private static let firsts: [(String, [UInt8]?)] = [
        ("GET", nil), ("HEAD", nil), ("DELETE", nil), ("POST", [1, 2]), ("PUT", [1, 2]), ("GET", [1, 2]),
    ]

    @Test(arguments: firsts)
    func `a plain read on a handle and connection used before sends nothing of the request before`(
        _ method: String, _ body: [UInt8]?
    ) async throws {
        try await SocketServer.serving(.whole(200, ""), .whole(200, "{}")) { server in
            let transport = transport()
            _ = try await transport.send(request(method, server.url + "/first", body))
            let second = try await transport.send(HTTPRequest("GET", server.url + "/second"))
            let load = await transport.load()

            #expect(second.body == Array("{}".utf8))
            #expect((server.connections, load.handles) == (1, 1))
            #expect(server.requests.first?.contains("Authorization: Bearer secret\r\n") == true)
            #expect(server.requests.last == bare("/second", server))
        }
    }

    @Test(arguments: [SocketServer.Response.End.reset, .hang])
    func `nor after a request that failed, or was cancelled`(_ end: SocketServer.Response.End) async throws {
        try await SocketServer.serving(.raw("", end), .whole(200, "{}")) { server in
            let transport = transport()
            await withTaskGroup(of: TransportFailure?.self) { group in
                group.addTask { await sendingFailure(request("GET", server.url + "/first", nil), by: transport) }
                await server.hasRead(1)
                if end == .hang { group.cancelAll() }
                for await failure in group { #expect(failure != nil) }
            }
            _ = try await transport.send(HTTPRequest("GET", server.url + "/second"))
            let load = await transport.load()

            #expect(load.handles == 1)
            #expect(server.requests.last == bare("/second", server))
        }
    }

    private func request(_ method: String, _ url: String, _ body: [UInt8]?) -> HTTPRequest {
        HTTPRequest(method, url, headers: ["Authorization": "Bearer secret", "Idempotency-Key": "\"k\""], body: body)
    }

    @Test(arguments: [(true, 1), (false, 2)])
    func `a request that may be seen once only gets a connection of its own, and is not sent again`(
        needsNewConnection: Bool, seen: Int
    ) async throws {
        try await SocketServer.serving(.whole(200, ""), .raw("", .fin), .raw("", .fin)) { server in
            let transport = transport()
            _ = try await transport.send(HTTPRequest("GET", server.url + "/first"))
            var request = request("POST", server.url + "/second", [1])
            request.needsNewConnection = needsNewConnection

            #expect(await sendingFailure(request, by: transport) != nil)
            #expect(server.requests.dropFirst().count == seen)
        }
    }

    @Test func `nor the codings that an earlier request accepted`() async throws {
        try await SocketServer.serving(.whole(200, "")) { server in
            let transport = transport()
            _ = try await transport.send(HTTPRequest("GET", server.url + "/first", headers: ["Accept-Encoding": "identity"]))
            _ = try await transport.send(HTTPRequest("GET", server.url + "/second"))

            #expect(server.requests.first?.contains("Accept-Encoding: identity\r\n") == true)
            #expect(server.requests.first?.contains("gzip") == false)
            #expect(server.requests.last == bare("/second", server))
        }
    }

    /// A request with nothing but a path.
    private func bare(_ path: String, _ server: SocketServer) -> String {
        let lines = [
            "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "User-Agent: counterfoil-client/1", "Accept: */*",
            "Accept-Encoding: gzip, deflate",
        ]
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}
