import BankModel
import Faults
import StubServer
import Testing

extension WireTests {
    /// What is spoken under TLS, and without it.
    @Suite struct TLSTests {
        @Test(arguments: [
            (["--http1.1"], "1.1", WireProtocol.h1s, "TLSv1.3"), (["--http2"], "2", .h2, "TLSv1.3"),
            (["--http2", "--tls-max", "1.2"], "2", .h2, "TLSv1.2"), (["--http1.1", "--tls-max", "1.2"], "1.1", .h1s, "TLSv1.2"),
        ])
        func aClientChoosesByALPNAndVersion(arguments: [String], version: String, line: WireProtocol, tls: String) async throws {
            try await withSecureStub { stub, ca in
                let address = try #require(stub.server.tlsAddress)

                let curl = try Curl(["--cacert", ca] + arguments, url: address + "/v1/clock")

                #expect(curl.exit == 0 && curl.said == ["200", version])
                let entry = try #require(try stub.till.ended(1).first)
                #expect(entry.wireProtocol == line && entry.tls == tls && entry.receipt.end == .kept)
                #expect(entry.receipt.bodyBytes == curl.body.count && entry.host.map { address.hasSuffix($0) } == true)
            }
        }

        @Test func http2IsSpokenInClearTextByPriorKnowledge() async throws {
            try await withStub { stub in
                let curl = try Curl(["--http2-prior-knowledge"], url: stub.server.address + "/v1/clock")

                #expect(curl.exit == 0 && curl.said == ["200", "2"])
                #expect(try stub.till.ended(1).map(\.wireProtocol) == [.h2])
                #expect(try stub.till.ended(1).first?.tls == nil)
            }
        }

        @Test func aBrowserMayAskOverHTTP2() async throws {
            try await withStub(configure: { $0.corsOrigin = "http://localhost:3000" }) { stub in
                let asking = ["-X", "OPTIONS", "-H", "Access-Control-Request-Method: GET", "-H", "Origin: http://localhost:3000", "-i"]
                let curl = try Curl(["--http2-prior-knowledge"] + asking, url: stub.server.address + "/v1/clock")

                #expect(curl.exit == 0 && curl.said.first == "204")
                let text = String(decoding: curl.body, as: UTF8.self)
                #expect(
                    text.contains("access-control-allow-origin: http://localhost:3000") && text.contains("access-control-allow-methods"))
                #expect(try stub.till.journal().entries.isEmpty)
            }
        }

        @Test(arguments: CertificateKind.allCases) func aWrongCertificateIsReallyWrong(kind: CertificateKind) async throws {
            try await withSecureStub { stub, ca in
                _ = try stub.till.set(rule(#"{"fault": {"certificate": {"is": "\#(kind.rawValue)"}}}"#))
                let address = try #require(stub.server.tlsAddress)

                let curl = try Curl(["--cacert", ca], url: address + "/v1/clock")
                let careless = try Curl(["--insecure"], url: address + "/v1/clock")

                #expect(curl.exit == 60 && curl.said.first == "000")
                #expect(careless.exit == 0)
                let entries = try stub.till.ended(3)
                // Whose the certificate is curl asks only after the handshake.
                #expect(entries.map(\.receipt.end) == [kind == .wrongHost ? .kept : .tlsAlert, .kept, .kept])
                #expect(entries.map(\.method) == [nil, nil, "GET"] && entries[0].fault?.kind == "certificate")
            }
        }

        @Test func aHandshakeCanBeCut() async throws {
            try await withSecureStub { stub, ca in
                _ = try stub.till.set(rule(#"{"fault": "tls-abort"}"#))

                let curl = try Curl(["--cacert", ca], url: try #require(stub.server.tlsAddress) + "/v1/clock")

                #expect(curl.exit == 35)
                #expect(try stub.till.ended(1).map(\.receipt.end) == [.fin])
            }
        }

        @Test func withoutTLSItsFaultsAreRefused() async throws {
            try await withStub { stub in
                #expect(throws: RuleError.self) { try stub.till.set(rule(#"{"fault": "tls-abort"}"#)) }
            }
        }
    }
}
