import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

@testable import BankExport

/// A bank's pact: its content, and that each export is the same.
@Suite struct PactExportTests {
    private let exported: PactExport.Exported

    init() throws {
        exported = PactExport(consumer: "app").convert(try TestFiles().library.load("till").bank)
    }

    private func interaction(_ description: String) throws -> JSON {
        try #require(exported.json["interactions"]?.array?.first { $0["description"]?.string == description })
    }

    @Test func `every operation is reported once carried out`() throws {
        let bank = try TestFiles().library.load("till").bank

        let described = exported.json["interactions"]?.array?.compactMap { $0["description"]?.string } ?? []

        #expect(exported.omitted == [])
        for operation in bank.operations { #expect(described.contains(operation.name), "\(operation.name)") }
        #expect(Set(described).count == described.count, "a description names one interaction")
        #expect(described.count == exported.interactions)
    }

    @Test func `the same bank gives the same bytes`() throws {
        let again = PactExport(consumer: "app").convert(try TestFiles().library.load("till").bank)

        #expect(again.json.bytes == exported.json.bytes)
    }

    @Test func `rejections keep their codes and states`() throws {
        let revoked = try interaction("accounts with a revoked token")

        #expect(revoked["response"]?["status"] == 401)
        let states = revoked["providerStates"]?.array?.compactMap { $0["name"]?.string }
        #expect(states == ["customer ann is signed in", "the token is revoked"])
        let generator = revoked["request"]?["generators"]?["header"]?["Authorization"]?["expression"]
        #expect(generator == "Bearer ${token}")
    }

    @Test func `a used key is of the same or of another payment`() throws {
        let replayed = try interaction("pay with a key that was used for the same")
        let mismatched = try interaction("pay with a key that was used for another amount")

        #expect(replayed["response"]?["status"] == (try interaction("pay"))["response"]?["status"])
        #expect(mismatched["response"]?["status"] == 422)
        #expect(mismatched["request"]?["body"] != replayed["request"]?["body"])
    }
}

/// Which operations of a bank a pact has.
@Suite struct PactCoverageTests {
    private func described(_ pact: PactExport.Exported) -> [String] {
        pact.json["interactions"]?.array?.compactMap { $0["description"]?.string } ?? []
    }

    @Test func `what needs no browser is reported of a bank of consents`() throws {
        let pact = PactExport(consumer: "app").convert(try Clone.library.load("openbanking").bank)

        #expect(pact.omitted == [])
        let described = described(pact)
        for name in ["newAccessConsent", "accessConsent", "newPaymentConsent", "paymentConsent", "accounts"] {
            #expect(described.contains(name), "\(name)")
        }
        #expect(!described.contains { $0.hasPrefix("domesticPayment") }, "the customer authorises its consent in a browser")
        let asked = pact.json["interactions"]?.array?.first { $0["description"]?.string == "newAccessConsent" }
        let permissions = asked?["request"]?["body"]?["content"]?["Data"]?["Permissions"]?.array ?? []
        #expect(permissions.contains("ReadBalances"), "\(permissions)")
    }

    @Test func `a required field has a value of its kind`() throws {
        let kinds =
            Operation.BodyRule.Kind.allCases.map { "\($0.rawValue): \($0.rawValue)" } + [
                "inner: object", "inner.whole: whole", "amount: text",
            ]
        let fields = kinds.compactMap { $0.split(separator: ":").first }
        let typed = """
            operations:
              typed:
                request: POST /typed
                open: true
                takes: {json: [\(fields.joined(separator: ", "))], kinds: {\(kinds.joined(separator: ", "))}}
                reply: {done: true}

            """
        let files = TestFiles().replacing("till/bank.yaml", "operations:\n", with: typed)

        let pact = PactExport(consumer: "app").convert(try files.library.load("till").bank)

        #expect(pact.omitted == [])
        #expect(described(pact).contains("typed"))
    }

    @Test func `a row that is part of a response is one that was added`() throws {
        let files = TestFiles().replacing(
            "till/bank.yaml", "reply: {row: payments, where: {id: {path: id}}}",
            with: "reply: {payment: {row: payments, where: {id: {path: id}}}}")

        let pact = PactExport(consumer: "app").convert(try files.library.load("till").bank)

        #expect(pact.omitted == [])
        #expect(described(pact).contains("payment"))
    }

    @Test func `two operations that show each other's added rows end`() throws {
        let circle = """
            operations:
              left: {request: "POST /left/{id}", insert: {payments: {id: {uuid: ""}, _customer: {customer: login}}}, reply: {other: {row: others, where: {id: {path: id}}}}}
              right: {request: "POST /right/{id}", insert: {others: {id: {uuid: ""}}}, reply: {other: {row: payments, where: {id: {path: id}}}}}

            """
        let files = TestFiles().replacing("till/bank.yaml", "operations:\n", with: circle)
            .replacing("till/bank.yaml", "tables:\n", with: "tables:\n  others: {key: id}\n")

        let pact = PactExport(consumer: "app").convert(try files.library.load("till").bank)

        #expect(pact.omitted.contains("left"))
        #expect(pact.omitted.contains("right"))
    }
}

/// The expectations on a response, derived from samples.
@Suite struct ExpectationTests {
    private func rules(_ samples: [JSON]) -> (example: JSON?, rules: [String]) {
        var expectation = Expectation()
        let example = expectation.infer(samples, "$")
        return (example, expectation.rules.map { "\($0.path) \($0.rule["regex"]?.string ?? $0.rule["match"]?.string ?? "")" })
    }

    @Test func `what some rows leave out is not expected`() {
        let rows: JSON = [["id": "a", "fee": 1, "note": "n"], ["id": "b", "fee": 2], ["id": "c", "fee": .null, "note": "m"]]

        let (example, rules) = rules([rows])

        #expect(example == [["id": "a"]])
        #expect(rules == ["$ type", "$[*].id type"])
    }

    @Test(arguments: [
        ("2026-01-15T12:00:00Z", "2026"), ("2026-01-15", "2026"), ("-12.30", "12.3"),
        ("0d0a7c3e-0000-4000-8000-00000000000a", "0d0a7c3e"), ("https://bank.test/a.png", "bank.test/a.png"),
    ])
    func `a text's form is a rule`(_ text: String, _ other: String) throws {
        let rule = try #require(rules([.string(text)]).rules.first)

        let regex = try Regex(String(rule.dropFirst(2)))
        #expect(text.wholeMatch(of: regex) != nil)
        #expect(text == "-12.30" || other.wholeMatch(of: regex) == nil)
        #expect(rules([.string(text), "x"]).rules == ["$ type"], "one of another form: any text")
    }

    @Test func `a currency is three capitals`() {
        #expect(rules([["currency": "GBP", "kind": "OUT"]]).rules == ["$.currency ^[A-Z]{3}$", "$.kind type"])
    }

    @Test func `an account's number is no amount`() {
        #expect(rules(["70010001"]).rules == ["$ type"])
    }

    @Test func `whole numbers are distinguished from others`() {
        #expect(rules([.array([1, 2])]).rules == ["$ type", "$[*] integer"])
        #expect(rules([.array([1, .number(JSONNumber("2.50") ?? JSONNumber(0))])]).rules == ["$ type", "$[*] number"])
    }
}
