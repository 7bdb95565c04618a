import BankModel
import Contracts
import DriverProtocol
import Testing

/// How binding a case is on a bank, by what the bank's responses rest on.
@Suite struct LevelTests {
    private static let invented = BankFacts(
        name: "toy", operations: [.login, .accounts], invented: [.scopeRefused, .rateLimited])

    private func level(_ fault: String, on bank: BankFacts) -> ContractCase.Level? {
        Make.instances(
            """
            needs: [login, accounts]
            authority: RFC 6750 §3.1
            steps: [login, accounts, fault: \(fault), accounts]
            expect: [{control: 2}]
            """, on: bank
        ).first?.level
    }

    @Test func `a must that rests on words made up for the stub is a should on that bank`() {
        #expect(level("{dialect: {name: scope-refused}}", on: LevelTests.invented) == .should)
        #expect(level("{dialect: {name: scope-refused}}", on: Make.bank) == .must)
    }

    @Test func `a response with an unambiguous status keeps its must whatever its body`() {
        #expect(level("{dialect: {name: rate-limited}}", on: LevelTests.invented) == .must)
        #expect(level("{status: {status: 403}}", on: LevelTests.invented) == .must)
    }
}
