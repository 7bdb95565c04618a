import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// The protocols with and without TLS.
@Suite struct TLSTests {
    @Test(arguments: [
        (["--http1.1"], "1.1", WireProtocol.h1s, "TLSv1.3"), (["--http2"], "2", .h2, "TLSv1.3"),
        (["--http2", "--tls-max", "1.2"], "2", .h2, "TLSv1.2"), (["--http1.1", "--tls-max", "1.2"], "1.1", .h1s, "TLSv1.2"),
    ])
    func `a client chooses by ALPN and version`(arguments: [String], version: String, line: WireProtocol, tls: String) async throws {
        try await withSecureStub { stub, ca in
            let address = try #require(stub.server.tlsAddress)

            let curl = try await Curl(["--cacert", ca] + arguments, url: address + "/v1/clock")

            #expect(curl.exit == 0)
            #expect(curl.written == ["200", version])
            let entry = try #require(try await stub.till.ended(1).first)
            #expect(entry.wireProtocol == line)
            #expect(entry.tls == tls)
            #expect(entry.receipt.end == .kept)
            #expect(entry.receipt.bodyBytes == curl.body.count)
            #expect(entry.host.map { address.hasSuffix($0) } == true)
        }
    }

    @Test func `HTTP/2 is spoken in clear text by prior knowledge`() async throws {
        try await withStub { stub in
            let curl = try await Curl(["--http2-prior-knowledge"], url: stub.server.address + "/v1/clock")

            #expect(curl.exit == 0)
            #expect(curl.written == ["200", "2"])
            #expect(try await stub.till.ended(1).map(\.wireProtocol) == [.h2])
            #expect(try await stub.till.ended(1).first?.tls == nil)
        }
    }

    @Test func `a browser may ask over HTTP/2`() async throws {
        try await withStub(configure: { $0.corsOrigin = "http://localhost:3000" }) { stub in
            let asking = ["-X", "OPTIONS", "-H", "Access-Control-Request-Method: GET", "-H", "Origin: http://localhost:3000", "-i"]
            let curl = try await Curl(["--http2-prior-knowledge"] + asking, url: stub.server.address + "/v1/clock")

            #expect(curl.exit == 0)
            #expect(curl.written.first == "204")
            let text = String(decoding: curl.body, as: UTF8.self)
            #expect(text.contains("access-control-allow-origin: http://localhost:3000"))
            #expect(text.contains("access-control-allow-methods"))
            #expect(try stub.till.journal().entries.isEmpty)
        }
    }

    private static let right: [CertificateKind] = [.renewed, .backupKey, .newIntermediate, .addressOnly, .mustStaple, .expiring]

    @Test(arguments: right) func `a right certificate is really right`(kind: CertificateKind) async throws {
        try await withSecureStub { stub, ca in
            _ = try stub.till.set(rule(#"{"fault": {"certificate": {"is": "\#(kind.rawValue)"}}}"#))

            let curl = try await Curl(["--cacert", ca], url: try #require(stub.server.tlsAddress) + "/v1/clock")

            #expect(curl.exit == 0)
            let entries = try await stub.till.ended(2)
            #expect(entries.map(\.receipt.end) == [.kept, .kept])
            #expect(entries.map(\.method) == [nil, "GET"])
        }
    }

    @Test(arguments: CertificateKind.allCases.filter { !right.contains($0) })
    func `a wrong certificate is really wrong`(kind: CertificateKind) async throws {
        try await withSecureStub { stub, ca in
            _ = try stub.till.set(rule(#"{"fault": {"certificate": {"is": "\#(kind.rawValue)"}}}"#))
            let address = try #require(stub.server.tlsAddress)

            let curl = try await Curl(["--cacert", ca], url: address + "/v1/clock")
            let careless = try await Curl(["--insecure"], url: address + "/v1/clock")

            #expect(curl.exit == 60)
            #expect(curl.written.first == "000")
            #expect(careless.exit == 0)
            let entries = try await stub.till.ended(3)
            // curl checks the certificate's name only after the handshake.
            let isOfName = [.wrongHost, .addressInCommonName].contains(kind)
            #expect(entries.map(\.receipt.end) == [isOfName ? .kept : .tlsAlert, .kept, .kept])
            #expect(entries.map(\.method) == [nil, nil, "GET"])
            #expect(entries.first?.fault?.kind == "certificate")
        }
    }

    @Test func `a handshake can be cut`() async throws {
        try await withSecureStub { stub, ca in
            _ = try stub.till.set(rule(#"{"fault": "tls-abort"}"#))

            let curl = try await Curl(["--cacert", ca], url: try #require(stub.server.tlsAddress) + "/v1/clock")

            #expect(curl.exit == 35)
            #expect(try await stub.till.ended(1).map(\.receipt.end) == [.fin])
        }
    }

    @Test(arguments: [(["--http1.1"], "1.1", WireProtocol.h1), (["--http2-prior-knowledge"], "2", .h2)])
    func `a server with TLS accepts clear text if configured`(arguments: [String], version: String, line: WireProtocol) async throws {
        try await withSecureStub { stub, ca in
            let session = try await stub.server.openSession(bank: "till", listener: .tls(protocols: [.h1s], acceptsClearText: true))
            _ = try session.set(rule(#"{"fault": {"redirect": {"to": "downgrade"}}, "times": 1}"#))

            let secure = try await Curl(["--cacert", ca], url: session.baseURL + "/v1/clock", saying: ["http_code", "redirect_url"])
            let clear = try await Curl(arguments, url: try #require(secure.written.last))

            #expect(secure.exit == 0)
            #expect(secure.written.first == "302")
            #expect(clear.exit == 0)
            #expect(clear.written == ["200", version])
            let entries = await session.ended(2)
            #expect(entries.map(\.wireProtocol) == [.h1s, line])
            #expect(entries.map { $0.tls == nil } == [false, true])
            #expect(entries.map(\.connection) == [1, 2])
        }
    }

    @Test func `a session of TLS rejects clear text otherwise`() async throws {
        try await withSecureStub { stub, _ in
            let session = try await stub.server.openSession(bank: "till", listener: .tls(protocols: [.h1s]))

            let clear = try await Curl([], url: session.baseURL.replacing("https", with: "http") + "/v1/clock")

            #expect(clear.exit != 0)
            #expect(clear.written.first == "000")
            #expect(session.journal().entries.isEmpty)
        }
    }

    @Test func `rules of the handshake leave clear text alone`() async throws {
        try await withSecureStub { stub, ca in
            let session = try await stub.server.openSession(bank: "till", listener: .tls(acceptsClearText: true))
            let address = session.baseURL + "/v1/clock"
            _ = try session.set(rule(#"{"fault": {"delay": {"at_point": "tls", "fixed": "20ms"}}, "times": 1}"#))
            _ = try session.set(rule(#"{"fault": "tls-abort"}"#))

            let clear = try await Curl([], url: address.replacing("https", with: "http"))
            let late = try await Curl(["--cacert", ca], url: address)
            let cut = try await Curl(["--cacert", ca], url: address)

            #expect([clear.exit, late.exit, cut.exit] == [0, 0, 35])
            let entries = await session.ended(4)
            #expect(entries.map(\.method) == ["GET", nil, "GET", nil])
            #expect(entries.map { $0.fault?.kind } == [nil, "delay", nil, "tls-abort"])
            #expect(entries.map(\.connection) == [1, 2, 2, 3])
        }
    }

    @Test func `a connection that ends before its first byte is closed`() async throws {
        try await withSecureStub { stub, _ in
            let session = try await stub.server.openSession(bank: "till", listener: .tls(acceptsClearText: true))
            let client = try RawClient(port: try #require(session.port))

            client.shutdownWriting()

            #expect(await client.end().end == .fin)
        }
    }

    @Test func `without TLS its faults are rejected`() async throws {
        try await withStub { stub in
            #expect(throws: RuleError.self) { try stub.till.set(rule(#"{"fault": "tls-abort"}"#)) }
        }
    }
}
