import BankClient
import BankFiles
import BankModel
import Contracts
import ProviderCheck
import TestBanks
import Testing

@Suite struct ProviderReadTests {
    @Test func `a provider that is as the stub has no drift, and is sent nothing but reads`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let provider = FakeProvider(bank)

        let report = await provider.report(against: bank, credentials: .token(try provider.token("ann")))

        #expect(report.drifts == [])
        #expect(report.exitCode == .ok)
        #expect(report.check("shapes.entries")?.verdict == .pass)
        #expect(report.check("shapes.elsewhere")?.verdict == .pass)
        #expect(report.check("auth.no-token")?.verdict == .pass)
        #expect(report.check("auth.unknown-token")?.verdict == .pass)
        #expect(
            report.check("shapes.payment")?.notes == ["no response contained a value for GET /v1/payments/{id}: pass --set payment.id=…"])
        #expect(provider.lines.allSatisfy { $0.hasPrefix("GET ") })
        #expect(report.requests == provider.lines.count)
    }

    @Test func `a path's parameters come from the provider's own responses`() async throws {
        let files = TestFiles()
        let bank = try files.library.load("till").bank
        let other = files.replacing("till/accounts.json", "\"a1\"", with: "\"acc-77\"")
            .replacing("till/bank.yaml", "owns: {accounts: [a1, a2]}", with: "owns: {accounts: [acc-77, a2]}")
            .replacing("till/entries.json", "\"_account\": \"a1\"", with: "\"_account\": \"acc-77\"")
            .replacing("till/bank.yaml", "{from: a1,", with: "{from: acc-77,")
        let provider = FakeProvider(try other.library.load("till").bank)

        let report = await provider.report(against: bank, credentials: .token(try provider.token("ann")))

        #expect(report.drifts == [])
        #expect(provider.lines.contains("GET /v1/accounts/acc-77/entries"))
        #expect(!provider.lines.contains("GET /v1/accounts/a1/entries"))
    }

    @Test func `drift of every kind is reported with its position`() async throws {
        let files = TestFiles()
        let bank = try files.library.load("till").bank
        let drifted = files.replacing("till/accounts.json", "\"name\": \"Current\"", with: "\"name\": null, \"iban\": \"GB29\"")
            .replacing("till/entries.json", "\"amount\": 12.00", with: "\"amount\": \"12.00\"")
            .replacing("till/bank.yaml", "dates: {at: seconds}", with: "dates: {at: milliseconds}")
            .replacing("till/bank.yaml", "  clock: {request: GET /clock,", with: "  clock: {request: GET /time,")
            .replacing("dialects/terse.yaml", "{error: token-rejected}", with: "{fault: token-rejected}")
            .replacing("dialects/terse.yaml", "no-credentials: {status: 401", with: "no-credentials: {status: 403")
        let provider = FakeProvider(try drifted.library.load("till").bank)

        let report = await provider.report(against: bank, credentials: .token(try provider.token("ann")))

        #expect(
            Set(report.drifts) == [
                "shapes.accounts other-type /accounts/*/name", "shapes.accounts new-field /accounts/*/iban",
                "shapes.account other-type /name", "shapes.account new-field /iban", "shapes.entries other-type /entries/*/amount",
                "shapes.entries other-type /entries/*/at", "shapes.clock other-status ", "auth.no-token other-status ",
                "auth.unknown-token missing-field /error", "auth.unknown-token new-field /fault",
            ])
        #expect(report.exitCode == .failed)
        #expect(!"\(report.text)\(report.json.text)".contains("GB29"))
    }

    @Test func `with a password the bank's own sign-in is used, once`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let provider = FakeProvider(bank)

        let report = await provider.report(against: bank, credentials: .login(user: "bob", password: "berry"))

        #expect(report.exitCode == .ok)
        #expect(report.check("shapes.signIn")?.verdict == .pass)
        #expect(provider.lines.filter { !$0.hasPrefix("GET ") } == ["POST /v1/token"])
    }

    @Test func `credentials that are rejected are no drift: nothing can be judged`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let provider = FakeProvider(bank)

        let signIn = await provider.report(against: bank, credentials: .login(user: "bob", password: "hunter2"))
        let token = await provider.report(against: bank, credentials: .token("stale-secret"))

        #expect(signIn.trouble == "the sign-in was rejected with status 401")
        #expect(signIn.exitCode == .noVerdict)
        #expect(token.check("shapes.accounts")?.notes == ["the credentials were rejected with status 401, which requires Bearer"])
        #expect(token.exitCode == .noVerdict)
        for report in [signIn, token] {
            let output = report.text + report.json.text
            #expect(!output.contains("hunter2"))
            #expect(!output.contains("stale-secret"))
        }
    }

    @Test func `without credentials only open operations are called, and the others are reported`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let provider = FakeProvider(bank)

        let report = await provider.report(against: bank)

        #expect(report.check("shapes.document")?.verdict == .pass)
        #expect(report.check("shapes.accounts")?.notes == ["it needs a token: pass --login or --token-file"])
        #expect(report.check("auth.no-token")?.verdict == .pass)
    }

    @Test func `a provider that does not answer is asked no more, and no verdict is given`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let provider = FakeProvider(bank) { _, _ throws(TransportFailure) in
            throw TransportFailure(.timeout, "nothing within 10 s", mayHaveLeft: true)
        }

        let report = await provider.report(against: bank, credentials: .token("some-token"))

        #expect(report.trouble == "timeout: nothing within 10 s")
        #expect(report.exitCode == .noVerdict)
        #expect(provider.lines.count == 1)
    }

    @Test func `a secret that a failure repeats is not printed`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let provider = FakeProvider(bank) { request, response throws(TransportFailure) in
            guard request.url.hasSuffix("/accounts") else { return response }
            throw TransportFailure(.decode, "found \(request.headers["Authorization"] ?? "")", mayHaveLeft: true)
        }
        let token = try provider.token("ann")

        let report = await provider.report(against: bank, credentials: .token(token))

        #expect(report.check("shapes.accounts")?.notes == ["no response: decode: found Bearer (redacted)"])
        #expect(!(report.text + report.json.text).contains(token))
    }

    @Test func `a provider that is unwell or answers pages for people`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let busy = FakeProvider(bank) { request, response in
            request.url.hasSuffix("/accounts") ? HTTPResponse(status: 503) : response
        }
        let portal = FakeProvider(bank) { _, _ in
            HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array("<html>Hello Ann".utf8))
        }

        let first = await busy.report(against: bank, credentials: .token(try busy.token("ann")))
        let second = await portal.report(against: bank, credentials: .token(try portal.token("ann")))

        #expect(first.check("shapes.accounts")?.notes == ["the provider responded with status 503"])
        #expect(first.exitCode == .noVerdict)
        #expect(second.drifts.contains("shapes.accounts other-content-type "))
        #expect(!second.text.contains("Hello"))
    }
}
