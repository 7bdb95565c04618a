import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// The facts about the page in a response, where a request names the page, and filters that apply only if they are given.
@Suite struct PageFactTests {
    private static let page = "page: {style: cursor, cursor: cursor, limit: limit, size: 3, largest: 5}"

    private func caller(_ files: TestFiles) throws -> Caller { try Caller(files.library.load("till").bank, login: "ann") }

    private func till(page: String = PageFactTests.page, next: String) -> TestFiles {
        TestFiles().replacing("till/bank.yaml", PageFactTests.page, with: page).replacing(
            "till/bank.yaml", "next: {page: next}", with: next)
    }

    @Test func `the next page's address keeps the other parts of the query`() throws {
        var caller = try caller(till(next: "links: {next: {page: address}}"))
        let first = try caller.get("/v1/accounts/a1/entries?limit=2&from=2000-01-01")
        let address = try #require(first.at("links.next")?.string)

        #expect(address.hasPrefix("http://bank/v1/accounts/a1/entries?limit=2&from=2000-01-01&cursor=cur_"))
        let second = try caller.get(String(address.dropFirst("http://bank".count)))
        #expect(second["entries"]?.array?.count == 2)
        let last = try caller.get(String(try #require(second.at("links.next")?.string).dropFirst("http://bank".count)))
        #expect(last.at("links.next") == nil)
        #expect(last["links"] == [:])
    }

    @Test func `totals, pages and whether there is more come before and after the rows`() throws {
        let files = TestFiles().replacing(
            "till/bank.yaml", "entries:\n        rows: entries",
            with: "meta: {total: {page: total}, pages: {page: pages}, page: {page: number}}\n      entries:\n        rows: entries")
        var caller = try caller(
            files.replacing("till/bank.yaml", PageFactTests.page, with: "page: {style: page-number, cursor: page, size: 2}")
                .replacing("till/bank.yaml", "next: {page: next}", with: "more: {page: more}"))

        let second = try caller.get("/v1/accounts/a1/entries?page=2")
        #expect(second["meta"] == ["total": 5, "pages": 3, "page": 2])
        #expect(second["more"] == true)
        #expect(try caller.get("/v1/accounts/a1/entries?page=3")["more"] == false)
        #expect(second.object?.keys == ["meta", "entries", "more"])
    }

    @Test func `the last page has the default`() throws {
        var caller = try caller(till(next: "next: {page: next, default: null}"))

        #expect(try caller.get("/v1/accounts/a1/entries?limit=5")["next"] == .null)
        #expect(try caller.get("/v1/accounts/a1/entries?limit=2")["next"]?.string?.hasPrefix("cur_") == true)
    }

    @Test func `an offset skips rows`() throws {
        var caller = try caller(till(page: "page: {style: offset, cursor: offset, limit: limit, size: 2}", next: "next: {page: next}"))
        func ids(_ response: JSON) -> [String] { response["entries"]?.array?.compactMap { $0["id"]?.string } ?? [] }
        let all = try caller.get("/v1/accounts/a1/entries?limit=100")
        let second = try caller.get("/v1/accounts/a1/entries?offset=1")

        #expect(ids(second) == Array(ids(all)[1...2]))
        #expect(second["next"] == "3")
        #expect(caller.send("GET", "/v1/accounts/a1/entries?offset=-1").status == 400)
        #expect(ids(try caller.get("/v1/accounts/a1/entries?offset=9")) == [])
    }

    @Test func `cursor and size may be in the body`() throws {
        let files = till(
            page: "page: {style: cursor, in: body, cursor: page.cursor, limit: page.count, size: 3, largest: 5}",
            next: "next: {page: next, default: \"\"}"
        ).replacing(
            "till/bank.yaml", "request: GET /accounts/{id}/entries", with: "request: POST /accounts/{id}/entries\n    takes: {json: []}")
        var caller = try caller(files)
        func ask(_ body: String) -> JSON { caller.send("POST", "/v1/accounts/a1/entries", body: body).json }

        let first = ask(#"{"page": {"cursor": "", "count": 4}}"#)
        #expect(first["entries"]?.array?.count == 4)
        let last = ask(#"{"page": {"cursor": "\#(first["next"]?.string ?? "")"}}"#)
        #expect(last["entries"]?.array?.count == 1)
        #expect(last["next"] == "")
    }

    @Test func `a page in a body needs one, and no Link`() throws {
        let files = till(page: "page: {style: link-header, in: body, cursor: cursor}", next: "next: {page: next}")
        let error = #expect(throws: ComplaintsError.self) { try files.library.load("till") }

        #expect(error?.complaints.map(\.message).joined().contains("takes: {json: […]}") == true)
        #expect(error?.complaints.map(\.message).joined().contains("an address has no body") == true)
    }

    @Test func `a filter that is not given filters nothing`() throws {
        var caller = try caller(
            TestFiles().replacing(
                "till/bank.yaml", "between: {field: at", with: "given: {amount: {query: amount}}\n        between: {field: at"))

        #expect(try caller.get("/v1/accounts/a1/entries?limit=5")["entries"]?.array?.count == 5)
        #expect(try caller.get("/v1/accounts/a1/entries?limit=5&amount=")["entries"]?.array?.count == 5)
        #expect(try caller.get("/v1/accounts/a1/entries?amount=-3.50")["entries"]?.array?.compactMap { $0["id"] } == ["e2"])
        #expect(try caller.get("/v1/accounts/a1/entries?amount=7")["entries"] == [])
    }

    @Test func `rows without a key are numbered, and the number is not sent`() throws {
        let files = TestFiles().replacing(
            "till/bank.yaml", "payees: {file: payees.json, key: id}",
            with: "payees: {file: payees.json, key: id}\n  machines: {file: machines.json}"
        )
        .replacing(
            "till/bank.yaml", "clock: {request: GET /clock",
            with:
                "machines: {request: GET /machines, open: true, reply: {rows: machines, page: {style: cursor, cursor: cursor, size: 1}}}\n  clock: {request: GET /clock"
        )
        var with = files
        with.files["till/machines.json"] = #"[{"city": "Leeds"}, {"city": "Leeds"}]"#
        var caller = try caller(with)

        #expect(try caller.get("/v1/machines") == [["city": "Leeds"]])
        #expect(try with.library.load("till").bank.tables["machines"]?.rows.map { $0["_row"] } == ["1", "2"])
    }
}
