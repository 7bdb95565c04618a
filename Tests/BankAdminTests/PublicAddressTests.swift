import BankAdmin
import BankCore
import BankEngine
import BankModel
import StubServer
import TestBanks
import TestServer
import Testing

/// A server behind a proxy: the addresses that it reports, the hosts that it answers, the pages that may control it.
@Suite struct PublicAddressTests {
    private func at(_ url: String) throws -> (inout ServerConfiguration) -> Void {
        let url = try PublicURL(url)
        return { $0.publicURL = url }
    }

    // MARK: addresses

    @Test func `sessions and banks are listed at the public address`() async throws {
        try await withStub(twoBanks(), configure: at("https://mock.example/banks")) { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine")
            let own = try await stub.server.openSession(bank: "till", name: "own", listener: .clear())

            #expect(session.baseURL == "https://mock.example/banks/s/mine")
            #expect(try stub.till.baseURL == "https://mock.example/banks/till")
            #expect(own.baseURL.hasPrefix("http://127.0.0.1:"))
            #expect(stub.server.publicAddress == "https://mock.example/banks")
        }
    }

    @Test(arguments: [
        ("0.0.0.0", "http://mock.example:8080", "http://mock.example:"), ("0.0.0.0", "https://mock.example/banks", "http://mock.example:"),
        ("0.0.0.0", "http://{session}.mock.example", "http://own.mock.example:"), ("0.0.0.0", "http://[::1]:8080", "http://[::1]:"),
        ("127.0.0.1", "http://mock.example:8080", "http://127.0.0.1:"), ("127.0.0.1", "http://10.0.2.2:8080", "http://10.0.2.2:"),
    ])
    func `a port of a session's own is at the public host where the server's host is no address for clients`(
        _ host: String, _ url: String, _ expected: String
    ) async throws {
        let publicURL = try PublicURL(url)
        let configure: (inout ServerConfiguration) -> Void = {
            $0.host = host
            $0.publicURL = publicURL
        }
        try await withStub(twoBanks(), configure: configure) { stub in
            let own = try await stub.server.openSession(bank: "till", name: "own", listener: .clear())

            #expect(own.baseURL.hasPrefix(expected), "\(own.baseURL)")
            let isPort = own.baseURL.dropFirst(expected.count).allSatisfy { $0.isNumber }
            #expect(isPort)
        }
    }

    @Test func `the curl line and the archive of an exchange have the public address`() async throws {
        try await withAdmin(configure: at("https://mock.example/banks")) { admin in
            _ = try await admin.stub.ask(request("GET /v1/clock"))
            _ = try await admin.stub.till.ended(1)

            let entry = try await admin.call("GET /sessions/till/journal/1")
            let archive = try await admin.call("GET /sessions/till/journal/har")

            #expect(entry.json["curl"]?["line"]?.string?.contains("https://mock.example/banks/v1/clock") == true, "\(entry.json)")
            #expect(String(decoding: archive.body, as: UTF8.self).contains("https://mock.example/banks/v1/clock"))
        }
    }

    @Test func `a session is found by its host, on each request of a connection`() async throws {
        try await withStub(configure: at("http://{session}.mock.example:81")) { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine")
            #expect(session.baseURL == "http://mine.mock.example:81")
            let client = try stub.client()
            func ask(_ host: String) async -> Int? {
                await client.send("GET /v1/clock HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                return await client.response()?.status
            }

            for host in ["bank", "mine.mock.example:81", "bank", "MINE.mock.example", "mine.mock.example.:81"] {
                #expect(await ask(host) == 200, "\(host)")
            }
            #expect(await ask("mine.evil.example") == 200)
            // A rejection ends the connection.
            #expect(await ask("yours.mock.example") == 404)
            #expect(await session.ended(3).count == 3)
            #expect(try await stub.till.ended(3).count == 3)
        }
    }

    @Test func `redirects lead to the public address, whatever the proxy has changed`() async throws {
        try await withStub(configure: at("https://mock.example/banks")) { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine")
            func location(_ to: String) async throws -> String? {
                _ = try session.set(rule(#"{"fault": {"redirect": {"to": "\#(to)"}}, "times": 1}"#))
                return try await stub.ask(request("GET /s/mine/v1/clock?a=1")).header("Location")
            }

            #expect(try await location("loop") == "https://mock.example/banks/s/mine/v1/clock?a=1")
            #expect(try await location("same-host")?.hasPrefix("https://mock.example/banks/s/mine/v1/clock?a=1&") == true)
            #expect(try await location("other-host") == "https://localhost/banks/s/mine/v1/clock?a=1")
        }
    }

    @Test func `a proxy that ends TLS announces it, and redirects lead there`() async throws {
        try await withStub { stub in
            func location(_ to: String, _ header: String) async throws -> String? {
                _ = try stub.till.set(rule(#"{"fault": {"redirect": {"to": "\#(to)"}}, "times": 1}"#))
                defer { stub.server.registry.defaultSessions.first?.removeRules() }
                return try await stub.ask(request("GET /v1/clock", headers: [header])).header("Location")
            }

            let found = try [
                await location("loop", "X-Forwarded-Proto: https"), await location("loop", "X-Forwarded-Proto: http"),
                await location("loop", "X-Forwarded-Proto: gopher"), await location("downgrade", "X-Forwarded-Proto: https"),
                await location("downgrade", "X-Forwarded-Proto: http"),
            ]

            let plain = "http://bank/v1/clock"
            #expect(found == ["https://bank/v1/clock", plain, plain, plain, nil])
        }
    }

    @Test func `without a public address redirects lead back as the request came`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"redirect": {"to": "loop"}}}"#))

            #expect(try await stub.ask(request("GET /v1/clock?a=1")).header("Location") == "http://bank/v1/clock?a=1")
        }
    }

    // MARK: the guard

    @Test func `more names are allowed, exactly those`() async throws {
        try await withAdmin(names: ["mock", "*.mock.svc.local"], publicURL: "https://mock.example/nodes/n2") { admin in
            for host in ["mock", "mock:8081", "n2.mock.svc.local", "MOCK", "mock.example", "127.0.0.1"] {
                #expect(try await admin.call("GET /health", host: host).status == 200, "\(host)")
            }
            for host in [
                "mock2", "a.mock", "mock.svc.local", "a.b.mock.svc.local", "evil.example", "amock.svc.local", ".mock.svc.local",
            ] {
                let response = try await admin.call("GET /health", host: host)
                #expect(response.status == 403, "\(host)")
                #expect(response.json["detail"]?.string?.contains("*.mock.svc.local") == true)
            }
        }
    }

    @Test func `the dashboard's page behind a proxy may steer, no other page`() async throws {
        func statuses(_ asked: [(host: String, origin: String)], _ admin: Admin) async throws -> [Int] {
            var statuses: [Int] = []
            for (host, origin) in asked {
                statuses.append(try await admin.call("POST /sessions/till/reset", host: host, headers: ["Origin: \(origin)"]).status)
            }
            return statuses
        }
        try await withAdmin(names: ["mock"], publicURL: "https://mock.example/nodes/n2") { admin in
            let own = try await statuses(
                [("mock", "https://mock"), ("mock", "http://mock"), ("127.0.0.1", "https://mock.example")], admin)
            let others = try await statuses(
                [
                    ("127.0.0.1", "http://mock.example"), ("127.0.0.1", "https://mock"), ("127.0.0.1", "https://127.0.0.1"),
                    ("mock", "https://evil.example"),
                ], admin)

            #expect(own == [204, 204, 204])
            #expect(others == [403, 403, 403, 403])
        }
        try await withAdmin { admin in
            let other = try await statuses([("127.0.0.1", "https://mock.example")], admin)
            #expect(other == [403])
        }
    }

    @Test(arguments: [
        "", "*", "*.com", "*.", "a..b", "Mock", "mock:80", "a.*.b.c", "mock_x", "https://mock", String(repeating: "a", count: 64),
    ])
    func `what is no name of a host, or a wildcard of a whole domain, is none`(_ text: String) {
        #expect(HostPattern(text) == nil)
    }

    @Test func `the page asks below its own address`() async throws {
        try await withAdmin { admin in
            let page = String(decoding: try await admin.ask("GET /").body, as: UTF8.self)

            #expect(page.contains("const url = '__admin' + path"))
            for absolute in ["'/__admin", "\"/__admin", "`/__admin", "src=\"/", "href=\"/"] { #expect(!page.contains(absolute)) }
        }
    }
}
