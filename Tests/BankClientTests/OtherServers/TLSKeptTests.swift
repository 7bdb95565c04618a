import BankClient
import BankModel
import Testing

/// Kept connections under TLS, by Python's own TLS: libcurl 7.88.1 takes whatever is left on one for the next answer.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Peer.hasTLS, "python3 or openssl is not on this machine"))
struct TLSKeptTests {
    @Test
    func `bytes behind an answer over TLS are never the answer to the next request, and an orderly connection is kept`() async throws {
        try await withFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let certificate = try await authority.certificate(for: "IP:127.0.0.1")
            try await Peer.script("tlskept.py", [certificate.file, certificate.key]) { peer in
                let transport = CurlTransport(limits: .patient, caFile: authority.file)
                var seen: [String] = []
                // The peer has written what is left over before it prints its line.
                for path in ["/a", "/twice", "/b", "/c", "/twice", "/twice", "/d"] {
                    let response = try await transport.send(HTTPRequest("GET", peer.tlsURL + path))
                    #expect(String(decoding: response.body, as: UTF8.self) == path)
                    #expect(response.status == 200)
                    seen.append(try await peer.line())
                }

                #expect(seen == ["1 /a", "1 /twice", "2 /b", "2 /c", "2 /twice", "3 /twice", "4 /d"])
            }
        }
    }

    @Test func `a payment that finds bytes on its connection is sent once, on another`() async throws {
        try await withFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let certificate = try await authority.certificate(for: "IP:127.0.0.1")
            try await Peer.script("tlskept.py", [certificate.file, certificate.key]) { peer in
                let transport = CurlTransport(limits: .patient, caFile: authority.file)
                _ = try await transport.send(HTTPRequest("GET", peer.tlsURL + "/twice"))
                let first = try await peer.line()

                let response = try await transport.send(HTTPRequest("POST", peer.tlsURL + "/pay", body: []))

                #expect(String(decoding: response.body, as: UTF8.self) == "/pay")
                #expect([first, try await peer.line()] == ["1 /twice", "2 /pay"])
            }
        }
    }
}
