import BankClient
import BankModel
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RedirectTests {
    @Test func `a redirect on the same host is followed, with the token`() async throws {
        try await SocketServer.serving(.whole(302, "", headers: "Location: /there?a=1\r\n"), .whole(200, "{}")) { server in
            let response = try await transport().send(HTTPRequest("GET", server.url + "/here", headers: ["Authorization": "Bearer t"]))

            #expect(response.status == 200)
            #expect(server.requests.last?.hasPrefix("GET /there?a=1 HTTP/1.1\r\n") == true)
            #expect(server.requests.last?.contains("Authorization: Bearer t") == true)
        }
    }

    @Test(
        arguments: ["http://localhost:", "https://127.0.0.1:"])
    func `a redirect to another host, port or scheme is not followed: nothing reaches it`(_ start: String) async throws {
        try await SocketServer.serving(.whole(200, "{}")) { other in
            try await SocketServer.serving(.whole(302, "", headers: "Location: \(start)\(other.port)/\r\n")) { server in
                let failure = await sendingFailure(HTTPRequest("GET", server.url, headers: ["Authorization": "Bearer t"]))

                #expect(failure?.error == .decode)
                #expect(other.connections == 0)
            }
        }
    }

    @Test func `a loop ends after five redirects`() async throws {
        try await SocketServer.serving(.whole(302, "", headers: "Location: /\r\n")) { server in
            #expect(await sendingFailure(HTTPRequest("GET", server.url))?.error == .decode)
            #expect(server.requests.count == 6)
        }
    }

    @Test(arguments: [(2, 200, [Duration.seconds(2)]), (301, 301, [])])
    func `a redirect that asks for a wait is followed after it, and one that asks for too long is the answer`(
        _ seconds: Int, _ status: Int, _ waits: [Duration]
    ) async throws {
        let clock = TestClock()
        let hasty = CurlTransport(limits: TransportLimits(connect: .seconds(300), total: .seconds(300)), clock: clock)
        let redirect = SocketServer.Response.whole(301, "", headers: "Location: /there\r\nRetry-After: \(seconds)\r\n")
        try await SocketServer.serving(redirect, .whole(200, "{}")) { server in
            let response = try await hasty.send(HTTPRequest("GET", server.url + "/here"))

            #expect(response.status == status)
        }
        #expect(clock.slept == waits)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a write does not follow: it would be done elsewhere or lose its body`(_ status: Int) async throws {
        try await SocketServer.serving(.whole(status, "", headers: "Location: /there\r\n")) { server in
            let response = try await transport().send(HTTPRequest("POST", server.url, body: [1]))

            #expect(response.status == status)
            #expect(server.requests.count == 1)
        }
    }
}
