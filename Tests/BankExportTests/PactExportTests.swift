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
