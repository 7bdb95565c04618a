import BankCore
import BankModel
import Platform
import TestBanks
import Testing
import TestServer

@testable import BankEngine

/// Calls of the admin API and of monitoring, and what is due at the second of the call.
@Suite struct DueEventTests {
    @Test(arguments: ["expire", "revoke", "downscope", "snapshot"])
    func `a call that changes tokens, or saves the state, comes after what is due`(_ call: String) async throws {
        try await withStub([try source(TestFiles.living)]) { stub in
            let till = try stub.till
            _ = try stub.token()
            var salary = BankEvent(.paymentIn)
            (salary.account, salary.amount) = ("a1", "12.00")
            _ = try till.schedule(LifeEvent(salary, after: .zero, every: nil))
            #expect(till.inner.withLock { $0.state.ledger.movements.count } == 0, "scheduled, and not processed yet")

            switch call {
            case "expire": try till.expireTokens()
            case "revoke": try till.revokeTokens()
            case "downscope": try till.downscopeTokens()
            default: till.snapshot()
            }

            #expect(till.inner.withLock { $0.state.ledger.movements.count } == 1)
        }
    }

    @Test func `counts for monitoring leave the session as it is, and have what another read has processed`() async throws {
        try await withStub([try source(TestFiles.living)]) { stub in
            let till = try stub.till
            var salary = BankEvent(.paymentIn)
            (salary.account, salary.amount) = ("a1", "12.00")
            _ = try till.schedule(LifeEvent(salary, after: .zero, every: nil))

            #expect(till.counts.payments == 0)
            #expect(till.ledger.movements.count == 1)
            #expect(till.counts.payments == 1)
        }
    }
}
