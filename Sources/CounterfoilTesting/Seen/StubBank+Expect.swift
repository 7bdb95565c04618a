import BankEngine
import BankModel
import Contracts
public import Foundation
import StubServer

extension StubBank {
    /// Judges the app by its requests at this bank so far, with the rules of `counterfoil judge`.
    ///
    /// A rule has an outcome only if its trigger occurred: a bank that never rejected a token cannot show whether the app would
    /// have deleted it. For every given name, at least one rule must have been exercised, so that a test cannot pass because
    /// nothing happened.
    ///
    /// ```swift
    /// try await bank.expect("pay")
    /// ```
    ///
    /// - Parameters:
    ///   - names: suites (`auth`) or rules (`auth.no-empty-bearer`); all rules if no name is given.
    ///   - limit: the longest wait, in real time, for exchanges in progress; after it they are judged as they are.
    /// - Returns: the outcome of each rule.
    /// - Throws: ``BrokenRules``, whose description is the verdict as text; ``StubBankError`` for an unknown name (with the
    ///   nearest known one), or after the bank's end.
    @discardableResult
    public func expect(_ names: String..., within limit: Duration = .seconds(30)) async throws -> Verdict {
        for name in names { try StubBank.check(name) }
        try await wait(limit) { $0.allSatisfy(\.hasEnded) }
        let session = try live()
        let (entries, dropped) = session.journal()
        var report = AttachedReport(session: session.id, bank: self.name, journal: entries, dropped: dropped)
        if !names.isEmpty { report.rules.removeAll { rule in !names.contains { $0 == rule.id || $0 == rule.suite } } }
        let silent = names.filter { name in
            !report.rules.contains { ($0.id == name || $0.suite == name) && [.pass, .fail].contains($0.verdict) }
        }
        let verdict = Verdict(report)
        let isBroken = verdict.rules.contains { $0.isMust && $0.outcome == .broken }
        if isBroken || !silent.isEmpty || dropped > 0 || (names.isEmpty && !verdict.rules.contains { $0.outcome == .kept }) {
            throw BrokenRules(verdict: verdict, silent: silent, report: report, seed: seed)
        }
        return verdict
    }

    private static func check(_ name: String) throws(StubBankError) {
        let suites = AttachedRule.suites
        let rules = AttachedRule.all.map(\.id)
        guard !suites.contains(name), !rules.contains(name) else { return }
        // A name that begins with `auth.` is meant as a rule, a name without a point as a suite.
        let suite = String(name.prefix { $0 != "." })
        let known = name.contains(".") && suites.contains(suite) ? rules.filter { $0.hasPrefix(suite + ".") } : suites
        let hint = didYouMean(name, among: suites + rules)
        throw StubBankError(
            .unknownSuite, "found \"\(name)\", expected \(oneOf(known)): nothing else can be judged by a journal\(hint)")
    }

    /// The outcome of every rule, judged from the journal.
    public struct Verdict: Sendable, Hashable {
        /// The rules that were judged.
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
            /// The journal does not show it: entries were dropped, or a request arrived so soon after a reply that the app may have
            /// sent it before it read the reply.
            case inconclusive
        }
    }
}

/// The error of ``StubBank/expect(_:within:)``: the app broke rules, or did not exercise them.
public struct BrokenRules: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The outcome of each rule.
    public let verdict: StubBank.Verdict
    /// The expected names for which no rule was exercised.
    public let silent: [String]
    /// The verdict as text: the expected names that were not exercised, then each broken rule with the exchanges that show it.
    public let description: String

    fileprivate init(verdict: StubBank.Verdict, silent: [String], report: AttachedReport, seed: UInt64) {
        self.verdict = verdict
        self.silent = silent
        var parts = silent.map { name in
            let triggers = report.rules.filter { $0.id == name || $0.suite == name }.map { "  \($0.id): when \($0.trigger)" }
            let isOpen = report.rules.contains { ($0.id == name || $0.suite == name) && $0.verdict == .inconclusive }
            if isOpen { return "\"\(name)\" was expected, and the journal cannot tell whether the app did right" }
            return "\"\(name)\" was expected and not exercised: the app never came to\n" + triggers.joined(separator: "\n")
        }
        if report.exchanges == 0 { parts.append("the bank was sent no request at all: does the app use bank.url?") }
        description = "bank \"\(report.bank)\", seed \(seed)\n\n" + (parts + [report.text()]).joined(separator: "\n\n")
    }

    /// The same text as ``description``; XCTest shows it.
    public var errorDescription: String? { description }
}

extension StubBank.Verdict {
    fileprivate init(_ report: AttachedReport) {
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
