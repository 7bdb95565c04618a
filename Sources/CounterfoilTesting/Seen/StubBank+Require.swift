import BankEngine
import BankModel
import Contracts
public import Foundation
import StubServer

extension StubBank {
    /// Checks the app by its requests at this bank so far, with the rules of `counterfoil judge`, and throws if it broke one. In Swift
    /// Testing, `verify` reports issues instead and continues, and the trait `.judged` does so at the end of a test.
    ///
    /// A rule has an outcome only if its trigger occurred: a bank that never rejected a token cannot show whether the app would
    /// have deleted it. Of every given suite at least one rule must have been exercised, and every given rule, so that a test cannot
    /// pass because nothing happened.
    ///
    /// ```swift
    /// try await bank.require(.auth)
    /// ```
    ///
    /// - Parameters:
    ///   - rules: suites, or single rules by their ids, such as `"auth.no-empty-bearer"`; all rules if none is given.
    ///   - sequential: true if the app sends one request at a time, each after it has read the response to the one before. Then a request
    ///     that follows a response within milliseconds on another connection counts as sent in knowledge of it; else the rule is
    ///     inconclusive, and a warning on stderr reports it.
    ///   - limit: the longest wait, in real time, for exchanges in progress; after it they are checked as they are.
    /// - Returns: the outcome of each rule.
    /// - Throws: ``BrokenRules``, whose description is the result as text; ``StubBankError`` for an unknown suite or rule (with the
    ///   nearest known one), for a rule that needs a driver, or after the bank's end.
    @discardableResult
    public func require(_ rules: RuleSet..., sequential: Bool = false, within limit: Duration = .seconds(30)) async throws -> Verdict {
        for rule in rules { try rule.check() }
        try await wait(limit) { $0.allSatisfy(\.hasEnded) }
        let result = result(rules, sequential)
        guard result.mistakes.isEmpty else { throw BrokenRules(result) }
        for warning in result.report.warnings { FileHandle.standardError.write(Data((warning + "\n").utf8)) }
        return result.verdict
    }

    /// The outcome of the rules for the journal so far.
    func result(_ rules: [RuleSet], _ isSequential: Bool) -> JudgedJournal {
        var report = session.verdict(isSequential: isSequential)
        if !rules.isEmpty { report.rules.removeAll { rule in !rules.contains { $0.includes(rule) } } }
        return JudgedJournal(report: report, wanted: rules, seed: seed)
    }

    /// A suite of rules that a journal alone can show broken, or one such rule by its id: `"auth.no-empty-bearer"`.
    public struct RuleSet: OpenName {
        /// The suite, or the rule's id as verdicts name it.
        public let rawValue: String

        /// Creates the name of a suite or a rule.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Tokens, sign-in and refresh, and the data that an app deletes with a token.
        public static let auth: Self = "auth"
        /// The rules of every request: secrets, own tokens, bounds.
        public static let invariant: Self = "invariant"
        /// Idempotency keys and payments.
        public static let pay: Self = "pay"
        /// Retries: how often, how soon, and after which responses.
        public static let retry: Self = "retry"
        /// Redirects.
        public static let wire: Self = "wire"
        /// The responses of a receiver of webhooks.
        public static let webhooks: Self = "webhooks"

        func includes(_ rule: JournalReport.Outcome) -> Bool { includes(rule.id) }

        /// Whether it is that rule, or a suite for which the rule counts, as for `counterfoil judge --suites`.
        func includes(_ id: String) -> Bool { id == rawValue || ClientRule.counts(id, for: rawValue) }

        /// - Throws: ``StubBankError`` if there is no such suite or rule, or it needs more than a journal.
        func check() throws(StubBankError) {
            let rules = ClientRule.judged.map(\.id)
            let known = ClientRule.suites + rules
            guard !known.contains(rawValue) else { return }
            let suite = String(rawValue.prefix { $0 != "." })
            let ofItsSuite = rules.filter { $0.hasPrefix(suite + ".") }
            let expected =
                ofItsSuite.isEmpty ? "the suites \(oneOf(ClientRule.suites)), or the id of one of their rules" : oneOf(ofItsSuite)
            let only = "expected \(expected): no other case can be checked with a journal"
            if let reason = ClientRule.reasonNotJudged(rawValue) {
                throw StubBankError(.unknownRule, "found the rule \"\(rawValue)\", which is not checked here: \(reason); \(only)")
            }
            throw StubBankError(
                .unknownRule,
                "found the rule \"\(rawValue)\", \(only)" + didYouMean(rawValue, among: rawValue.contains(".") ? rules : known))
        }
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
            /// True if a client must comply with the rule, false if it only should.
            public let isMust: Bool
            /// The number of times that the rule's trigger occurred.
            public let met: Int
            /// The rule's outcome.
            public let outcome: Outcome
        }

        /// The outcome of a rule.
        public enum Outcome: String, Sendable, CaseIterable {
            /// The trigger occurred, and the app complied with the rule each time.
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

/// The error of ``StubBank/require(_:sequential:within:)``: the app broke rules, or did not exercise them.
public struct BrokenRules: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The outcome of each rule.
    public let verdict: StubBank.Verdict
    /// The expected suites and rules of which nothing was exercised.
    public let notExercised: [StubBank.RuleSet]
    /// The result as text: what was expected and not exercised, then each broken rule with the exchanges that show it.
    public let description: String

    fileprivate init(_ result: JudgedJournal) {
        verdict = result.verdict
        notExercised = result.silent
        description = ([result.origin] + result.gaps + [result.report.text()]).joined(separator: "\n\n")
    }

    /// The same text as ``description``; XCTest shows it.
    public var errorDescription: String? { description }
}

/// What a journal shows of the wanted rules.
struct JudgedJournal {
    let report: JournalReport
    let wanted: [StubBank.RuleSet]
    let seed: UInt64

    /// `bank "counterfoil", seed 7`
    var origin: String { "bank \"\(report.bank)\", seed \(seed)" }

    /// The wanted suites and rules of which nothing was exercised.
    var silent: [StubBank.RuleSet] {
        wanted.filter { wanted in !report.rules.contains { wanted.includes($0) && [.pass, .fail].contains($0.verdict) } }
    }

    /// One text for each broken rule.
    var broken: [String] { report.rules.filter { $0.verdict == .fail && $0.level == .must }.map(report.text) }

    /// What was not exercised or not recorded, in sentences.
    var gaps: [String] {
        var gaps = silent.map { name in
            // Not of the report, which has no rules for webhooks without deliveries.
            let triggers = ClientRule.judged.filter { name.includes($0.id) }.map { "  \($0.id): when \($0.trigger)" }
            if report.rules.contains(where: { name.includes($0) && $0.verdict == .inconclusive }) {
                return "\"\(name)\" was expected, but the journal is not enough to decide whether the app passed"
            }
            return "\"\(name)\" was expected, but not exercised: the app never triggered\n" + triggers.joined(separator: "\n")
        }
        if report.exchanges == 0 { gaps.append("the bank received no request: does the app use bank.url?") }
        return gaps
    }

    /// Everything for which the app does not pass; empty if it does.
    var mistakes: [String] {
        var mistakes = broken
        if !silent.isEmpty { mistakes += gaps }
        if report.dropped > 0 { mistakes.append("\(report.droppedText): without them, no rule can pass") }
        if mistakes.isEmpty, wanted.isEmpty, report.count(.pass) == 0 { mistakes += gaps + [report.text()] }
        return mistakes
    }

    var verdict: StubBank.Verdict {
        StubBank.Verdict(
            rules: report.rules.map { rule in
                let outcome: StubBank.Verdict.Outcome =
                    switch rule.verdict {
                    case .pass: .kept
                    case .fail: .broken
                    case .notExercised: .notExercised
                    default: .inconclusive
                    }
                return StubBank.Verdict.Rule(id: rule.id, why: rule.why, isMust: rule.level == .must, met: rule.met, outcome: outcome)
            })
    }
}
