import BankEngine
import BankModel
import Contracts
public import Foundation
import StubServer

extension StubBank {
    /// Judges the app by what it did at this bank so far: the same rules as `counterfoil judge`.
    ///
    /// A rule says something only once its trigger was met: a bank that never rejected a token cannot tell whether the app
    /// would have forgotten it. Of every name that is given some rule must have been exercised, so that a test cannot pass
    /// because nothing happened.
    ///
    /// ```swift
    /// try await bank.expect("pay")
    /// ```
    ///
    /// - Parameters:
    ///   - names: suites (`auth`) or rules (`auth.no-empty-bearer`); all rules if none is named.
    ///   - limit: how long exchanges that are under way may take to end, in real time; then they are judged as they are.
    /// - Returns: what each rule says.
    /// - Throws: ``BrokenRules``, whose description is the verdict as it is told to people; ``StubBankError`` for an unknown
    ///   name (with the nearest that is known), or after the bank's end.
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
        let (suites, rules) = (AttachedRule.suites, AttachedRule.all.map(\.id))
        guard !suites.contains(name), !rules.contains(name) else { return }
        // Whoever writes `auth.` something has looked for a rule; others for a suite.
        let suite = String(name.prefix { $0 != "." })
        let known = name.contains(".") && suites.contains(suite) ? rules.filter { $0.hasPrefix(suite + ".") } : suites
        let hint = nearestName(to: name, among: suites + rules).map { "; did you mean \"\($0)\"?" } ?? ""
        throw StubBankError(
            .unknownSuite, "found \"\(name)\", expected \(oneOf(known)): nothing else can be judged by a journal\(hint)")
    }

    /// What the journal says of the app.
    public struct Verdict: Sendable, Hashable {
        /// Every rule that was asked for.
        public let rules: [Rule]

        /// What one rule says.
        public struct Rule: Sendable, Hashable {
            /// Such as `auth.no-empty-bearer`.
            public let id: String
            /// The rule in a sentence, with its source.
            public let why: String
            /// False for what a client should do and need not.
            public let isMust: Bool
            /// How often its trigger was met.
            public let met: Int
            /// What it says.
            public let outcome: Outcome
        }

        /// What a rule can say.
        public enum Outcome: String, Sendable, CaseIterable {
            /// Its trigger was met, and the app did right each time.
            case kept
            /// The app did wrong.
            case broken
            /// Its trigger was never met.
            case notExercised
            /// The journal cannot tell: it dropped entries, or a request came so soon after a reply that it may have been sent before
            /// the reply was read.
            case inconclusive
        }
    }
}

/// The app broke rules, or never came to them: thrown by ``StubBank/expect(_:within:)``.
public struct BrokenRules: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// What each rule says.
    public let verdict: StubBank.Verdict
    /// The names that were expected and of which no rule was exercised.
    public let silent: [String]
    /// Each broken rule with what was expected, what was seen and the exchanges that show it; then what was not exercised.
    public let description: String

    fileprivate init(verdict: StubBank.Verdict, silent: [String], report: AttachedReport, seed: UInt64) {
        (self.verdict, self.silent) = (verdict, silent)
        var parts = silent.map { name in
            let triggers = report.rules.filter { $0.id == name || $0.suite == name }.map { "  \($0.id): when \($0.trigger)" }
            let isOpen = report.rules.contains { ($0.id == name || $0.suite == name) && $0.verdict == .inconclusive }
            if isOpen { return "\"\(name)\" was expected, and the journal cannot tell whether the app did right" }
            return "\"\(name)\" was expected and not exercised: the app never came to\n" + triggers.joined(separator: "\n")
        }
        if report.exchanges == 0 { parts.append("the bank was sent no request at all: does the app use bank.url?") }
        description = "bank \"\(report.bank)\", seed \(seed)\n\n" + (parts + [report.text()]).joined(separator: "\n\n")
    }

    /// The same: what XCTest shows.
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
