import BankEngine
import BankModel
import Contracts
public import Foundation
import StubServer

extension StubBank {
    /// Checks the app by its requests at this bank so far, with the rules of `counterfoil judge`.
    ///
    /// A rule has an outcome only if its trigger occurred: a bank that never rejected a token cannot show whether the app would
    /// have deleted it. Of every given suite at least one rule must have been exercised, so that a test cannot pass because
    /// nothing happened.
    ///
    /// ```swift
    /// try await bank.expect(.pay)
    /// ```
    ///
    /// - Parameters:
    ///   - suites: the suites to check; all rules if none is given.
    ///   - sequential: true if the app sends one request at a time, each after it has read the response to the one before. Then a request
    ///     that follows a response within milliseconds on another connection counts as sent in knowledge of it; else the rule is
    ///     inconclusive, and a warning on stderr says so.
    ///   - limit: the longest wait, in real time, for exchanges in progress; after it they are checked as they are.
    /// - Returns: the outcome of each rule.
    /// - Throws: ``BrokenRules``, whose description is the result as text; or ``StubBankError`` after the bank's end.
    @discardableResult
    public func expect(_ suites: Suite..., sequential: Bool = false, within limit: Duration = .seconds(30)) async throws -> Verdict {
        try await expect(names: suites.map(\.rawValue), sequential, within: limit)
    }

    /// Checks the app by single rules, each of which must have been exercised.
    ///
    /// - Parameters:
    ///   - rules: the rules' ids, as verdicts name them: `auth.no-empty-bearer`; all rules if the array is empty.
    ///   - sequential: true if the app sends one request at a time, as in ``expect(_:sequential:within:)``.
    ///   - limit: the longest wait, in real time, for exchanges in progress; after it they are checked as they are.
    /// - Returns: the outcome of each rule.
    /// - Throws: ``BrokenRules``, whose description is the result as text; ``StubBankError`` for an unknown rule (with the
    ///   nearest known one), or after the bank's end.
    @discardableResult
    public func expect(rules: [String], sequential: Bool = false, within limit: Duration = .seconds(30)) async throws -> Verdict {
        for id in rules { try StubBank.check(id) }
        return try await expect(names: rules, sequential, within: limit)
    }

    /// A suite of rules that a journal alone can show broken.
    public enum Suite: String, Sendable, CaseIterable {
        /// Tokens, sign-in, refresh and what an app forgets with them.
        case auth
        /// Idempotency keys and payments.
        case pay
        /// Asking again: how often, how soon, and after which responses.
        case retry
        /// Redirects.
        case wire
        /// The rules of every request: secrets, own tokens, bounds.
        case invariant
    }

    /// - Parameter names: suites or ids of rules.
    private func expect(names: [String], _ isSequential: Bool, within limit: Duration) async throws -> Verdict {
        try await wait(limit) { $0.allSatisfy(\.hasEnded) }
        let session = try live()
        var report = session.verdict(isSequential: isSequential)
        if !names.isEmpty { report.rules.removeAll { rule in !names.contains { $0 == rule.id || $0 == rule.suite } } }
        let silent = names.filter { name in
            !report.rules.contains { ($0.id == name || $0.suite == name) && [.pass, .fail].contains($0.verdict) }
        }
        let verdict = Verdict(report)
        let isBroken = verdict.rules.contains { $0.isMust && $0.outcome == .broken }
        if isBroken || !silent.isEmpty || report.dropped > 0 || (names.isEmpty && !verdict.rules.contains { $0.outcome == .kept }) {
            throw BrokenRules(verdict: verdict, notExercised: silent, report: report, seed: seed)
        }
        for warning in report.warnings { FileHandle.standardError.write(Data((warning + "\n").utf8)) }
        return verdict
    }

    private static func check(_ id: String) throws(StubBankError) {
        let rules = ClientRule.ofJournals.map(\.id)
        guard !rules.contains(id) else { return }
        let ofItsSuite = rules.filter { $0.hasPrefix(id.prefix { $0 != "." } + ".") }
        let known = ofItsSuite.isEmpty ? rules : ofItsSuite
        throw StubBankError(
            .unknownRule,
            "found the rule \"\(id)\", expected \(oneOf(known)): no other case can be checked with a journal"
                + didYouMean(id, among: rules))
    }

    /// The outcome of every rule, checked in the journal.
    public struct Verdict: Sendable, Hashable {
        /// The rules that were checked.
        public let rules: [Rule]

        /// One rule with its outcome.
        public struct Rule: Sendable, Hashable {
            /// The rule's id, such as `auth.no-empty-bearer`.
            public let id: String
            /// The rule in a sentence, with its source.
            public let why: String
            /// True if a client must keep the rule, false if it only should.
            public let isMust: Bool
            /// The number of times that the rule's trigger occurred.
            public let met: Int
            /// The rule's outcome.
            public let outcome: Outcome
        }

        /// The outcome of a rule.
        public enum Outcome: String, Sendable, CaseIterable {
            /// The trigger occurred, and the app kept the rule each time.
            case kept
            /// The app broke the rule at least once.
            case broken
            /// The trigger never occurred.
            case notExercised
            /// The journal does not show it: entries were dropped, or a request arrived so soon after a response that the app may have
            /// sent it before it read the response.
            case inconclusive
        }
    }
}

/// The error of ``StubBank/expect(_:sequential:within:)``: the app broke rules, or did not exercise them.
public struct BrokenRules: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The outcome of each rule.
    public let verdict: StubBank.Verdict
    /// The expected suites and rules of which nothing was exercised, by name.
    public let notExercised: [String]
    /// The result as text: what was expected and not exercised, then each broken rule with the exchanges that show it.
    public let description: String

    fileprivate init(verdict: StubBank.Verdict, notExercised: [String], report: JournalReport, seed: UInt64) {
        self.verdict = verdict
        self.notExercised = notExercised
        var parts = notExercised.map { name in
            let triggers = report.rules.filter { $0.id == name || $0.suite == name }.map { "  \($0.id): when \($0.trigger)" }
            let isOpen = report.rules.contains { ($0.id == name || $0.suite == name) && $0.verdict == .inconclusive }
            if isOpen { return "\"\(name)\" was expected, but the journal is not enough to decide whether the app passed" }
            return "\"\(name)\" was expected, but not exercised: the app never triggered\n" + triggers.joined(separator: "\n")
        }
        if report.exchanges == 0 { parts.append("the bank received no request: does the app use bank.url?") }
        description = "bank \"\(report.bank)\", seed \(seed)\n\n" + (parts + [report.text()]).joined(separator: "\n\n")
    }

    /// The same text as ``description``; XCTest shows it.
    public var errorDescription: String? { description }
}

extension StubBank.Verdict {
    fileprivate init(_ report: JournalReport) {
        self.init(
            rules: report.rules.map { rule in
                let outcome: Outcome =
                    switch rule.verdict {
                    case .pass: .kept
                    case .fail: .broken
                    case .notExercised: .notExercised
                    default: .inconclusive
                    }
                return Rule(id: rule.id, why: rule.why, isMust: rule.level == .must, met: rule.met, outcome: outcome)
            })
    }
}
