#if canImport(Testing)
import BankEngine
import Contracts
import Foundation
public import Testing

/// The trait `.stubBank`, which gives each test its own bank, as ``StubBank/current``: each test of a suite, and each case of a
/// parameterized test.
///
/// ```swift
/// @Suite(.stubBank(.counterfoil)) struct PocketAppTests {
///     @Test(.judged(.pay)) func `a payment whose response is lost moves money once`() async throws {
///         let bank = try StubBank.current
///         try bank.arrange { $0.account("ava-gbp").balance = "10.00 GBP" }
///         let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: .ava).text)
///         let lost = try await bank.inject(.loseReply(by: .reset), on: .role(.pay).attempt(1))
///
///         #expect(try await app.pay("4.00", from: "ava-gbp", to: "payee-lark") == "accepted")
///
///         #expect(lost.count == 1)
///         #expect(bank.ledger.movements.map(\.amount.description) == ["4.00 GBP"])
///         #expect(try bank.balance(of: "ava-gbp").major == "6.00")
///     }
/// }
/// ```
public struct StubBankTrait: TestTrait, SuiteTrait, TestScoping {
    /// The bank that each test gets.
    public let name: StubBankName
    /// The settings of the bank.
    public let options: StubBankOptions

    /// True: each test of a suite gets its own bank.
    public var isRecursive: Bool { true }

    /// Starts a bank, runs the test with it as ``StubBank/current``, checks the requests if the test has `.judged`, and ends the bank.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - testCase: the case of a parameterized test.
    ///   - function: runs the test.
    /// - Throws: ``StubBankError`` if the bank cannot be served; otherwise the test's error.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await run(RunningTest(test), at: test.sourceLocation, test.traits.compactMap { $0 as? JudgedTrait }, function)
    }

    func run(
        _ test: RunningTest, at location: SourceLocation, _ verdicts: [JudgedTrait],
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let bank = try await StubBank.start(name, options: options)
        try await finishing {
            do {
                try await StubBank.$running.withValue(bank, operation: function)
            } catch {
                // What the test did not come to is not a mistake of the app.
                for judged in verdicts { judged.record(bank, rulesBrokenOnly: true) }
                throw error
            }
            guard await bank.isAtRest(after: test, at: location) else { return }
            for judged in verdicts { judged.record(bank, rulesBrokenOnly: false) }
        } by: {
            await bank.stop()
        }
    }
}

/// The trait `.judged`, which checks the app's requests at the end of each test that has the trait `.stubBank`.
public struct JudgedTrait: TestTrait, SuiteTrait {
    let rules: [StubBank.RuleSet]
    let isSequential: Bool
    let sourceLocation: SourceLocation

    /// True: each test of a suite is checked.
    public var isRecursive: Bool { true }

    /// Checks that the rules exist and that the test has a bank.
    ///
    /// - Parameter test: the test.
    /// - Throws: ``StubBankError`` for an unknown suite or rule (with the nearest known one), or for a test without a
    ///   bank.
    public func prepare(for test: Test) async throws {
        if !test.isSuite { try check(RunningTest(test), hasBank: test.traits.contains { $0 is StubBankTrait }) }
    }

    func check(_ test: RunningTest, hasBank: Bool) throws(StubBankError) {
        do throws(StubBankError) {
            for rule in rules { try rule.check() }
        } catch {
            throw StubBankError(error.code, "the test \"\(test.name)\" has .judged with an unknown name: \(error.message)")
        }
        guard hasBank else {
            let names = rules.map { "\"\($0)\"" }.joined(separator: ", ")
            throw StubBankError(
                .noCurrentBank,
                "found .judged(\(names)) at the test \"\(test.name)\", which has no bank; expected .stubBank(.counterfoil), or "
                    + "another bank, at the test or at its suite")
        }
    }

    func record(_ bank: StubBank, rulesBrokenOnly: Bool) {
        bank.record(bank.result(rules, isSequential), rulesBrokenOnly: rulesBrokenOnly, at: sourceLocation)
    }
}

extension Trait where Self == StubBankTrait {
    /// Gives each test its own bank, as ``StubBank/current``: each test of a suite, and each case of a parameterized test.
    ///
    /// A server in this process serves it on a free port of 127.0.0.1, so tests may run at the same time. The bank ends with the
    /// test. An issue reports a test that ends while a request is in progress.
    ///
    /// - Parameters:
    ///   - name: the bank.
    ///   - options: the folder of the banks, the seed, the start of the clock, and whether the bank uses TLS.
    public static func stubBank(_ name: StubBankName, options: StubBankOptions = StubBankOptions()) -> Self {
        Self(name: name, options: options)
    }
}

extension Trait where Self == JudgedTrait {
    /// Checks the app's requests at the end of the test, with the rules of `counterfoil judge`. Each broken rule is an issue, and so
    /// is each suite of which no rule was exercised. The test needs `.stubBank`.
    ///
    /// - Parameters:
    ///   - rules: suites, or single rules by their ids; all rules if none is given.
    ///   - sequential: true if the app sends one request at a time, as in ``StubBank/require(_:sequential:within:)``.
    ///   - sourceLocation: where issues are reported.
    public static func judged(
        _ rules: StubBank.RuleSet..., sequential: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        Self(rules: rules, isSequential: sequential, sourceLocation: sourceLocation)
    }
}

extension StubBank {
    /// Checks the app by its requests so far, as ``require(_:sequential:within:)`` does, and continues: each broken rule is an issue of
    /// the test, and so is each suite of which no rule was exercised.
    ///
    /// ```swift
    /// try await bank.verify(.pay)
    /// ```
    ///
    /// - Parameters:
    ///   - rules: suites, or single rules by their ids; all rules if none is given.
    ///   - sequential: true if the app sends one request at a time.
    ///   - limit: the longest wait, in real time, for exchanges in progress; after it they are checked as they are.
    ///   - sourceLocation: where issues are reported.
    /// - Throws: ``StubBankError`` for an unknown suite or rule, outside a test of Swift Testing, or after the bank's end.
    public func verify(
        _ rules: RuleSet..., sequential: Bool = false, within limit: Duration = .seconds(30),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        guard Test.current != nil else {
            throw StubBankError(
                .noTest, "found verify outside a test of Swift Testing, where no issue is reported; expected require, which throws")
        }
        for rule in rules { try rule.check() }
        try await wait(limit) { $0.allSatisfy(\.hasEnded) }
        record(result(rules, sequential), rulesBrokenOnly: false, at: sourceLocation)
    }

    /// Reports a verdict as issues.
    ///
    /// - Parameter rulesBrokenOnly: true to leave out what was not exercised.
    fileprivate func record(_ result: JudgedJournal, rulesBrokenOnly: Bool, at location: SourceLocation) {
        for mistake in rulesBrokenOnly ? result.broken : result.mistakes {
            Issue.record("\(mistake)\n\n(\(result.origin))", sourceLocation: location)
        }
        for warning in result.report.warnings { warn(warning, at: location) }
    }

    /// Reports what does not fail the test: as an issue since Swift 6.3, whose Swift Testing has such issues, before on standard error.
    private func warn(_ text: String, at location: SourceLocation) {
        #if compiler(>=6.3)
        Issue.record("\(text)", severity: .warning, sourceLocation: location)
        #else
        FileHandle.standardError.write(Data((text + "\n").utf8))
        #endif
    }

    /// Whether the bank is there and no exchange is in progress, unless a fault holds it. Otherwise an issue is recorded.
    fileprivate func isAtRest(after test: RunningTest, at location: SourceLocation) async -> Bool {
        guard !hasEnded else {
            Issue.record(
                """
                found the bank "\(name)" ended before the test "\(test.name)", whose requests cannot be checked; expected the test not to \
                stop it: the trait .stubBank ends it
                """, sourceLocation: location)
            return false
        }
        try? await wait(.seconds(2)) { $0.underWay.isEmpty }
        let open = Journal(recorded.underWay)
        guard !open.isEmpty else { return true }
        Issue.record(
            """
            found \(open.count == 1 ? "an exchange" : "\(open.count) exchanges") in progress at the end of the test "\(test.name)", \
            expected none: await all work of the app, or its effects with bank.waitForExchange, before the test \
            ends\(open.map { "\n  \($0)" }.joined())
            """, sourceLocation: location)
        return false
    }
}
#endif
