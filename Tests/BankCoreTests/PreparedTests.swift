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

        #expect(filled.map { JSON.object($0.object).text } == rendered.map { JSON.object($0.object).text })
        #expect(one.generator == other.generator)
        #expect(filled?["fixed"]?.text == #"{"a":"b"}"#)
    }

    /// A later stage: it replaces a member with a slot, a fixed one and an object, and adds some.
    private static let later = Template.object([
        ("day", .literal("later")), ("note", .value(.body("new"))), ("fixed", .value(.body("odd"))), ("more", .value(.pending("id"))),
        ("amount", .object([("amount", .value(.body("new")))])), ("last", .literal(1)),
    ])

    @Test(arguments: ["{}", #"{"note": "n", "new": "m"}"#, #"{"new": 7}"#, #"{"note": null, "odd": {"a": [1]}, "new": null}"#])
    func `a later stage of a row that was made ready replaces what that of an object does`(_ body: String) throws {
        var (one, other) = (try Till().state, try Till().state)
        var scope = Scope(request: BankRequest("POST", "/"), now: Instant(seconds: 1_763_553_600))
        scope.json = try JSON(parsing: body)
        func row(_ row: (Template) -> PreparedRow, _ state: inout SessionState) throws -> RowFields {
            scope.pending = nil
            let first = try #require(try state.fields(row(Self.template), &scope))
            scope.pending = first
            return first.overlaid(with: try #require(try state.fields(row(Self.later), &scope)))
        }

        let filled = try row({ PreparedRow($0) }, &one)
        let rendered = try row({ .other($0) }, &other)

        #expect(JSON.object(filled.object).text == JSON.object(rendered.object).text)
        for path in ["id", "day", "note", "fixed", "fixed.a", "more", "amount", "amount.amount", "amount.odd", "last", "none", "id.x", ""] {
            #expect(filled.at(path)?.text == rendered.at(path)?.text, "\(path)")
            #expect(filled[path]?.text == rendered[path]?.text, "\(path)")
        }
        let again = RowFields(JSONObject([(key: "note", value: "again")]))
        #expect(JSON.object(filled.overlaid(with: again).object).text == JSON.object(rendered.overlaid(with: again).object).text)
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
            PreparedInsert(table, row, RowStages(settled: settled, rejected: .gone, cancelled: .gone)).isKeyNew
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
