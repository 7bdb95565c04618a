import BankEngine
import BankFiles
import BankModel
import Faults
import StubServer

extension StubBank {
    /// A fault: the way in which one exchange fails. Every kind has a static member.
    public struct Fault: Sendable, Hashable {
        /// The kind of the fault.
        public let kind: Kind
        private let settings: JSONObject
        private var delay: String?

        /// - Parameter settings: those that are nil are left to their defaults.
        init(kind: Kind, _ settings: KeyValuePairs<String, JSON?> = [:]) {
            self.kind = kind
            self.settings = JSONObject(known: settings)
        }

        /// The same fault, delivered later: for example a rejection that arrives after a new sign-in.
        ///
        /// - Parameter delay: the delay in real time, in whole milliseconds.
        public func after(_ delay: Duration) -> Fault { late(delay.shortText) }

        /// The same fault, delivered when ``StubBank/release()`` is called.
        public func afterRelease() -> Fault { late("released") }

        private func late(_ after: String) -> Fault {
            var copy = self
            copy.delay = after
            return copy
        }

        /// The fault as input for the reader of rules, which checks its settings.
        var node: Node {
            let fault = JSON.object(known: [kind.rawValue: .object(settings), "after": delay.map(JSON.string)])
            return Node(fault, at: SourcePosition(path: "fault"))
        }
    }

    /// Injects a fault by a rule: from now on, the selected exchanges get it.
    ///
    /// ```swift
    /// let lost = try await bank.inject(.loseReply(by: .reset), on: .role(.pay).attempt(1))
    /// ```
    ///
    /// At each point of an exchange, the first rule that matches acts, in the order in which the rules were set.
    ///
    /// - Parameters:
    ///   - fault: the fault that the exchanges get.
    ///   - exchanges: the exchanges that the rule matches; all by default.
    ///   - occurrences: the matches that get the fault; all by default.
    ///   - times: the largest number of exchanges that get the fault; nil for no limit.
    ///   - timeToLive: the real time after which the rule is removed; nil for no limit.
    /// - Returns: the rule, which counts its matches and can be removed.
    /// - Throws: ``StubBankError`` for invalid settings, for a rule that can never act on this bank, or after the bank's
    ///   end.
    @discardableResult
    public func inject(
        _ fault: Fault, on exchanges: Exchanges = Exchanges(), occurrences: Occurrences = .all, times: Int? = nil,
        timeToLive: Duration? = nil
    ) async throws(StubBankError) -> Rule {
        try await set { _ in
            var members = JSONObject(occurrences.members)
            members["times"] = times.map { .int($0) }
            members["ttl"] = timeToLive.map { .string($0.shortText) }
            return StubBank.node(fault, on: exchanges, members)
        }
    }

    /// Adds a rule that is written in YAML or JSON, as in a bank's files.
    ///
    /// ```swift
    /// try await bank.addRule("{fault: {status: {status: 503, retry_after: 1}}, on: {role: accounts}, first: 1}")
    /// ```
    ///
    /// - Parameter text: a mapping with `fault` and, optionally, `on`, `nth`, `every`, `first`, `skip`, `times`, `probability` and
    ///   `ttl`.
    /// - Returns: the rule, which counts its matches and can be removed.
    /// - Throws: ``StubBankError`` for an invalid text (with line and column), for a rule that can never act on this bank, or
    ///   after the bank's end.
    @discardableResult
    public func addRule(_ text: String) async throws(StubBankError) -> Rule {
        try await set { complaints in Node.parse(yaml: text, file: "the rule's text", complaints) }
    }

    private func set(_ node: (Complaints) -> Node?) async throws(StubBankError) -> Rule {
        let session = try live()
        let rule = try StubBank.rule(node)
        let id = try StubBank.mappingErrors { () throws(RuleError) in try session.set(rule) }
        await session.waitForPorts()
        return Rule(bank: self, id: id)
    }

    /// A rule with a fault, as input for the reader of rules.
    ///
    /// - Parameter members: the rule's other members.
    static func node(_ fault: Fault, on exchanges: Exchanges, _ members: JSONObject = JSONObject()) -> Node? {
        let on = exchanges == Exchanges() ? [] : [("on", exchanges.json)]
        guard case .mapping(let rest) = Node(.object(JSONObject(on + members.members))).content else { return nil }
        return Node(
            .mapping([(key: Node(.scalar("fault", quoted: true), at: SourcePosition(path: "fault")), value: fault.node)] + rest),
            at: SourcePosition())
    }

    /// Reads a rule and checks its settings.
    static func rule(_ node: (Complaints) -> Node?) throws(StubBankError) -> Faults.Rule {
        do throws(ComplaintsError) {
            return try Complaints.collecting { complaints in node(complaints).flatMap { Faults.Rule($0, complaints) } }
        } catch {
            throw StubBankError(.invalidRule, error.description)
        }
    }

    static func mappingErrors<Value>(_ body: () throws(RuleError) -> Value) throws(StubBankError) -> Value {
        do throws(RuleError) {
            return try body()
        } catch {
            if case .needsTLS(let kind) = error {
                throw StubBankError(
                    .cannotAct,
                    "found \(kind), which acts on a handshake, at a bank in clear text; expected one with StubBankOptions(tls: true)")
            }
            throw StubBankError(.cannotAct, error.description)
        }
    }

    /// Delivers the exchanges that faults hold until they are released.
    ///
    /// - Returns: the number of exchanges that were held.
    /// - Throws: ``StubBankError`` after the bank's end.
    @discardableResult
    public func release() throws(StubBankError) -> Int { try live().release() }

    /// Removes all rules and drops the exchanges that they hold. A running outage continues.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public func removeRules() async throws(StubBankError) {
        let session = try live()
        session.removeRules()
        await session.waitForPorts()
    }
}

extension StubBank {
    /// A rule that is set at the bank.
    public struct Rule: Sendable {
        let bank: StubBank
        /// The rule's id in the journal, such as `rule-1`.
        public let id: String

        /// The number of exchanges that got the rule's fault; after its removal, as many as had got it then.
        public var count: Int { bank.session.counts(ofRule: id)?.applied ?? 0 }

        /// The number of exchanges that the rule has matched, whether it was their turn or not.
        public var matched: Int { bank.session.counts(ofRule: id)?.matched ?? 0 }

        /// Removes the rule and drops the exchanges that it holds.
        ///
        /// - Throws: ``StubBankError`` if the rule is gone already, or after the bank's end.
        public func remove() async throws(StubBankError) {
            let session = try bank.live()
            guard session.removeRule(id) else { throw gone }
            await session.waitForPorts()
        }

        private var gone: StubBankError {
            StubBankError(.unknownRule, "found \(id) removed or expired, expected a rule that is set at the bank \"\(bank.name)\"")
        }
    }

    /// The matches of a rule that get its fault, by their number from 1.
    public struct Occurrences: Sendable {
        let members: [(key: String, value: JSON)]

        /// Every match.
        public static let all = Occurrences(members: [])

        /// Only the `n`th match.
        public static func nth(_ n: Int) -> Occurrences { Occurrences(members: [("nth", .int(n))]) }

        /// Every `n`th match.
        public static func every(_ n: Int) -> Occurrences { Occurrences(members: [("every", .int(n))]) }

        /// Only the first `n` matches.
        public static func first(_ n: Int) -> Occurrences { Occurrences(members: [("first", .int(n))]) }

        /// Every match after the first `n`.
        public static func skipping(_ n: Int) -> Occurrences { Occurrences(members: [("skip", .int(n))]) }

        /// Each match with probability `p`, from 0 to 1. The bank's seed decides: the same requests get the same faults.
        public static func probability(_ p: Double) -> Occurrences {
            Occurrences(members: [("probability", .double(p))])
        }
    }
}
