import BankModel
import Testing

@Suite struct ProviderAddressTests {
    @Test(arguments: [
        ("https://Sandbox.Bank.example", "https://sandbox.bank.example", 443, ""),
        ("https://bank.example:443/", "https://bank.example", 443, ""),
        ("http://127.0.0.1:8080/api/v2/", "http://127.0.0.1:8080", 8080, "/api/v2"),
        ("https://[::1]:9/x", "https://[::1]:9", 9, "/x"), ("http://[::1]", "http://[::1]", 80, ""),
    ])
    func `an address is an origin and a path`(text: String, origin: String, port: Int, path: String) throws {
        let address = try #require(ProviderAddress(text))

        #expect(address.origin == origin)
        #expect(address.port == port)
        #expect(address.path == path)
    }

    @Test(arguments: [
        "bank.example", "ftp://bank.example", "https://", "https:///x", "https://ann:pin@bank.example", "https://bank.example?x=1",
        "https://bank.example#x", "https://bank.example:0", "https://bank.example:x", "https://[::1", "https://[::1]x", "https://a b",
        "http://bank.example/a\r\nX: y", "http://bank.example/\u{7F}",
    ])
    func `anything else is not an address`(text: String) { #expect(ProviderAddress(text) == nil) }

    @Test(arguments: [
        ("https://Bank.example:8443/x?y=http://a:1", "bank.example"), ("https://bank.example?next=https://a:1/", "bank.example"),
        ("https://bank.example#top:1", "bank.example"), ("bank.example:80", "bank.example"), ("[::1]:8080", "[::1]"), ("[::1]", "[::1]"),
        ("", ""),
    ])
    func `the host of an address ends before its port, path, query and fragment`(address: String, host: String) {
        #expect(hostName(address) == host)
    }

    @Test func `only an address of the same origin has a target there`() throws {
        let address = try #require(ProviderAddress("https://bank.example/api"))

        #expect(address.target(of: "https://BANK.example:443/api/x?y=https://other.example/") == "/api/x?y=https://other.example/")
        #expect(address.target(of: "https://bank.example") == "/")
        #expect(address.target(of: "https://bank.example?x=1") == "/?x=1")
        for other in [
            "http://bank.example/api", "https://bank.example.evil.example/", "https://bank.example:444/", "/api/x", "//bank.example/",
        ] {
            #expect(address.target(of: other) == nil, "\(other)")
        }
    }
}
