import CounterfoilTesting
@testable import PocketApp
import XCTest

/// The same library in XCTest: a bank for each test, begun and ended around it.
final class PocketAppXCTests: XCTestCase {
    func testARevokedTokenIsForgotten() async throws {
        try await withStubBank(.counterfoil) { bank in
            let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: .ava).text)
            _ = try await app.accounts()

            try bank.tokens.revoke()

            do {
                _ = try await app.accounts()
                XCTFail("expected the app to ask for a sign-in")
            } catch {
                XCTAssertEqual(error as? PocketApp.Failure, .signInAgain)
            }
            try await bank.require(.auth)
        }
    }

    func testAnAppThatKeepsItsTokenIsFoundOut() async throws {
        try await withStubBank(.counterfoil) { bank in
            let app = StubbornApp(baseURL: bank.url, token: try bank.tokens.issue(for: .ava).text)
            try bank.tokens.revoke()
            _ = try await app.accountsStatus()
            _ = try await app.accountsStatus()

            do {
                try await bank.require(.auth)
                XCTFail("expected the verdict to be thrown")
            } catch let verdict as BrokenRules {
                XCTAssertTrue("\(verdict)".contains("FAIL  auth.token-cleared-on-rejection@counterfoil"), "\(verdict)")
            }
        }
    }
}

/// `setUp` and `tearDown`, where no scope fits: as a UI test has them.
final class PocketAppUITests: XCTestCase {
    private var bank: StubBank?

    override func setUp() async throws { bank = try await StubBank.start(.counterfoil) }

    override func tearDown() async throws { await bank?.stop() }

    func testPayingOnceFromTheStartScreen() async throws {
        let bank = try XCTUnwrap(bank)
        let app = LaunchedApp(environment: ["BANK_URL": bank.url.absoluteString])

        try await app.tapPay()

        let payment = try await bank.waitForExchange(.role(.pay))
        XCTAssertEqual(payment.customer, .ava)
        XCTAssertEqual(bank.ledger.movements.count, 1)
    }
}
