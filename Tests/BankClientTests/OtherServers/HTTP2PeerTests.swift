import BankClient
import BankModel
import Testing

/// HTTP/2 by a peer that writes its frames by hand, over Python's TLS.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Peer.hasTLS, "python3 or openssl is not on this machine"))
struct HTTP2PeerTests {
    @Test(arguments: ["whole", "unsized"])
    func `a stream that ends is an answer, with a content-length or without`(_ kind: String) async throws {
        try await withPeer(kind) { peer, transport in
            let response = try await transport.send(HTTPRequest("GET", peer.tlsURL))

            #expect(response.status == 200)
            #expect(response.body == Array("body".utf8))
        }
    }

    @Test(
        arguments: ["no-end", "no-end-unsized", "reset-stream", "short", "goaway", "goaway-taken"])
    func `a stream or connection that ends early is torn, never an answer`(_ kind: String) async throws {
        try await withPeer(kind) { peer, transport in
            let failure = await sendingFailure(HTTPRequest("POST", peer.tlsURL, body: [1]), by: transport)

            #expect(failure?.torn == true, "\(String(describing: failure))")
            #expect(failure.map { [.offline, .decode].contains($0.error) } == true)
            #expect(failure?.mayHaveLeft == true)
        }
    }

    private func withPeer(_ kind: String, body: (Peer, CurlTransport) async throws -> Void) async throws {
        try await withFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let certificate = try await authority.certificate(for: "IP:127.0.0.1")
            try await Peer.script("h2peer.py", [certificate.file, certificate.key, kind]) { peer in
                try await body(peer, CurlTransport(limits: .patient, caFile: authority.file))
            }
        }
    }
}
