import BankClient
import BankModel
import Foundation
import Testing

/// Pins of public keys, with openssl's keys, before Python's TLS.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Peer.hasTLS, "python3 or openssl is not on this machine"))
struct PinTests {
    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    private static let other = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    /// The pins of a client, given that of the server's key.
    enum Pins: CaseIterable {
        case none, right, inReserve, wrong

        func list(_ pin: String) -> [String] {
            switch self {
            case .none: []
            case .right: [pin]
            case .inReserve: [PinTests.other, pin]
            case .wrong: [PinTests.other]
            }
        }
    }

    @Test(arguments: Pins.allCases)
    func `a key that is not among the pins ends as tls, and nothing is sent`(_ pins: Pins) async throws {
        try await withFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let certificate = try await authority.certificate(for: "IP:127.0.0.1")
            let list = pins.list(try await pin(of: certificate, in: folder))
            let transport = CurlTransport(limits: .patient, caFile: authority.file, pins: list)

            try await Peer.script("tlspeer.py", [certificate.file, certificate.key, PinTests.whole]) { peer in
                let request = HTTPRequest("POST", peer.tlsURL, headers: ["Authorization": "Bearer secret"], body: [1, 2])
                let failure = await sendingFailure(request, by: transport)
                let record = try await peer.line()

                if pins == .wrong {
                    #expect(failure?.error == .tls, "\(String(describing: failure))")
                    #expect(failure?.mayHaveLeft == false)
                    #expect(record == "stood 0" || record == "failed 0")
                } else {
                    #expect(failure == nil)
                }
            }
        }
    }

    @Test func `a pinned key in a certificate that has ended is rejected`() async throws {
        try await withFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let certificate = try await authority.certificate(for: "IP:127.0.0.1", days: -1)
            let transport = CurlTransport(
                limits: .patient, caFile: authority.file, pins: [try await pin(of: certificate, in: folder)])

            try await Peer.script("tlspeer.py", [certificate.file, certificate.key, PinTests.whole]) { peer in
                let failure = await sendingFailure(HTTPRequest("GET", peer.tlsURL), by: transport)
                let record = try await peer.line()

                #expect(failure?.error == .tls, "\(String(describing: failure))")
                #expect(record == "failed 0")
            }
        }
    }

    /// The SHA-256 of the public key with its algorithm, in base 64 (RFC 7469 §2.4), as openssl computes it.
    private func pin(of certificate: TestAuthority.Certificate, in folder: String) async throws -> String {
        let (key, hash) = (folder + "/key.der", folder + "/key.hash")
        try await Peer.run(Peer.openssl, ["pkey", "-in", certificate.key, "-pubout", "-outform", "DER", "-out", key])
        try await Peer.run(Peer.openssl, ["dgst", "-sha256", "-binary", "-out", hash, key])
        return try Data(contentsOf: URL(fileURLWithPath: hash)).base64EncodedString()
    }
}
