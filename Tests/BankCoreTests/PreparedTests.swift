import BankFiles
import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Stages of rows, paths and new keys, as a bank's operations define them.
@Suite struct PreparedTests {
    /// A row, and a later stage of it, which replaces a member with a value, a fixed one and an object, and adds some.
    private static let template = Template.object([
        ("id", .literal("tx-1")), ("kind", .literal("card")), ("note", .value(.body("note"))),
        ("amount", .object([("amount", .value(.body("amount.amount"))), ("currency", .value(.literal("GBP")))])),
        ("fixed", .object([("a", .literal("b"))])),
    ])
    private static let later = Template.object([
        ("note", .value(.body("new"))), ("fixed", .value(.body("odd"))), ("more", .value(.pending("id"))),
        ("amount", .object([("amount", .value(.body("new")))])), ("last", .literal(1)),
    ])

    @Test(arguments: [
        ("{}", #"{"id":"tx-1","kind":"card","amount":{},"fixed":{"a":"b"},"more":"tx-1","last":1}"#),
        (
            #"{"note": "n", "amount": {"amount": "1.00"}, "odd": null, "new": "m"}"#,
            #"{"id":"tx-1","kind":"card","note":"m","amount":{"amount":"m"},"fixed":null,"more":"tx-1","last":1}"#
        ),
        (
            #"{"new": 7}"#,
            #"{"id":"tx-1","kind":"card","amount":{"amount":7},"fixed":{"a":"b"},"note":7,"more":"tx-1","last":1}"#
        ),
    ])
    func `a later stage of a row replaces members in their positions and adds others`(_ body: String, _ expected: String) throws {
        var state = try Till().state
        var scope = Scope(request: BankRequest("POST", "/"), now: Instant(seconds: 1_763_553_600))
        scope.json = try JSON(parsing: body)

        let first = try #require(try state.fields(Self.template, &scope))
        scope.pending = first
        let second = try #require(try state.fields(Self.later, &scope))

        #expect(JSON.object(first.overlaid(with: second)).text == expected)
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

    @Test func `a client's own credentials are recognised on HEAD where they are on GET`() throws {
        let files = TestFiles().replacing("till/bank.yaml", "request: POST /revoke", with: "request: GET /revoke")
        let router = try Till(files).state.prepared.router

        let methods = ["GET", "HEAD", "POST"].filter { router.authenticatesClients(at: BankRequest($0, "/v1/revoke")) }

        #expect(methods == ["GET", "HEAD"])
    }

    @Test func `only a row whose key is a new UUID is added without a look at the others`() throws {
        let table = try #require(try Till().state.prepared.tables["payments"])
        func isKeyNew(_ row: Template, settled: RowStages.Stage = .same) -> Bool {
            var stages = RowStages()
            (stages.settled, stages.rejected, stages.cancelled) = (settled, .gone, .gone)
            return RowInsertion(table, row, stages).isKeyNew
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
