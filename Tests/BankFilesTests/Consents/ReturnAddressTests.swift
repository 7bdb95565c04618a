import BankCore
import BankModel
import Testing

/// The addresses to which the page of `berlin` returns: registered ones, each with a query of the app's own.
@Suite struct ReturnAddressTests {
    private static let wanted =
        #"{"access": {"accounts": [], "balances": []}, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4}"#

    private func ask(_ app: inout App, returningTo address: String) -> BankResponse {
        app.send("POST", "/v1/consents", [JournalEntry.Header("TPP-Redirect-URI", address)], Self.wanted)
    }

    @Test(
        arguments: ["counterfoil-app:/callback", "https://web.example/callback", "http://127.0.0.1:5000/callback"],
        ["", "?state=s1", "?a=1&b=2"])
    func `the page returns to a registered address with the app's own query`(registered: String, query: String) throws {
        var app = try App(of: "berlin")
        let asked = ask(&app, returningTo: registered + query)
        let address = try #require(asked.json.at("_links.scaRedirect.href")?.string)
        let page = app.get(String(address.dropFirst("http://bank".count)))

        let decided = try app.decide(page, "approve", login: "ava", password: "correct-horse", at: "/authorize")

        #expect(decided.header("Location") == registered + query)
    }

    @Test(arguments: [
        "", "?state=s1", "https://web.example/callbacks?state=s1", "https://web.example/?state=s1",
        "https://other.example/callback?state=s1",
        "https://web.example/callback?state=s1#top", "https://web.example/callback#top?state=s1", "https://web.example/callback?state=s 1",
        "https://web.example/callback?state=ö",
    ])
    func `any other address is rejected`(address: String) throws {
        var app = try App(of: "berlin")
        #expect(ask(&app, returningTo: address).status == 400)
    }

    @Test func `the address of a page that returns a code is compared whole`() throws {
        var app = try App()
        let page = app.open(App.asked.with("redirect_uri", "counterfoil-app:/callback?state=s1"))
        #expect(page.text.contains("is not an address that the client has registered"))
    }
}
