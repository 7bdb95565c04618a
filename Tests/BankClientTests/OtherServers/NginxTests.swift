import BankClient
import BankModel
import Testing

/// Plain success, TLS and HTTP/2 by Debian's nginx, whose log contains the requests and their protocol.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: Peer.hasTLS && Peer.nginx != nil, "nginx (Debian: nginx-light), python3 or openssl is not on this machine"))
struct NginxTests {
    @Test(arguments: [("/accounts", 200), ("/none", 204), ("/gone", 503)])
    func `plain HTTP/1.1: every answer comes whole`(_ path: String, _ status: Int) async throws {
        try await withNginx { nginx, transport in
            let response = try await transport.send(get(nginx.url + path))
            let log = try await nginx.line()

            #expect(response.status == status)
            #expect(status != 200 || response.body == Array(#"{"path":"/accounts"}"#.utf8))
            #expect(log == "HTTP/1.1 GET \(path) Bearer secret")
        }
    }

    @Test(arguments: [("/accounts", 200), ("/none", 204), ("/gone", 503)])
    func `over TLS HTTP/2 is agreed by ALPN`(_ path: String, _ status: Int) async throws {
        try await withNginx { nginx, transport in
            let response = try await transport.send(get(nginx.tlsURL + path))
            let log = try await nginx.line()

            #expect(response.status == status)
            #expect(status != 200 || response.body == Array(#"{"path":"/accounts"}"#.utf8))
            #expect(log == "HTTP/2.0 GET \(path) Bearer secret")
        }
    }

    private func get(_ url: String) -> HTTPRequest { HTTPRequest("GET", url, headers: ["Authorization": "Bearer secret"]) }

    private func withNginx(body: (Peer, CurlTransport) async throws -> Void) async throws {
        try await withFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let certificate = try await authority.certificate(for: "IP:127.0.0.1")
            try await Peer.script("nginx.py", [Peer.nginx ?? "", folder, certificate.file, certificate.key]) { nginx in
                try await body(nginx, CurlTransport(limits: .patient, caFile: authority.file))
            }
        }
    }
}
