import BankCore
import BankFiles
import BankModel
import Contracts
import DriverProtocol
import Harness
import TestBanks
import Testing

/// The facts of the shipped banks that a contract run needs.
@Suite struct BankFactsTests {
    private let stubs = Clone.stubs
    private static let names = ["berlin", "bins", "counterfoil", "feed", "login", "openbanking", "roundup", "snapshot"]

    private func bank(_ name: String) throws -> Bank { try BankLibrary(folder: stubs).load(name).bank }

    @Test func `only the feed can be read without a sign-in, of the banks that have one`() throws {
        let open = try Self.names.filter { try BankFacts(bank($0)).isOpen }

        #expect(open == ["feed"])
    }

    @Test func `only at berlin the id of a consent is the credential`() throws {
        let banks = try Self.names.filter { try BankFacts(bank($0)).consentIsCredential }

        #expect(banks == ["berlin"])
    }

    @Test func `at berlin and openbanking the password is for the page alone`() throws {
        let banks = try Self.names.filter { name in
            let facts = try BankFacts(bank(name))
            return facts.takesPasswords && !facts.hasLoginCall
        }

        #expect(banks == ["berlin", "openbanking"])
    }

    @Test func `at berlin and openbanking customers authorise each payment on a page`() throws {
        let banks = try Self.names.filter { try BankFacts(bank($0)).authorisesPayments }

        #expect(banks == ["berlin", "openbanking"])
    }

    @Test func `a client polls the calls that show a challenge or a consent`() throws {
        let calls = try Dictionary(uniqueKeysWithValues: Self.names.map { ($0, try BankFacts(bank($0)).decisionCalls.sorted()) })

        #expect(
            calls.filter { !$0.value.isEmpty } == [
                "berlin": ["authorisations", "consent", "consentAuthorisations", "consentScaStatus", "consentStatus", "scaStatus"],
                "counterfoil": ["challenge", "consents"],
                "openbanking": ["accessConsent", "paymentConsent"],
            ])
    }

    @Test(arguments: names)
    func `each response of a shipped bank's dialect that asks something else reads otherwise`(_ name: String) throws {
        // berlin rejects a missing permission and an expired consent with 401.
        let expected: Set<DialectResponseName> = name == "berlin" ? [.scopeRefused, .consentExpired] : []

        #expect(try BankFacts(bank(name)).indistinct == expected)
    }

    @Test func `responses that read the same are indistinct`() throws {
        var bank = try bank("login")
        for name in [DialectResponseName.stepUp, .consentExpired] { bank.dialect.responses[name] = bank.dialect.responses[.scopeRefused] }

        #expect(BankFacts(bank).indistinct == [.consentExpired])
    }

    @Test func `a bank has the events that its lists show, and those of payments that are pending for a time`() throws {
        let impossible = try Dictionary(uniqueKeysWithValues: Self.names.map { ($0, try BankFacts(bank($0)).impossible) })

        #expect(impossible["counterfoil"] == [])
        #expect(
            impossible["roundup"] == [
                .paymentAuthorised, .paymentSettles, .paymentRejected, .paymentCancelled, .paymentReturns, .accountClosed, .consentRevoked,
            ])
        #expect(impossible["feed"] == Set(BankEvent.Kind.allCases))
        #expect(impossible["openbanking"] == [], "its payments are pending for a minute")
        #expect(
            impossible["berlin"] == [.paymentAuthorised, .paymentSettles, .paymentRejected, .paymentCancelled],
            "its payments settle when they are authorised")
    }

    @Test func `each bank that reports the state of one payment has the role for it, and its clients can show it`() throws {
        let facts = try Self.names.map { try BankFacts(bank($0)) }

        #expect(facts.filter { $0.operations.contains(.paymentStatus) }.map(\.name) == ["berlin", "counterfoil", "openbanking"])
        let berlin = try #require(facts.first { $0.name == "berlin" })
        let calls = try #require(berlin.roles.first { $0.role == .paymentStatus }?.calls)
        let path = "/v1/payments/sepa-credit-transfers/{paymentId}"
        #expect(Set(calls.map { "\($0.method) \($0.path)" }) == ["GET \(path)", "GET \(path)/status"])
    }

    @Test func `a customer who owns one account has nothing to pay to`() throws {
        var bank = try bank("login")
        bank.defaults = ["pay": ["from": "70010001", "to": "70010002", "currency": "GBP"]]

        let unfilled = BankFacts(bank).unfilled.map { [$0.login, $0.operation.rawValue, $0.argument] }
        #expect(unfilled == [["ben", "pay", "to"]])
    }
}
