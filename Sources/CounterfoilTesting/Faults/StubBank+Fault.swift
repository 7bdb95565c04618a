import BankEngine
import BankFiles
import BankModel
import Faults
import StubServer

extension StubBank {
    /// How one exchange goes wrong.
    ///
    /// Every kind has a function here. A fault may also be written as in the files, in YAML or JSON:
    /// `"{lose-reply: {by: reset}}"`, or its name alone: `"hang"`.
    public struct Fault: Sendable, ExpressibleByStringLiteral {
        private var form: Form

        private enum Form: Sendable {
            case settings(kind: String, JSONObject, after: String?)
            case text(String)
        }

        /// A fault as it is written in the files, in YAML or JSON. It is read when it is set.
        ///
        /// - Parameter text: such as `{lose-reply: {by: reset}}`, or a kind's name alone.
        public init(_ text: String) { form = .text(text) }

        /// A fault as it is written in the files, in YAML or JSON.
        public init(stringLiteral text: String) { self.init(text) }

        init(kind: String, object: JSONObject) { form = .settings(kind: kind, object, after: nil) }

        init(kind: String, _ settings: KeyValuePairs<String, JSON> = [:]) {
            self.init(kind: kind, object: JSONObject(settings.map { ($0.key, $0.value) }))
        }

        /// The same fault, delivered so much later, in real time: a rejection that arrives after a new sign-in.
        ///
        /// - Parameter delay: in steps of a millisecond.
        public func after(_ delay: Duration) -> Fault { late(delay.shortText) }

        /// The same fault, delivered when ``StubBank/release()`` is called.
        public func afterRelease() -> Fault { late("released") }

        private func late(_ after: String) -> Fault {
            var copy = self
            switch form {
            case .settings(let kind, let settings, _): copy.form = .settings(kind: kind, settings, after: after)
            // A mapping in braces is YAML too, so what stands in front stays as it was written.
            case .text(let text):
                let inner = text.contains(":") ? text.trimmingBraces : "\(text): {}"
                copy.form = .text("{\(inner), after: \(after)}")
            }
            return copy
        }

        /// As the reader of rules takes it.
        func node(_ complaints: Complaints) -> Node? {
            switch form {
            case .settings(let kind, let settings, let after):
                var object = JSONObject([(kind, .object(settings))])
                object["after"] = after.map(JSON.string)
                return Node(.object(object), at: Place(path: "fault"))
            case .text(let text): return Node.parse(yaml: text, file: "the fault's text", complaints)
            }
        }
    }

    /// Sets a rule: which exchanges get which fault, from now on.
    ///
    /// ```swift
    /// let lost = try await bank.fault(.loseReply(by: .reset), on: .role(.pay), times: 1)
    /// ```
    ///
    /// Rules are looked at in the order in which they were set; the first that matches strikes.
    ///
    /// - Parameters:
    ///   - fault: how it goes wrong.
    ///   - exchanges: which of them; all by default.
    ///   - strikes: which of those that match are struck; all by default.
    ///   - times: how many at most.
    ///   - timeToLive: real time after which the rule is gone.
    /// - Returns: the rule, to ask how often it has struck and to remove it.
    /// - Throws: ``StubBankError`` for settings or a text that are wrong, a rule that could never strike at this bank, or after
    ///   the bank's end.
    @discardableResult
    public func fault(
        _ fault: Fault, on exchanges: Exchanges = Exchanges(), strikes: Strikes = .all, times: Int? = nil, timeToLive: Duration? = nil
    ) async throws(StubBankError) -> Rule {
        try await set { complaints in
            var object = JSONObject()
            if exchanges != Exchanges() { object["on"] = exchanges.json }
            for (key, value) in strikes.members { object[key] = value }
            object["times"] = times.map { .int($0) }
            object["ttl"] = timeToLive.map { .string($0.shortText) }
            guard let fault = fault.node(complaints) else { return nil }
            guard case .mapping(let rest) = Node(.object(object)).content else { return nil }
            return Node(.mapping([(key: Node(.scalar("fault", quoted: true), at: Place(path: "fault")), value: fault)] + rest), at: Place())
        }
    }

    /// Sets a rule that is written as in the files, in YAML or JSON.
    ///
    /// ```swift
    /// try await bank.rule("{fault: {status: {status: 503, retry_after: 1}}, on: {role: accounts}, first: 1}")
    /// ```
    ///
    /// - Parameter text: with `fault`, and `on`, `nth`, `every`, `first`, `skip`, `times`, `probability`, `ttl` as you like.
    /// - Returns: the rule, to ask how often it has struck and to remove it.
    /// - Throws: ``StubBankError`` for a text that is wrong (with line and column), a rule that could never strike at this
    ///   bank, or after the bank's end.
    @discardableResult
    public func rule(_ text: String) async throws(StubBankError) -> Rule {
        try await set { complaints in Node.parse(yaml: text, file: "the rule's text", complaints) }
    }

    private func set(_ node: (Complaints) -> Node?) async throws(StubBankError) -> Rule {
        let session = try live()
        let rule: Faults.Rule
        do throws(ComplaintsError) {
            rule = try Complaints.collecting { complaints in node(complaints).flatMap { Faults.Rule($0, complaints) } }
        } catch {
            throw StubBankError(.faultyRule, error.description)
        }
        let id: String
        do throws(RuleError) {
            id = try session.set(rule)
        } catch {
            if case .needsTLS(let kind) = error {
                throw StubBankError(
                    .cannotStrike,
                    "found \(kind), which strikes a handshake, at a bank in clear text; expected one with StubBankOptions(tls: true)")
            }
            throw StubBankError(.cannotStrike, error.description)
        }
        await session.portsSettled()
        return Rule(bank: self, id: id)
    }

    /// Delivers what faults hold back until they are released.
    ///
    /// - Returns: how many exchanges that were.
    /// - Throws: ``StubBankError`` after the bank's end.
    @discardableResult
    public func release() throws(StubBankError) -> Int { try live().release() }

    /// Removes all rules, and ends what they hold. An outage goes on.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public func removeFaults() async throws(StubBankError) {
        let session = try live()
        session.removeRules()
        await session.portsSettled()
    }
}

extension String {
    /// Without white space and one pair of braces around it.
    fileprivate var trimmingBraces: String {
        let bytes = Array(utf8.drop { $0 == 0x20 || $0 == 0x0A }.reversed().drop { $0 == 0x20 || $0 == 0x0A }.reversed())
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}
