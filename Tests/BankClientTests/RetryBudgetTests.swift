import BankClient
import BankModel
import Platform
import Testing

/// All retries of a client together.
@Suite struct RetryBudgetTests {
    @Test func `a budget is spent by retries and earned back by successes, up to its size`() {
        let budget = RetryBudget(2)

        #expect([budget.spend(), budget.spend(), budget.spend()] == [true, true, false])
        budget.earn()
        #expect([budget.spend(), budget.spend()] == [true, false])
        for _ in 1...5 { budget.earn() }
        #expect([budget.spend(), budget.spend(), budget.spend()] == [true, true, false])
    }

    @Test func `in an outage a client sends each payment once when its budget is spent, and retries again after a success`() async throws {
        let isUp = Locked(false)
        let bank = try await Bank { _, _ in isUp.withLock { $0 } ? .paid : .problem(503, "maintenance") }
        func pay(_ intent: String) async -> ClientError? {
            let order = PaymentOrder(from: "ava-gbp", to: "payee-1", amount: pounds("1.00"))
            return await bank.error { try await $0.pay(intent, order) }
        }

        for number in 1...20 { #expect(await pay("down \(number)") == .outcomeUnknown) }
        // Three retries each, until 25 are spent.
        #expect(bank.payments.count == 20 + 25)

        isUp.withLock { $0 = true }
        #expect(await pay("up") == nil)
        isUp.withLock { $0 = false }
        let before = bank.payments.count
        #expect(await pay("down again") == .outcomeUnknown)
        #expect(bank.payments.count == before + 2)
    }
}
