import BankClient
import BankCore
import BankEngine
import BankFiles
import BankModel
import Faults
import Logging
import ProviderCheck
import StubServer
import TestBanks
import Testing

/// A second stub stands for the real bank; a client speaks to it through the proxy.
@Suite(.timeLimit(.minutes(10)))
struct ProviderProxyTests {
    @Test func `what passes is the real bank's own, and the journal keeps no body and no token of it`() async throws {
        try await withProxy { proxy, provider, client in
            let token = try provider.issueTokens(login: "ann").access.text
            let headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]

            let direct = try await client.send(HTTPRequest("GET", provider.baseURL + "/v1/accounts", headers: headers))
            let passed = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/accounts", headers: headers))
            let redirect = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/elsewhere"))
            let unknown = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v9/nothing"))

            #expect(passed.status == 200)
            #expect(passed.body == direct.body)
            #expect(passed.headers.values("Date").count == 1)
            #expect(redirect.headers["Location"] == "/v1/document.json")
            #expect(unknown.status == 404)
            let head = try await client.send(HTTPRequest("HEAD", proxy.baseURL + "/v1/accounts", headers: headers))
            #expect(head.headers["Content-Length"] == "\(direct.body.count)")
            let entries = proxy.journal().entries
            #expect(entries.map(\.status) == [200, 302, 404, 200])
            #expect(entries.allSatisfy { $0.responseBody.isEmpty && $0.requestBody.isEmpty })
            #expect(!entries.contains { $0.requestHeaders.contains { $0.value.contains(token) } })
            #expect(provider.journal().entries.count == 5)
        }
    }

    @Test
    func `headers of one connection or for the proxy stay here, on the way there and back; the path goes as it came`() async throws {
        try await withProxy { proxy, provider, client in
            let headers: HTTPHeaders = [
                "Connection": "X-Of-This-Hop, x-and-this", "X-Of-This-Hop": "1", "X-And-This": "1", "Keep-Alive": "timeout=5",
                "TE": "trailers",
                "Proxy-Authorization": "Basic YTpi", "Proxy-Connection": "keep-alive", "X-Of-Both-Ends": "1",
            ]
            let path = "/v1/../v1/./accounts/%2e%2e/clock"
            let rule: JSON = [
                "fault": [
                    "status": [
                        "status": 200,
                        "headers": [
                            "Connection": "X-Of-That-Hop", "X-Of-That-Hop": "1", "Proxy-Authenticate": "Basic", "X-Of-Both-Ends": "1",
                        ],
                    ]
                ]
            ]
            _ = try provider.set(try #require(Rule(Node(rule), Complaints())))

            let response = try await client.send(HTTPRequest("GET", proxy.baseURL + path, headers: headers))

            let asked = try #require(provider.journal().entries.last)
            let names = Set(asked.requestHeaders.map { $0.name.lowercased() })
            #expect(asked.path == path)
            #expect(names.contains("x-of-both-ends"))
            for name in ["x-of-this-hop", "x-and-this", "keep-alive", "te", "proxy-authorization", "proxy-connection"] {
                #expect(!names.contains(name), "\(name)")
            }
            #expect(response.headers["X-Of-Both-Ends"] == "1")
            #expect(response.headers["X-Of-That-Hop"] == nil)
            #expect(response.headers["Proxy-Authenticate"] == nil)
        }
    }

    @Test func `a response that is lost after the real bank has paid: the money moved once, and the key finds it again`() async throws {
        try await withProxy { proxy, provider, client in
            let token = try provider.issueTokens(login: "ann").access.text
            let rule: JSON = ["fault": ["lose-reply": ["by": "close"]], "on": ["role": "pay", "attempt": 1], "times": 1]
            _ = try proxy.set(try #require(Rule(Node(rule), Complaints())))
            let payment = HTTPRequest(
                "POST", proxy.baseURL + "/v1/payments",
                headers: ["Authorization": "Bearer \(token)", "Idempotency-Key": "tea-1", "Content-Type": "application/json"],
                body: Array(#"{"from": "a1", "to": "p1", "amount": "5.00"}"#.utf8))

            await #expect(throws: TransportFailure.self) { try await client.send(payment) }
            #expect(provider.ledger.movements.count == 1)
            let again = try await client.send(payment)

            #expect(again.status == 201)
            #expect(again.headers["Idempotent-Replayed"] == "true")
            #expect(provider.ledger.movements.count == 1)
            #expect(proxy.journal().entries.first?.fault?.applied == true)
        }
    }

    @Test func `a compressed response reaches the client in the bank's own bytes`() async throws {
        try await withProxy(compression: [.gzip]) { proxy, provider, client in
            let token = try provider.issueTokens(login: "ann").access.text
            let headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]

            let direct = try await client.send(HTTPRequest("GET", provider.baseURL + "/v1/accounts", headers: headers))
            let passed = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/accounts", headers: headers))
            let head = try await client.send(HTTPRequest("HEAD", proxy.baseURL + "/v1/accounts", headers: headers))
            await proxy.waitForExchanges(within: .seconds(300))

            #expect(passed.body == direct.body)
            let coded = try #require(proxy.journal().entries.first).receipt.bodyBytes
            #expect(coded == provider.journal().entries.first?.receipt.bodyBytes)
            #expect(coded != direct.body.count)
            #expect(head.headers["Content-Length"] == "\(coded)")
        }
    }

    @Test func `a compressed request reaches the bank as it came`() async throws {
        try await withProxy { proxy, provider, client in
            let call = HTTPRequest(
                "POST", proxy.baseURL + "/v1/payments",
                headers: ["Content-Encoding": "gzip", "Accept-Encoding": "br, GZIP;q=0.5, x-vault"],
                body: [0x1F, 0x8B, 8, 0])

            _ = try await client.send(call)

            let asked = try #require(provider.journal().entries.last)
            let headers = Dictionary(asked.requestHeaders.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
            #expect(headers["content-encoding"] == "gzip")
            #expect(headers["accept-encoding"] == "GZIP;q=0.5", "only what the proxy can read")
            #expect(asked.bodyBytes == 4)
        }
    }

    @Test func `a fault before the bank keeps the request from it`() async throws {
        try await withProxy { proxy, provider, client in
            let rule: JSON = ["fault": ["status": ["status": 503]], "on": ["operation": "document"]]
            _ = try proxy.set(try #require(Rule(Node(rule), Complaints())))

            let response = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/document.json"))

            #expect(response.status == 503)
            #expect(provider.journal().entries.isEmpty)
        }
    }

    @Test(
        arguments: [
            (#"{"fault": {"stale-read": {"by": "1h"}}}"#, "stale-read"), (#"{"fault": "endless-page"}"#, "endless-page"),
            (#"{"fault": "close", "on": {"customer": "ann"}}"#, "customer"), (#"{"fault": "close", "on": {"token": "token#1"}}"#, "token"),
        ])
    func `what needs the stub's own state is rejected by name`(rule: String, name: String) async throws {
        let rule = try JSON(parsing: Array(rule.utf8))
        try await withProxy { proxy, _, _ in
            let complaints = Complaints()
            let rule = try #require(Rule(Node(rule), complaints), "\(complaints.all)")

            let error = #expect(throws: RuleError.self) { try proxy.set(rule) }

            #expect(error?.description.contains(name) == true)
            #expect(error?.description.contains("in a proxy to a real bank") == true)
        }
    }

    @Test func `where the real bank does not answer the proxy answers 502`() async throws {
        try await withProxy { proxy, _, client in
            proxy.setUpstream(ProviderUpstream(try ProviderClient(try #require(ProviderAddress("http://127.0.0.1:1")))))

            let response = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/document.json"))

            #expect(response.status == 502)
            #expect(response.mediaType == "application/problem+json")
        }
    }

    // MARK: what is not forwarded

    @Test(arguments: [
        ("127.0.0.1:9000", 200), ("[::1]:9000", 200), ("localhost", 200), ("bank.localhost", 200), ("192.168.1.7:9000", 200),
        ("app.example:9000", 200), ("evil.example:9000", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example", 421),
    ])
    func `a web page that has rebound its name to this machine does not reach the bank`(host: String, status: Int) async throws {
        try await withProxy { proxy, provider, client in
            let address = try #require(ProviderAddress(provider.baseURL))
            let hosts = ProxyHosts([try #require(HostPattern("app.example"))])
            proxy.setUpstream(ProviderUpstream(try ProviderClient(address), hosts: hosts))

            let response = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/document.json", headers: ["Host": host]))

            #expect(response.status == status)
            #expect(provider.journal().entries.count == (status == 200 ? 1 : 0))
        }
    }

    @Test(arguments: ["/v9/nothing", "/v10/document.json", "/", "/v1/../v9/nothing", "/v1/%2e%2E/v9/nothing"])
    func `a path outside the provider's address is not forwarded`(path: String) async throws {
        try await withProxy { proxy, provider, client in
            let address = try #require(ProviderAddress(provider.baseURL + "/v1"))
            proxy.setUpstream(ProviderUpstream(try ProviderClient(address)))

            let inside = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/document.json?x=/../.."))
            let outside = try await client.send(HTTPRequest("GET", proxy.baseURL + path))

            #expect(inside.status == 200)
            #expect(outside.status == 404)
            #expect(String(decoding: outside.body, as: UTF8.self).contains("expected a path below /v1"))
            #expect(provider.journal().entries.map(\.path) == ["/v1/document.json"])
        }
    }

    @Test func `a redirect that leads outside the provider's address stays as the bank has sent it`() async throws {
        try await withProxy { proxy, provider, client in
            let address = try #require(ProviderAddress(provider.baseURL + "/v1"))
            proxy.setUpstream(ProviderUpstream(try ProviderClient(address)))
            for (target, expected) in [("/login", provider.baseURL + "/login"), ("/v1/login?x=1", "/v1/login?x=1")] {
                let rule: JSON = [
                    "fault": ["status": ["status": 302, "headers": ["Location": .string(provider.baseURL + target)]]], "times": 1,
                ]
                _ = try provider.set(try #require(Rule(Node(rule), Complaints())))

                let response = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/document.json"))

                #expect(response.headers["Location"] == expected)
            }
        }
    }

    @Test func `two proxies that forward to each other notice it`() async throws {
        try await withProxy { proxy, other, client in
            let back = try #require(ProviderAddress(proxy.baseURL))
            other.setUpstream(ProviderUpstream(try ProviderClient(back)))

            let response = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/document.json", headers: ["Via": "1.1 front"]))
            await proxy.waitForExchanges(within: .seconds(300))

            #expect(response.status == 508)
            #expect(String(decoding: response.body, as: UTF8.self).contains("it sends requests back to this proxy"))
            #expect(proxy.journal().entries.count == 2)
            let passed = try #require(other.journal().entries.first)
            let via = passed.requestHeaders.filter { $0.name.lowercased() == "via" }.map(\.value)
            #expect(via.first == "1.1 front")
            #expect(via.count == 2 && via.last?.hasPrefix("1.1 counterfoil-") == true)
        }
    }

    private static let transport = CurlTransport(
        limits: TransportLimits(connect: .seconds(300), total: .seconds(300), redirects: 0), keepsDots: true)

    /// - Parameter compression: the codings of the real bank.
    private func withProxy(
        compression: [ContentCoding] = [],
        _ body: (_ proxy: BankSession, _ provider: BankSession, _ client: CurlTransport) async throws -> Void
    ) async throws {
        let bank = try TestFiles().library.load("till").bank
        var real = bank
        real.compression = compression
        try await withServer(real) { provider in
            try await withServer(bank) { proxy in
                let address = try #require(ProviderAddress(provider.baseURL))
                proxy.setUpstream(ProviderUpstream(try ProviderClient(address), base: address.path))
                try await body(proxy, provider, ProviderProxyTests.transport)
            }
        }
    }

    private func withServer(_ bank: Bank, _ body: (BankSession) async throws -> Void) async throws {
        let source = BankSource(bank: bank, files: []) { throw CancellationError() }
        let server = try await StubServer([source], ServerConfiguration(seed: 7), logger: Logger(label: "proxy"))
        do {
            try await body(try #require(server.registry.defaultSessions.first))
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
        await server.shutdown(grace: .zero)
    }
}
