import BankEngine
import BankFiles
import BankModel
import Faults
import StubServer

extension StubBank {
    /// A fault: the way in which one exchange fails.
    ///
    /// Every kind has a static member. A fault can also be written in YAML or JSON, as in a bank's files:
    /// `"{lose-reply: {by: reset}}"`, or the kind alone: `"hang"`.
    public struct Fault: Sendable, ExpressibleByStringLiteral {
        private var form: Form

        private enum Form: Sendable {
            case settings(kind: Kind, JSONObject, after: String?)
            case text(String)
        }

        /// Creates a fault from YAML or JSON. The text is checked when the fault is set.
        ///
        /// - Parameter text: a mapping such as `{lose-reply: {by: reset}}`, or a kind alone, such as `hang`.
        public init(_ text: String) { form = .text(text) }

        /// Creates a fault from YAML or JSON. The text is checked when the fault is set.
        public init(stringLiteral text: String) { self.init(text) }

        init(kind: Kind, object: JSONObject) { form = .settings(kind: kind, object, after: nil) }

        init(kind: Kind, _ settings: KeyValuePairs<String, JSON> = [:]) {
            self.init(kind: kind, object: JSONObject(settings.map { ($0.key, $0.value) }))
        }

        /// The same fault, delivered later: for example a rejection that arrives after a new sign-in.
        ///
        /// - Parameter delay: the delay in real time, in whole milliseconds.
        public func after(_ delay: Duration) -> Fault { late(delay.shortText) }

        /// The same fault, delivered when ``StubBank/release()`` is called.
        public func afterRelease() -> Fault { late("released") }

        private func late(_ after: String) -> Fault {
            var copy = self
            switch form {
            case .settings(let kind, let settings, _): copy.form = .settings(kind: kind, settings, after: after)
            // A mapping in braces is YAML too: the fault's own text stays unchanged before `after`.
            case .text(let text):
                let inner = text.contains(":") ? text.trimmingBraces : "\(text): {}"
                copy.form = .text("{\(inner), after: \(after)}")
            }
            return copy
        }

        /// The fault as input for the reader of rules; nil if its text is no YAML.
        func node(_ complaints: Complaints) -> Node? {
            switch form {
            case .settings(let kind, let settings, let after):
                var object = JSONObject([(kind.rawValue, .object(settings))])
                object["after"] = after.map(JSON.string)
                return Node(.object(object), at: SourcePosition(path: "fault"))
            case .text(let text): return Node.parse(yaml: text, file: "the fault's text", complaints)
            }
        }
    }

    /// Injects a fault by a rule: from now on, the selected exchanges get it.
    ///
    /// ```swift
    /// let lost = try await bank.inject(.loseReply(by: .reset), on: .role(.pay), times: 1)
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
    /// - Throws: ``StubBankError`` for invalid settings or text, for a rule that can never act on this bank, or after the bank's
    ///   end.
    @discardableResult
    public func inject(
        _ fault: Fault, on exchanges: Exchanges = Exchanges(), occurrences: Occurrences = .all, times: Int? = nil,
        timeToLive: Duration? = nil
    ) async throws(StubBankError) -> Rule {
        try await set { complaints in
            var object = JSONObject()
            if exchanges != Exchanges() { object["on"] = exchanges.json }
            for (key, value) in occurrences.members { object[key] = value }
            object["times"] = times.map { .int($0) }
            object["ttl"] = timeToLive.map { .string($0.shortText) }
            guard let fault = fault.node(complaints) else { return nil }
            guard case .mapping(let rest) = Node(.object(object)).content else { return nil }
            return Node(
                .mapping([(key: Node(.scalar("fault", quoted: true), at: SourcePosition(path: "fault")), value: fault)] + rest),
                at: SourcePosition())
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
        let rule: Faults.Rule
        do throws(ComplaintsError) {
            rule = try Complaints.collecting { complaints in node(complaints).flatMap { Faults.Rule($0, complaints) } }
        } catch {
            throw StubBankError(.invalidRule, error.description)
        }
        let id: String
        do throws(RuleError) {
            id = try session.set(rule)
        } catch {
            if case .needsTLS(let kind) = error {
                throw StubBankError(
                    .cannotAct,
                    "found \(kind), which acts on a handshake, at a bank in clear text; expected one with StubBankOptions(tls: true)")
            }
            throw StubBankError(.cannotAct, error.description)
        }
        await session.portsSettled()
        return Rule(bank: self, id: id)
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
        await session.portsSettled()
    }
}

extension String {
    /// The text without surrounding white space and one pair of braces.
    fileprivate var trimmingBraces: String {
        let bytes = Array(utf8.drop { $0 == 0x20 || $0 == 0x0A }.reversed().drop { $0 == 0x20 || $0 == 0x0A }.reversed())
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}
