@testable import CounterfoilTesting
import Foundation
import Platform
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A bank for each test, by a trait.
@Suite(.stubBank(.counterfoil), .timeLimit(.minutes(10))) struct TraitTests {
    @Test(.judged(.auth)) func `a test has the bank of its suite, and is judged`() async throws {
        let bank = try StubBank.current

        #expect(try await call(bank, "v1/accounts", token: try bank.tokens.issue(for: .ava).text).status == 200)

        #expect(bank.name == .counterfoil)
        #expect(bank.journal.count == 1)
    }

    @Test(arguments: 1...3) func `each case has a bank of its own`(_ number: Int) async throws {
        let bank = try StubBank.current

        #expect(bank.journal.isEmpty)
        #expect(try await call(bank, "v1/atms").status == 200)
        #expect(try bank.tokens.issue(for: .ava).id == "token#1")
    }

    @Suite(.judged(.auth)) struct Inherited {
        @Test func `a test has the traits of its suites`() async throws {
            let (bank, test) = (try StubBank.current, try #require(Test.current))

            #expect(test.traits.contains { $0 is StubBankTrait })
            #expect(test.traits.contains { $0 is JudgedTrait })
            #expect(try await call(bank, "v1/accounts", token: try bank.tokens.issue(for: .ava).text).status == 200)
        }
    }

    @Test(.stubBank("login", options: StubBankOptions(seed: 9))) func `a test may have another bank than its suite`() throws {
        let bank = try StubBank.current

        #expect((bank.name, bank.seed) == (.login, 9))
    }

    @Test func `a bank ends with its test, whose error is kept`() async throws {
        let kept = Locked<StubBank?>(nil)
        let test = try running()

        await #expect(throws: CocoaError.self) {
            try await bank(test) {
                kept.withLock { $0 = StubBank.running }
                throw CocoaError(.userCancelled)
            }
        }

        let ended = try #require(kept.withLock { $0 })
        #expect(await trouble { try await ended.reset() }?.code == .ended)
    }

    // MARK: verdicts

    @Test func `each broken rule is an issue, with the requests that show it`() async throws {
        let test = try running()
        let issues = try await issues {
            try await bank(test, .judged(.auth)) { try await stubborn(try StubBank.current) }
        }

        #expect(issues.count == 1)
        let text = try #require(issues.first)
        for part in [
            "FAIL  auth.token-cleared-on-rejection@counterfoil", "sent token#1 again after", "timeline", "(bank \"counterfoil\", seed 7)",
        ] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test func `a rule that was not exercised is an issue, unless the test failed`() async throws {
        let test = try running()
        let issues = try await issues {
            try await bank(test, .judged(.auth, .pay)) {
                let bank = try StubBank.current
                _ = try await call(bank, "v1/accounts", token: try bank.tokens.issue().text)
            }
        }
        #expect(issues.count == 1)
        let expected = "\"pay\" was expected, but not exercised: the app never triggered\n  pay.retry-same-bytes: when"
        #expect(issues.first?.contains(expected) == true, "\(issues)")

        // No issue beside the error: one would fail this test.
        await #expect(throws: CocoaError.self) { try await bank(test, .judged(.pay)) { throw CocoaError(.userCancelled) } }
    }

    @Test func `the app's mistake is reported beside the test's error`() async throws {
        let test = try running()
        let issues = try await issues {
            await #expect(throws: CocoaError.self) {
                try await bank(test, .judged(.auth, .pay)) {
                    try await stubborn(try StubBank.current)
                    throw CocoaError(.userCancelled)
                }
            }
        }

        #expect(issues.count == 1)
        #expect(issues.first?.contains("auth.token-cleared-on-rejection") == true)
    }

    @Test func `verify goes on, and require does not`() async throws {
        let bank = try StubBank.current
        try await stubborn(bank)

        let issues = try await issues {
            try await bank.verify(.auth)
            try await bank.verify(.pay)
        }

        #expect(issues.count == 2)
        #expect(issues.first?.contains("FAIL  auth.token-cleared-on-rejection") == true)
        await #expect(throws: BrokenRules.self) { try await bank.require(.auth) }
        try await bank.verify("auth.no-empty-bearer")
    }

    @Test func `verify without a test is an error`() async throws {
        let bank = try StubBank.current

        let error = await Task.detached { await trouble { try await bank.verify(.auth) } }.value

        #expect(error?.code == .noTest)
    }

    // MARK: mistakes of a test

    @Test func `a test that ends while a request is under way is reported`() async throws {
        let (test, (asked, ask)) = (try running(), AsyncStream<Void>.makeStream())
        let client = Locked<Task<Void, Never>?>(nil)
        let issues = try await issues {
            try await bank(test, .judged(.auth)) {
                let bank = try StubBank.current
                try bank.respond(to: .get("/v1/news")) { _ in
                    ask.yield()
                    // Ends when the bank does.
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    return .status(204)
                }
                let url = bank.url.appending(path: "v1/news")
                client.withLock { $0 = Task.detached { _ = try? await call(url) } }
                for await _ in asked { break }
            }
        }
        await client.withLock { $0 }?.value

        #expect(issues.count == 1)
        let text = try #require(issues.first)
        #expect(
            text.contains("found an exchange in progress at the end of the test \"\(test.name)\", expected none: await all work of the app")
        )
        #expect(text.contains("\n  #1 GET /v1/news"))
    }

    @Test func `an exchange that a fault holds is no mistake of the test`() async throws {
        let test = try running()
        let client = Locked<Task<Void, Never>?>(nil)
        // No issue: one would fail this test.
        try await bank(test) {
            let bank = try StubBank.current
            try await bank.inject(.hang)
            client.withLock { $0 = Task.detached { _ = try? await call(bank, "v1/atms") } }
            _ = try await bank.waitForExchange()
        }
        await client.withLock { $0 }?.value
    }

    @Test func `a bank that ends before its test is reported`() async throws {
        let test = try running()
        let issues = try await issues {
            try await bank(test, .judged(.auth)) { await (try StubBank.current).stop() }
        }

        #expect(issues.count == 1)
        #expect(
            issues.first?.contains(
                "found the bank \"counterfoil\" ended before the test \"\(test.name)\", whose requests cannot be checked; expected the test not to "
                    + "stop it") == true, "\(issues)")
    }

    @Test func `a bank of another test is not used, until a reset`() async throws {
        let bank = try StubBank.current
        let other = RunningTest(name: "another test", position: "Elsewhere.swift:1:1")

        let error = await trouble { _ = try bank.live(for: other) }
        #expect(error?.code == .sharedByTests)
        let name = try running().name
        #expect(
            error?.message.hasPrefix(
                "found the bank \"counterfoil\" of the test \"\(name)\" used in the test \"another test\", which would share its money")
                == true, "\(String(describing: error))")
        #expect(error?.message.contains("expected each test to have its own bank: .stubBank(.counterfoil) or withStubBank.") == true)
        _ = try bank.live(for: nil)
        // The first test that uses a bank which no test has started owns it.
        let shared = try await Task.detached { try await StubBank.start(.login) }.value
        _ = try shared.live(for: other)
        #expect(await trouble { try shared.tokens.revoke() }?.code == .sharedByTests)
        try await shared.reset()
        try shared.tokens.revoke()
        #expect(await trouble { _ = try shared.live(for: other) }?.code == .sharedByTests)
        await shared.stop()
    }

    @Test(
        arguments: [
            ("paiy", true, "the test \"a test\" has .judged with an unknown name: found the rule \"paiy\", expected the suites ", "`pay`?"),
            ("pay.retry-same-byte", true, "the test \"a test\" has .judged with an unknown name: ", "did you mean `pay.retry-same-bytes`?"),
            (
                "pay", false, "found .judged(\"pay\") at the test \"a test\", which has no bank; expected .stubBank(.counterfoil)",
                "at the test or at its suite"
            ),
        ])
    func `judged with a mistake is reported`(_ name: String, _ hasBank: Bool, _ start: String, _ end: String) async throws {
        let error = await trouble {
            try JudgedTrait.judged(StubBank.RuleSet(rawValue: name)).check(RunningTest(name: "a test", position: ""), hasBank: hasBank)
        }

        #expect(error?.message.hasPrefix(start) == true, "\(String(describing: error))")
        #expect(error?.message.hasSuffix(end) == true, "\(String(describing: error))")
    }

    @Test func `current without a trait is an error that names the test`() async throws {
        let error = await StubBank.$running.withValue(nil) { await trouble { _ = try StubBank.current } }

        #expect(error?.code == .noCurrentBank)
        #expect(error?.message.hasPrefix("found StubBank.current used in the test \"\(try running().name)\", which has no bank; ") == true)
        #expect(error?.message.contains("; expected the trait .stubBank(.counterfoil), or with another bank, at the test") == true)
        let detached = await Task.detached { await trouble { _ = try StubBank.current } }.value
        #expect(detached?.message.hasPrefix("found StubBank.current used in a task that belongs to no test; ") == true)
    }

    @Test func `the names are those of the banks, their customers and roles`() async throws {
        let names: Set<StubBankName> = [.berlin, .bins, .counterfoil, .feed, .login, .openbanking, .roundup, .snapshot]
        let customers: Set<StubBank.Customer> = [.ava, .ben, .cleo, .dora, .elin, .nils]
        try await withStubBanks { banks in
            #expect(Set(banks.names) == names)
            var known: Set<StubBank.Customer> = []
            for name in banks.names { known.formUnion(try await banks.open(name).customers.map(\.customer)) }
            #expect(customers.subtracting(known).isEmpty)
        }
        let roles: [StubBank.Role] = [
            .accounts, .atms, .balance, .goals, .image, .login, .logout, .pay, .refresh, .transactions,
        ]
        let known = ["accounts", "atms", "balance", "goals", "image", "login", "logout", "pay", "refresh", "transactions"]
        #expect(roles.map(\.rawValue) == known)
    }
}

/// The running test.
private func running() throws -> RunningTest { try #require(RunningTest.current) }

/// Runs a separate test with a bank, as the trait does.
private func bank(_ test: RunningTest, _ judged: JudgedTrait..., body: @concurrent @Sendable () async throws -> Void) async throws {
    let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: 1, column: 1)
    try await StubBankTrait.stubBank(.counterfoil).run(test, at: location, judged, body)
}

/// The texts of the issues that the body records, which do not fail the test.
private func issues(_ body: () async throws -> Void) async throws -> [String] {
    let found = Locked<[String]>([])
    try await withKnownIssue {
        try await body()
    } matching: { issue in
        found.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
        return true
    }
    return found.withLock { $0 }
}

/// An app that sends a rejected token again.
private func stubborn(_ bank: StubBank) async throws {
    let token = try bank.tokens.issue(for: .ava)
    try bank.tokens.revoke()
    let http = connections()
    defer { http.finishTasksAndInvalidate() }
    for _ in 1...2 { _ = try await call(bank.url.appending(path: "v1/accounts"), over: http, token: token.text) }
}
