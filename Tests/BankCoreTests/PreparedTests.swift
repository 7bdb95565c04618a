import BankFiles
import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Prepared values equal those in the bank's files.
@Suite struct PreparedTests {
    private static let template = Template.object([
        ("id", .value(.uuid(prefix: "tx-"))), ("kind", .literal("card")), ("note", .value(.body("note"))),
        (
            "amount",
            .object([("amount", .value(.body("amount.amount"))), ("currency", .value(.literal("GBP"))), ("odd", .value(.body("odd")))])
        ),
        ("fixed", .object([("a", .literal("b"))])), ("again", .value(.uuid(prefix: ""))), ("day", .value(.now(.day))),
    ])

    @Test(arguments: [#"{"note": "n", "amount": {"amount": "1.00"}, "odd": null}"#, #"{"amount": {"amount": 1}}"#, "{}"])
    func `a row that was made ready is the row that its template renders`(_ body: String) throws {
        var (one, other) = (try Till().state, try Till().state)
        var scope = Scope(request: BankRequest("POST", "/"), now: Instant(seconds: 1_763_553_600))
        scope.json = try JSON(parsing: body)
        let ready = try #require(PreparedTemplate(Self.template))

        let filled = try one.fields(.ready(ready), &scope)
        let rendered = try other.fields(.other(Self.template), &scope)

        #expect(filled.map { JSON.object($0).text } == rendered.map { JSON.object($0).text })
        #expect(one.generator == other.generator)
        #expect(filled?["fixed"]?.text == #"{"a":"b"}"#)
    }

    @Test func `a template with rows in it is not made ready`() {
        #expect(PreparedTemplate(.object([("rows", .rows(RowsQuery(table: "accounts")))])) == nil)
        #expect(PreparedTemplate(.object([("inner", .object([("list", .array([]))]))])) == nil)
        #expect(PreparedTemplate(.literal("text")) == nil)
    }

    @Test(arguments: ["accounts", "payments", "nothing"])
    func `a path without parameters meets the same operation however it is spelled`(_ word: String) throws {
        let router = try Till().state.prepared.router
        let spelled = "%" + String(word.utf8.first ?? 0, radix: 16) + word.dropFirst()

        for method in ["GET", "HEAD", "POST", "PUT", "DELETE"] {
            let plain = router.match(BankRequest(method, "/v1/\(word)"))
            let encoded = router.match(BankRequest(method, "/v1/\(spelled)"))
            #expect(plain?.index == encoded?.index, "\(method) \(word)")
            #expect(plain?.parameters == encoded?.parameters, "\(method) \(word)")
        }
        let met = ["GET", "POST"].contains { router.match(BankRequest($0, "/v1/\(word)")) != nil }
        #expect(met == (word != "nothing"))
    }

    @Test func `only a row whose key is a new UUID is added without a look at the others`() throws {
        let table = try #require(try Till().state.prepared.tables["payments"])
        func isKeyNew(_ row: Template, settled: RowStages.Stage = .same) -> Bool {
            PreparedInsert(table, row, RowStages(settled: settled, rejected: .gone)).isKeyNew
        }
        let made = Template.object([(table.table.key, .value(.uuid(prefix: "p-")))])
        let given = Template.object([(table.table.key, .value(.body("id")))])

        #expect(isKeyNew(made))
        #expect(isKeyNew(made, settled: .with(made)))
        #expect(isKeyNew(made, settled: .with(.object([]))))
        #expect(!isKeyNew(given))
        #expect(!isKeyNew(made, settled: .with(given)))
        #expect(!isKeyNew(.literal("text")))
    }
}
