import BankCore
import BankModel
import Testing
import TestBanks

@Suite struct ReadTests {
    @Test func `a customer sees own rows only`() throws {
        var till = try Till()
        let (ann, bob) = (try till.token("ann"), try till.token("bob"))

        let anns = till.send("GET", "/v1/accounts", token: ann).json
        let bobs = till.send("GET", "/v1/accounts", token: bob).json

        #expect(anns["accounts"]?.array?.compactMap { $0["id"]?.string } == ["a1", "a2"])
        #expect(bobs["accounts"]?.array?.compactMap { $0["id"]?.string } == ["b1"])
    }

    @Test func `another customer's row is not found`() throws {
        var till = try Till()
        let ann = try till.token("ann")

        #expect(till.send("GET", "/v1/accounts/b1", token: ann).status == 404)
        #expect(till.send("GET", "/v1/accounts/b1/entries", token: ann).status == 404)
        #expect(till.send("GET", "/v1/accounts/a1", token: ann).status == 200)
    }

    @Test func `rows come newest first and rows of one date keep the fixture's order`() throws {
        var till = try Till()
        let ann = try till.token()

        let page = till.send("GET", "/v1/accounts/a1/entries?limit=5", token: ann).json

        #expect(page["entries"]?.array?.compactMap { $0["id"]?.string } == ["e6", "e4", "e2", "e3", "e1"])
    }

    @Test func `pages follow each other without gap or overlap`() throws {
        var till = try Till()
        let ann = try till.token()
        var seen: [String] = []
        var next: String?

        repeat {
            let page = till.send("GET", "/v1/accounts/a1/entries?limit=2" + (next.map { "&cursor=\($0)" } ?? ""), token: ann).json
            seen += page["entries"]?.array?.compactMap { $0["id"]?.string } ?? []
            next = page["next"]?.string
        } while next != nil && seen.count < 20

        #expect(seen == ["e6", "e4", "e2", "e3", "e1"])
    }

    @Test(arguments: [
        "nonsense", "cur_", "cur_zz", "cur_302f7a", "cur_é", "cur_2d312f6534", "cur_2d393232333337323033363835343737353830382f6534",
        "cur__9223372036854775807",
    ])
    func `a cursor that names no row has expired`(_ cursor: String) throws {
        var till = try Till()
        let ann = try till.token()

        let response = till.send("GET", "/v1/accounts/a1/entries?cursor=\(cursor)", token: ann)

        #expect(response.error == "cursor-expired")
    }

    @Test func `a page is never longer than the largest`() throws {
        var till = try Till()
        let ann = try till.token()

        #expect(till.send("GET", "/v1/accounts/a1/entries?limit=99", token: ann).json["entries"]?.array?.count == 5)
        #expect(till.send("GET", "/v1/accounts/a1/entries?limit=0", token: ann).error == "bad-request")
        #expect(till.send("GET", "/v1/accounts/a1/entries?limit=x", token: ann).error == "bad-request")
    }

    @Test(arguments: [
        ("limit=%ff", "limit"), ("limit=2&cursor=%zz", "cursor"), ("from=%4", "from"), ("unknown=%C3%28", "unknown"), ("%zz=1", "%zz"),
    ])
    func `a query with a broken escape is a bad request that names the field`(_ query: String, _ name: String) throws {
        var till = try Till()
        let ann = try till.token()

        let response = till.send("GET", "/v1/accounts/a1/entries?\(query)", token: ann)

        #expect(response.status == 400)
        #expect(response.error == "bad-request")
        #expect(response.json["detail"]?.string == "found a broken escape in the query's \(name), expected percent-encoded UTF-8")
        #expect(till.send("GET", "/v1/accounts/a1/entries?\(query)").error == "no-credentials")
        #expect(till.send("GET", "/v1/clock?\(query)").error == "bad-request")
    }

    @Test func `a bank may have its own names, and select by the query as sent`() throws {
        var till = try Till(
            TestFiles().replacing("till/bank.yaml", "limit: limit", with: "limit: Page-Size").replacing(
                "till/bank.yaml", "clock: {request: GET /clock", with: "clock: {when: {raw_query: \"a=%zz\"}, request: GET /clock"))
        let ann = try till.token()

        let response = till.send("GET", "/v1/accounts/a1/entries?Page-Size=%ff", token: ann)

        #expect(response.text.contains("the query's Page-Size"))
        #expect(till.send("GET", "/v1/clock?a=%zz").status == 200)
    }

    @Test func `a form with a broken escape is a bad request that names the field`() throws {
        var till = try Till(
            TestFiles().replacing(
                "till/bank.yaml", "  clock: {request: GET /clock",
                with: "  note: {request: POST /notes, takes: {form: []}, reply: {note: {form: text}}}\n  clock: {request: GET /clock"))
        let ann = try till.token()

        let response = till.send("POST", "/v1/notes", token: ann, body: "text=%zz")

        #expect(response.status == 400)
        #expect(response.text.contains("the body's `text`"))
        #expect(till.send("POST", "/v1/notes", token: ann, body: "text=%41").json["note"]?.string == "A")
    }

    @Test func `both ends of a range are included`() throws {
        var till = try Till()
        let ann = try till.token()
        let day = (till.now + .seconds(-2 * 86_400)).date

        let page = till.send("GET", "/v1/accounts/a1/entries?from=\(day)T09:15:00Z&to=\(day)T09:15:00.000Z", token: ann).json

        #expect(page["entries"]?.array?.compactMap { $0["id"]?.string } == ["e2", "e3"])
    }

    @Test func `an end that is not an instant is a bad request with the reason`() throws {
        var till = try Till()
        let ann = try till.token()

        let response = till.send("GET", "/v1/accounts/a1/entries?from=yesterday", token: ann)

        #expect(response.error == "bad-request")
        #expect(response.text.contains("found the query's from \\\"yesterday\\\""))
    }

    @Test func `numbers keep their digits and private fields stay behind`() throws {
        var till = try Till()
        let ann = try till.token()

        let text = till.send("GET", "/v1/accounts/a1/entries?limit=5", token: ann).text

        #expect(text.contains("\"amount\":12.00"))
        #expect(text.contains("\"amount\":1e2"))
        #expect(text.contains("\"amount\":-3.50"))
        #expect(!text.contains("_account"))
    }

    @Test func `relative dates follow the session's start and are never later`() throws {
        var till = try Till()
        let ann = try till.token()

        let page = till.send("GET", "/v1/accounts/a1/entries?limit=5", token: ann).json["entries"]?.array

        #expect(page?.first?["at"]?.string == "\(till.now.date)T00:00:00Z")
        #expect(RelativeDate("@0d23:59")?.instant(start: till.now) == till.now)
    }

    @Test func `a whole file goes out byte for byte`() throws {
        var till = try Till()

        let response = till.send("GET", "/v1/document.json")

        #expect(response.text == TestFiles.till["till/document.json"])
        #expect(response.header("Cache-Control") == "max-age=60")
    }

    @Test func `addresses are the session's own`() throws {
        var till = try Till()

        let response = till.send("GET", "/v1/elsewhere")

        #expect(response.status == 302)
        #expect(response.header("Location") == "http://bank/v1/document.json")
    }
}
