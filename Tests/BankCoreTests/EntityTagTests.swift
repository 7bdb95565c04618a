import BankCore
import BankModel
import TestBanks
import Testing

@Suite struct EntityTagTests {
    @Test func `equal bodies have equal tags`() {
        let tag = EntityTag(of: Array("one".utf8))

        #expect(tag == EntityTag(of: Array("one".utf8)))
        #expect(tag != EntityTag(of: Array("two".utf8)))
        #expect(tag.text.hasPrefix("\""))
        #expect(tag.text.hasSuffix("\""))
        #expect(tag.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }

    @Test(arguments: ["TAG", "*", " * ", "W/TAG", "\"other\", TAG", "\"a,b\" ,W/\"c\",\tTAG", ",, TAG, rubbish"])
    func `a condition with the tag means the body is known`(_ written: String) {
        let tag = EntityTag(of: Array("one".utf8))

        #expect(tag.isKnown(by: written.replacing("TAG", with: tag.text)))
    }

    @Test(arguments: ["", "*, TAG", "\"other\"", "BARE", "\"xBARE\"", "\"W/BARE\"", "rubbish, TAG", "\"unclosed", "\"a\" \"b\" BARE"])
    func `any other condition means it is not`(_ written: String) {
        let tag = EntityTag(of: Array("one".utf8))
        let bare = tag.text.trimmingPrefix("\"").dropLast()

        #expect(!tag.isKnown(by: written.replacing("TAG", with: tag.text).replacing("BARE", with: bare)))
    }

    @Test func `a tag that still holds is answered without a body`() throws {
        var till = try Till()
        let whole = till.send("GET", "/v1/document.json")
        let tag = try #require(whole.header("ETag"))
        func answer(_ conditions: String..., method: String = "GET") -> BankResponse {
            whole.conditional(on: BankRequest(method, "/v1/document.json", headers: conditions.map { .init("if-none-match", $0) }))
        }

        for known in [answer(tag), answer("\"other\"", tag), answer(tag, method: "HEAD")] {
            #expect(known.status == 304)
            #expect(known.body.isEmpty)
            #expect(known.headers == whole.headers.filter { $0.name != "Content-Type" })
        }
        #expect(answer("\"other\"") == whole)
        #expect(answer() == whole)
    }

    @Test func `only a successful read is ever unmodified`() throws {
        var till = try Till(
            TestFiles().replacing("till/bank.yaml", "insert: {payments:", with: "etag: true\n    insert: {payments:")
                .replacing(
                    "till/bank.yaml", "elsewhere: {request: GET /elsewhere,", with: "elsewhere: {request: GET /elsewhere, etag: true,"))
        let token = try till.token()
        let any = BankRequest("GET", "/", headers: [.init("If-None-Match", "*")])

        let paid = till.pay("1.00", key: "k", token: token)
        #expect(paid.status == 201)
        #expect(paid.header("ETag") != nil)
        #expect(paid.conditional(on: any) == paid)
        let elsewhere = till.send("GET", "/v1/elsewhere")
        #expect(elsewhere.status == 302)
        #expect(elsewhere.header("ETag") != nil)
        #expect(elsewhere.conditional(on: any) == elsewhere)
        let accounts = till.send("GET", "/v1/accounts", token: token)
        #expect(accounts.header("ETag") == nil)
        #expect(accounts.conditional(on: any) == accounts)
    }
}
