import BankModel
import Foundation
import Testing

@testable import BankClient

/// The bytes on the wire are those of the requested address.
@Suite(.timeLimit(.minutes(10)))
struct AddressTests {
    @Test func `addresses that Swift calls equal and whose bytes differ stay two`() async throws {
        let paths = [("/caf\u{E9}", "/caf%c3%a9"), ("/cafe\u{301}", "/cafe%cc%81"), ("/caf\u{E9}", "/caf%c3%a9")]
        try await SocketServer.serving(.whole(200, "{}")) { server in
            let transport = transport()
            for (path, _) in paths { _ = try await transport.send(HTTPRequest("GET", server.url + path)) }

            #expect(server.firstLines == paths.map { "GET \($0.1) HTTP/1.1" })
        }
    }

    @Test(arguments: ["http://", "http://a b/", "http://[::1/"])
    func `an address that is none stays none`(_ url: String) async {
        let transport = transport()
        for _ in 0..<2 {
            let failure = await sendingFailure(HTTPRequest("GET", url), by: transport)
            #expect(failure?.error == .offline)
            #expect(failure?.detail.contains("expected an http or https address") == true)
        }
    }
}

extension SocketServer {
    fileprivate var firstLines: [String] { requests.map { $0.components(separatedBy: "\r\n")[0] } }
}
