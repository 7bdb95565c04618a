import BankClient
import BankCore
import BankEngine
import BankFiles
import BankModel
import Faults
import Logging
import Platform
import ProviderCheck
import StubServer
import TestBanks
import Testing

/// A proxy that keeps what passes, before a provider that misbehaves: a second stub with a fault.
@Suite(.timeLimit(.minutes(10)))
struct ProviderStreamTests {
    @Test func `a long body is passed on as it comes, and is not kept`() async throws {
        let text = String(repeating: "0123456789", count: 300_000)
        try await withProxy(["status": ["status": 200, "body": .string(text)]]) { proxy, _, client in
            let response = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/long"))
            await proxy.waitForExchanges(within: .seconds(300))

            // Not the texts themselves: a failure would show both.
            #expect(response.body.count == text.utf8.count)
            let isSame = response.body == Array(text.utf8)
            #expect(isSame)
            #expect(response.headers["Content-Length"] == "\(text.count)")
            let passed = try #require(proxy.passed().exchanges.first)
            #expect(passed.messages.responseBody?.count == nil)
            #expect(!passed.messages.isCut)
            #expect(passed.entry.receipt.bodyBytes == text.count)
        }
    }

    @Test func `a short body is kept with all headers, and in no journal`() async throws {
        let headers: JSON = ["Set-Cookie": "id=secret-cookie", "Content-Type": "application/json"]
        let body = #"{"access_token":"secret-token"}"#
        try await withProxy(["status": ["status": 200, "headers": headers, "body": .string(body)]]) { proxy, _, client in
            let call = HTTPRequest("GET", proxy.baseURL + "/v1/token?x=1", headers: ["Authorization": "Bearer secret-bearer"])
            _ = try await client.send(call)
            await proxy.waitForExchanges(within: .seconds(300))

            let passed = try #require(proxy.passed().exchanges.first)
            #expect(passed.messages.target == "/v1/token?x=1")
            #expect(passed.messages.responseBody.map { String(decoding: $0, as: UTF8.self) } == body)
            #expect(passed.messages.requestHeaders.contains { $0.value == "Bearer secret-bearer" })
            #expect(!"\(proxy.journal().entries)".contains("secret-"))
        }
    }

    @Test func `a body that the provider cuts is cut for the client, and recorded as cut`() async throws {
        let raw = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it"
        try await withProxy(["garbage": ["bytes": .string(raw)]]) { proxy, _, client in
            let failure = await #expect(throws: TransportFailure.self) {
                try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/cut"))
            }
            await proxy.waitForExchanges(within: .seconds(300))

            #expect(failure?.torn == true)
            let passed = try #require(proxy.passed().exchanges.first)
            #expect(passed.messages.isCut)
            #expect(passed.entry.receipt.bodyBytes == 10)
        }
    }

    @Test(arguments: [
        ("NOT HTTP\r\n\r\n", 502, "not HTTP/1.1"), ("HTTP/1.1 200 OK\r\nContent-Le", 502, "before the end of its response"),
        ("", 502, "before the end of its response"), ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", 502, "final status"),
    ])
    func `a provider without a response of HTTP gives a problem`(raw: String, status: Int, detail: String) async throws {
        let fault: JSON = raw.isEmpty ? "close" : ["garbage": ["bytes": .string(raw)]]
        try await withProxy(fault) { proxy, failures, client in
            let response = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/x"))

            #expect(response.status == status)
            #expect(String(decoding: response.body, as: UTF8.self).contains(detail))
            #expect(failures.all.withLock { $0.count } == 1)
        }
    }

    @Test func `a provider that hangs gives 504`() async throws {
        try await withProxy("hang", silence: .milliseconds(200)) { proxy, _, client in
            let response = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/x"))

            #expect(response.status == 504)
        }
    }

    @Test func `a provider whose certificate is not trusted gives 502 and is reported as that`() async throws {
        try await withProxy(nil, isSecure: true) { proxy, failures, client in
            let response = try await client.send(HTTPRequest("GET", proxy.baseURL + "/v1/document.json"))

            #expect(response.status == 502)
            let failure = try #require(failures.all.withLock { $0.first })
            guard case .untrusted = failure else {
                Issue.record("found \(failure), expected that the certificate is not trusted")
                return
            }
        }
    }

    @Test func `only reads and sign-ins are forwarded, and no WebSocket`() async throws {
        try await withProxy(nil, allowsWrites: false) { proxy, _, client in
            let upgrade: HTTPHeaders = ["Upgrade": "websocket", "Connection": "upgrade"]
            let calls = [("GET", "document.json"), ("POST", "sign-in"), ("POST", "payments"), ("DELETE", "sign-in")].map { method, path in
                HTTPRequest(method, proxy.baseURL + "/v1/" + path, body: method == "POST" ? Array("{}".utf8) : nil)
            }
            var statuses: [Int] = []
            let deletion: HTTPHeaders = ["X-HTTP-Method-Override": "DELETE"]
            let odd = [("socket", upgrade), ("document.json", deletion)].map { path, headers in
                HTTPRequest("GET", proxy.baseURL + "/v1/" + path, headers: headers)
            }
            for call in calls + odd {
                statuses.append(try await client.send(call).status)
            }

            #expect(statuses == [200, 404, 405, 405, 501, 405])
            await proxy.waitForExchanges(within: .seconds(300))
            #expect(proxy.passed().exchanges.map(\.messages.responder) == [.bank, .bank, .proxy, .proxy, .proxy, .proxy])
        }
    }

    /// - Parameters:
    ///   - fault: of the provider; nil for none.
    ///   - isSecure: whether the provider speaks TLS.
    private func withProxy(
        _ fault: JSON?, isSecure: Bool = false, silence: Duration = .seconds(300), allowsWrites: Bool = true,
        _ body: (BankSession, Failures, CurlTransport) async throws -> Void
    ) async throws {
        let provider = try await server(try TestFiles().library.load("till").bank, isSecure: isSecure)
        let session = try #require(provider.registry.defaultSessions.first)
        if let fault { _ = try session.set(try #require(Rule(Node(["fault": fault]), Complaints()))) }
        let address = try #require(ProviderAddress(provider.tlsAddress ?? provider.address))
        var limits = ProviderClient.Limits()
        limits.silence = silence
        let failures = Failures()
        let proxy = try await server(.ofProvider(address), isSecure: false)
        let front = try #require(proxy.registry.defaultSessions.first)
        front.setUpstream(
            ProviderUpstream(
                try ProviderClient(address, limits: limits), allowsWrites: allowsWrites,
                role: { $0.method == "POST" && $0.path.hasSuffix("/sign-in") ? .login : nil },
                failed: { failure in failures.all.withLock { $0.append(failure) } }), keepsMessages: true)
        let client = CurlTransport(limits: TransportLimits(connect: .seconds(300), total: .seconds(300), redirects: 0))
        do {
            try await body(front, failures, client)
        } catch {
            for server in [proxy, provider] { await server.shutdown(grace: .zero) }
            throw error
        }
        for server in [proxy, provider] { await server.shutdown(grace: .zero) }
    }

    private func server(_ bank: Bank, isSecure: Bool) async throws -> StubServer {
        var configuration = ServerConfiguration(seed: 7)
        configuration.servesOneSession = true
        if isSecure {
            let authority = try CertificateAuthority.make(named: "test", hosts: ["127.0.0.1"], at: configuration.clock.now())
            configuration.tls = TLSSettings(authority: authority, port: 0)
        }
        return try await StubServer(
            [BankSource(bank: bank, files: []) { throw CancellationError() }], configuration, logger: Logger(label: "provider"))
    }
}

/// Why a provider did not respond.
private final class Failures: Sendable {
    let all = Locked<[ProviderFailure]>([])
}
