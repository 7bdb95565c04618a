import BankEngine
import StubServer
import Testing

/// Public addresses as texts: what they may be, and what follows from them.
@Suite struct PublicURLTests {
    private let node = ServerNode("n2")

    @Test(arguments: [
        "mock.example", "ftp://mock.example", "https://", "https:///path", "https://user@mock.example", "https://Mock.example",
        "https://mock.example/?a", "https://mock.example/#a", "https://mock.example/{bank}", "https://mock.example/{node",
        "https://mock example",
        "https://{session}.{session}.example", "https://mock.example/\u{1b}[2J", "https://:80", "https://mock.example:99999",
        "https://mock.example:x", "https://mock.example:0",
        "https://mock..example", "https://[zz]", "https://s-{session}.mock.example", "https://a.{session}.example",
    ])
    func `what is no address of a host is rejected with what was found`(_ text: String) {
        let error = #expect(throws: PublicURLError.self) { try PublicURL(text) }

        #expect(error?.description.hasPrefix("found \(text), expected ") == true)
    }

    @Test func `placeholders are filled, and a slash at the end is left out`() throws {
        let url = try PublicURL("https://{session}.mock.example:8443/{node}/")

        #expect(url.text(node, session: "n2-a") == "https://n2-a.mock.example:8443/n2")
        #expect(url.host(node, session: "n2-a") == "n2-a.mock.example")
        #expect(url.names(.session))
    }

    @Test func `a placeholder that means nothing there is rejected`() {
        #expect(throws: PublicURLError.self) { try PublicURL("https://mock.example/{session}", [.node]) }
        #expect(throws: Never.self) { try PublicURL("https://mock.example/{node}", [.node]) }
    }

    @Test(arguments: [
        ("https://mock.example/x", ["127.0.0.1", "mock.example"], ["127.0.0.1", "mock.example"]),
        ("https://{session}.mock.example", ["127.0.0.1", "*.mock.example"], ["127.0.0.1", "mock.example"]),
        ("https://{node}.mock.example", ["127.0.0.1", "n2.mock.example"], ["127.0.0.1", "mock.example"]),
        ("https://{node}.localhost:8443", ["127.0.0.1", "n2.localhost"], ["127.0.0.1", "localhost"]),
        ("https://{node}.example", ["127.0.0.1", "n2.example"], ["127.0.0.1", "n2.example"]),
    ])
    func `certificates name the public host`(_ text: String, _ certified: [String], _ authority: [String]) throws {
        var configuration = ServerConfiguration(seed: 7)
        configuration.node = node
        configuration.publicURL = try PublicURL(text)

        #expect(configuration.certifiedHosts == certified)
        #expect(configuration.authorityHosts == authority)
    }
}
