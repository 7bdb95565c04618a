import BankModel
import Testing

@testable import BankClient

/// Addresses are read once and kept: what goes over the wire must be what was asked for nonetheless.
@Suite(.timeLimit(.minutes(1)))
struct AddressTests {
    @Test("addresses that Swift calls equal and whose bytes differ stay two")
    func bytes() async throws {
        let paths = ["/caf\u{E9}", "/cafe\u{301}", "/caf\u{E9}"]
        try await SocketServer.serving(.whole(200, "{}")) { server in
            let transport = transport()
            for path in paths { _ = try await transport.send(HTTPRequest("GET", server.url + path)) }

            #expect(server.requests.map { Array($0.utf8.prefix(12)) } == paths.map { Array("GET \($0) HTTP/1.1".utf8.prefix(12)) })
        }
    }

    @Test("many more than are kept are all asked for, by turns, and again")
    func many() async throws {
        let paths = (0..<100).map { "/\($0)" }
        try await SocketServer.serving(.whole(200, "{}")) { server in
            let transport = transport()
            for path in paths + paths { _ = try await transport.send(HTTPRequest("GET", server.url + path)) }

            #expect(server.requests.map { String($0.prefix { $0 != "\r" }) } == (paths + paths).map { "GET \($0) HTTP/1.1" })
        }
    }

    @Test("an address that is none stays none", arguments: ["http://", "http://a b/", "http://[::1/"])
    func none(_ url: String) async {
        let transport = transport()
        for _ in 0..<2 {
            let failure = await sendingFailure(HTTPRequest("GET", url), by: transport)
            #expect(failure?.error == .offline)
            #expect(failure?.detail.contains("expected an http or https address") == true)
        }
    }
}
