import BankClient
import BankFiles
import BankModel
import Contracts
import Platform
import ProviderCheck
import TestBanks
import Testing

@Suite struct ProviderWriteTests {
    @Test func `a payment without leave to write is not made, nor a token revoked`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let provider = FakeProvider(bank)

        let report = await provider.report(
            against: bank, credentials: .login(user: "ann", password: "apple"), payment: try pennies())

        #expect(provider.lines.filter { !$0.hasPrefix("GET ") } == ["POST /v1/token"])
        #expect(report.check("idempotency.same-key")?.verdict == .notExercised)
        #expect(report.check("auth.revoked-token")?.verdict == .notExercised)
        #expect(report.writes == [])
    }

    @Test func `with leave it reports first who pays how much, and the key is checked by its responses`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let provider = FakeProvider(bank)
        let messages = Locked<[(text: String, requests: Int)]>([])

        let report = await provider.report(
            against: bank, credentials: .login(user: "ann", password: "apple"), allowsWrites: true, payment: try pennies()
        ) { text in messages.withLock { $0.append((text, provider.lines.count { $0 == "POST /v1/payments" })) } }

        #expect(report.drifts == [])
        for id in ["idempotency.payment", "idempotency.same-key", "idempotency.other-payload", "auth.revoked-token", "shapes.payment"] {
            #expect(report.check(id)?.verdict == .pass, "\(id)")
        }
        #expect(provider.movements == 1)
        let first = try #require(messages.withLock { $0.first })
        #expect(first.text.hasPrefix("pays 0.01 GBP from a1 to p1 at https://bank.example"))
        #expect(first.requests == 0)
        #expect(report.writes.count == 2)
    }

    @Test func `a provider that knows no keys pays twice: reported as two results and a payload that was not rejected`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let keyless = TestFiles().replacing("till/bank.yaml", "    key: dialect\n", with: "")
        let provider = FakeProvider(try keyless.library.load("till").bank)

        let report = await provider.report(
            against: bank, credentials: .token(try provider.token("ann")), allowsWrites: true, payment: try pennies())

        #expect(provider.movements == 3)
        #expect(report.drifts.contains("idempotency.same-key two-results /id"))
        #expect(report.drifts.contains("idempotency.same-key missing-header "))
        #expect(report.drifts.contains("idempotency.other-payload other-status "))
        #expect(report.exitCode == .failed)
    }

    @Test func `a first payment that is rejected shows nothing of keys`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let provider = FakeProvider(bank)
        var order = try pennies()
        order.to = "nobody"

        let report = await provider.report(
            against: bank, credentials: .token(try provider.token("ann")), allowsWrites: true, payment: order)

        #expect(report.check("idempotency.payment")?.verdict == .inconclusive)
        #expect(report.check("idempotency.same-key")?.verdict == .inconclusive)
        #expect(provider.lines.count { $0 == "POST /v1/payments" } == 1)
    }

    private func pennies() throws -> ProviderOptions.PaymentOrder {
        let pounds = try #require(Currency("GBP"))
        return ProviderOptions.PaymentOrder(from: "a1", to: "p1", amount: Money(minorUnits: 1, currency: pounds))
    }
}
