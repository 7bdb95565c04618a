import BankCore
import BankModel
import Testing

/// The second page of a sign-in, on which the customer chooses the accounts to share.
@Suite struct ChosenAccountsTests {
    /// Sends the form of the second page.
    private func share(_ page: BankResponse, _ accounts: [String], _ decision: String = "approve", _ app: inout App) throws -> BankResponse
    {
        let boxes = accounts.map { (name: "accounts", value: $0) }
        return app.post("/oauth/authorize", [("csrf_token", try App.formValue(page))] + boxes + [("decision", decision)])
    }

    /// The second page.
    private func chooses(_ app: inout App) throws -> BankResponse { try app.decide(app.open(), choosing: true) }

    @Test func `the consent covers the accounts that stay checked`() throws {
        var app = try App()
        let page = try chooses(&app)
        #expect(page.status == 200)
        for label in ["Everyday", "円口座"] { #expect(page.text.contains("checked> \(label)</label>")) }
        #expect(!page.text.contains("password"), "the customer has signed in")

        let response = try share(page, ["ava-eur", "ava-jpy", "ben-gbp"], "approve", &app)

        let code = try #require(response.redirected["code"])
        #expect(app.state.consents.map(\.accounts) == [["ava-eur", "ava-jpy"]], "no account of another customer")
        let access = try #require(app.token(App.exchange(code)).json["access_token"]?.string)
        let header = [JournalEntry.Header("Authorization", "Bearer \(access)")]
        let accounts = app.get("/v1/accounts", header).json["accounts"]?.array ?? []
        #expect(accounts.compactMap { $0["id"]?.string } == ["ava-eur", "ava-jpy"])
        #expect(app.get("/v1/accounts/ava-gbp", header).name == .notFound)
    }

    @Test(arguments: [[], ["ben-gbp"], ["none"]])
    func `without an account of the customer the page is shown again`(accounts: [String]) throws {
        var app = try App()
        let page = try share(chooses(&app), accounts, "approve", &app)
        #expect(page.status == 400)
        #expect(page.text.contains("Choose at least one account."))
        #expect(app.state.consents.isEmpty)
        #expect(try share(page, ["ava-gbp"], "approve", &app).redirected["code"] != nil)
    }

    @Test(arguments: ["deny", "cancel"])
    func `access can be denied on the second page`(button: String) throws {
        var app = try App()
        let response = try share(chooses(&app), ["ava-gbp"], button, &app)
        #expect(response.redirected["error"] == "access_denied")
        #expect(app.state.consents.isEmpty)
    }

    @Test func `the first page's form is no longer valid, and a wrong password leads to no accounts`() throws {
        var app = try App()
        let first = app.open()
        #expect(try !app.decide(first, password: "wrong", choosing: true).text.contains("name=\"accounts\""))
        _ = try app.decide(first, choosing: true)
        #expect(try app.decide(first, choosing: true).text.contains("This sign-in has ended."))
    }

    @Test func `the page of a named consent lists the accounts that it asks for`() throws {
        var app = try App(of: "berlin")
        let wanted =
            #"{"access": {"accounts": [{"iban": "DE02300209000106531065"}]}, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4}"#
        let asked = app.send("POST", "/v1/consents", [JournalEntry.Header("TPP-Redirect-URI", "https://web.example/callback")], wanted)
        let address = try #require(asked.json.at("_links.scaRedirect.href")?.string)
        let page = try app.decide(app.get(String(address.dropFirst("http://bank".count))), choosing: true, at: "/authorize")
        #expect(page.text.contains("checked> DE02300209000106531065</label>"))
        #expect(!page.text.contains("DE02100100109307118603"))
    }

    @Test func `a bank without accounts in its consents has no list for them`() throws {
        var app = try App(changing: [("    covers: accounts\n    label: name\n    accounts: accounts\n", "")])
        #expect(!app.open().text.contains("name=\"choose\""))
        #expect(try app.decide(app.open(), choosing: true).redirected["code"] != nil)
    }

    @Test func `a payment that is confirmed later has the token and the accounts of its request`() throws {
        let reply = "reply: {payment: {inserted: payments}, scope: {token: scope}, accounts: {rows: accounts}}"
        var payer = try Payer(changing: [("reply: {inserted: payments}", reply)])
        let page = try payer.app.decide(payer.app.open(App.asked.with("scope", "accounts payments")), choosing: true)
        let shared = try share(page, ["ava-gbp"], "approve", &payer.app)
        let code = try #require(shared.redirected["code"])
        payer.token = try #require(payer.app.token(App.exchange(code)).json["access_token"]?.string)

        #expect(payer.pay().status == 403)
        #expect(payer.answer("0000").json["state"]?.string == "approved")
        let paid = payer.pay()

        #expect(paid.replayed)
        #expect(paid.json["scope"]?.string == "accounts payments")
        #expect(paid.json["accounts"]?.array?.map { $0["id"]?.string } == ["ava-gbp"])
    }
}
