import BankClient
import BankModel
import Testing

/// Certificates and truncated answers over TLS, by Python's own TLS with openssl's certificates.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Peer.hasTLS, "python3 or openssl is not on this machine"))
struct TLSPeerTests {
    /// The possible faults of a certificate; `good` shows that nothing else is wrong.
    enum Fault: CaseIterable {
        case good, expired, wrongHost, selfSigned, unknownAuthority
    }

    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    @Test(arguments: Fault.allCases)
    func `a certificate that does not hold ends as tls, and the server reads no byte of the request`(_ fault: Fault) async throws {
        try await withFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let certificate =
                switch fault {
                case .good, .unknownAuthority: try await authority.certificate(for: "IP:127.0.0.1")
                case .expired: try await authority.certificate(for: "IP:127.0.0.1", days: -1)
                case .wrongHost: try await authority.certificate(for: "DNS:other.test")
                case .selfSigned: try await authority.selfSigned(for: "IP:127.0.0.1")
                }
            let transport = CurlTransport(limits: .patient, caFile: fault == .unknownAuthority ? nil : authority.file)

            try await Peer.script("tlspeer.py", [certificate.file, certificate.key, TLSPeerTests.whole]) { peer in
                let request = HTTPRequest("POST", peer.tlsURL, headers: ["Authorization": "Bearer secret"], body: [1, 2])
                let failure = await sendingFailure(request, by: transport)
                let record = try await peer.line()

                if fault == .good {
                    #expect(failure == nil)
                    #expect(record.hasPrefix("stood "), "\(record)")
                    #expect(record != "stood 0", "\(record)")
                } else {
                    #expect(failure?.error == .tls, "\(String(describing: failure))")
                    #expect(failure?.mayHaveLeft == false)
                    // libcurl checks the host's name after the handshake: it is established, and still nothing is sent.
                    #expect(record == (fault == .wrongHost ? "stood 0" : "failed 0"))
                }
            }
        }
    }

    /// The connection ends with TLS's own close_notify, so libcurl sees nothing wrong.
    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nConte", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{}", "HTTP/1.1 200 OK\r\n\r\n{}",
            // HTTP/2, with which the stream's end would complete these, was not negotiated.
            "HTTP/2 200 \r\n\r\n{}", "HTTP/2 200 \r\ncontent-type: application/json\r\n\r\n{}",
            "HTTP/2.0 200 OK\r\n\r\n{}", "HTTP/2 200 \r\ncontent-length: 2\r\n\r\n{}",
        ])
    func `an answer that breaks off over TLS is never an answer`(_ answer: String) async throws {
        try await withPeer(answer) { failure in
            #expect(failure?.torn == true, "\(String(describing: failure))")
            #expect(failure?.mayHaveLeft == true)
        }
    }

    private func withPeer(_ answer: String, check: (TransportFailure?) -> Void) async throws {
        try await withFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let certificate = try await authority.certificate(for: "IP:127.0.0.1")
            try await Peer.script("tlspeer.py", [certificate.file, certificate.key, answer]) { peer in
                check(await sendingFailure(HTTPRequest("GET", peer.tlsURL), by: CurlTransport(limits: .patient, caFile: authority.file)))
            }
        }
    }
}

extension Peer {
    /// True if Python and openssl are installed.
    static var hasTLS: Bool { python != nil && openssl != nil }
}
