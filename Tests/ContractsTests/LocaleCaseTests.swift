import BankModel
import Contracts
import Testing

/// Cases with a locale, and amounts as they are typed in it.
@Suite struct LocaleCaseTests {
    private static func yaml(_ given: String, raw: String, amount: String = "1500.00") -> String {
        """
        needs: [login, pay]
        given: \(given)
        steps: [login, pay: {intent: A, amount: "\(amount)", raw_amount: "\(raw)"}]
        expect: [{ledger: {A: 1}}]
        """
    }

    @Test func `a case with a locale has a process of its own`() throws {
        let instance = try #require(Make.instances(Self.yaml("{locale: de_DE}", raw: "1.500")).first)

        #expect(instance.given.locale == "de_DE")
        #expect(instance.needsOwnProcess)
        #expect(instance.allSteps.last?.action.argument("raw_amount") == "1.500")
        #expect(try #require(Make.instances("needs: [login]\nsteps: [login]\nexpect: [{control: 1}]").first).needsOwnProcess == false)
    }

    @Test func `another payment than was typed is reported with what was typed`() throws {
        let instance = try #require(Make.instances(Self.yaml("{locale: de_DE}", raw: "10,00", amount: "10.00")).first)
        let evidence = try Make.orders {
            $0.arguments[2] = ["amount": "10.00", "raw_amount": "10,00", "currency": "GBP", "from": "1", "to": "2"]
            $0.journal = [Make.payment(2, key: "a")]
            $0.movements = [try Make.movement(key: "a", amount: "1000.00")]
        }

        let broken = InvariantVerdicts(Make.invariants, of: instance, evidence).broken

        #expect(broken.map(\.invariant.id) == ["invariant.pays-what-was-wished"])
        #expect(
            broken.first?.unmet.first?.expected == "the user asked for 10.00 GBP (typed \"10,00\") from 1 to 2 (payment order A)")
    }

    @Test func `a key of the matrix sets the locale`() {
        let yaml = "matrix: {locale: [de_DE, ar_EG]}\nneeds: [login]\nsteps: [login]\nexpect: [{control: 1}]"

        #expect(Make.instances(yaml).map(\.given.locale) == ["de_DE", "ar_EG"])
    }

    @Test(arguments: ["1.500,00", "1.500", "\u{661}\u{665}\u{660}\u{660}", "\u{6F1}\u{66C}\u{6F5}\u{6F0}\u{6F0}", "\u{967}\u{96B}00"])
    func `a typed amount may have other signs and digits`(raw: String) {
        #expect(Make.instances(Self.yaml("{locale: de_DE}", raw: raw)).count == 1)
    }

    @Test(
        arguments: [
            ("{locale: german}", "1.500", "found `german`, expected a language and a country, such as `de_DE`"),
            ("{locale: de_de}", "1.500", "expected a language and a country"),
            ("{locale: DE_DE}", "1.500", "expected a language and a country"),
            ("{time_zone: UTC}", "1.500", "found `raw_amount` without a locale"),
            ("{locale: de_DE}", "1.501", "found the raw_amount \"1.501\" beside the amount \"1500.00\", expected the same digits in both"),
            ("{locale: de_DE}", "15,1", "expected the same digits in both"),
            ("{locale: de_DE}", "none", "expected the same digits in both"),
        ])
    func `a wrong locale and a wrong amount are reported`(given: String, raw: String, expected: String) {
        let indented = Self.yaml(given, raw: raw).split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")

        let found = Make.complaints("contract: 1\nsuite: toy\ncases:\n- id: toy.a\n  why: because\n" + indented)

        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }
}
