import BankModel
import DriverProtocol
import Faults

extension Scene {
    /// The exchanges that rules of the case were applied to, in the order of time.
    var affected: [JournalEntry] {
        let ids = Set(evidence.rules.map(\.id))
        return exchanges.filter { $0.isAffected(by: ids) }
    }

    /// The intents that a rule was armed for: those asked for next; none if nothing is paid after it.
    func intents(meantBy armed: Evidence.ArmedRule) -> [String] {
        let later = steps.filter { $0.n > armed.step && $0.action.intent != nil }
        guard let first = later.first else { return [] }
        let group = group(of: first.n)
        return later.filter { group.contains($0.n) }.compactMap(\.action.intent)
    }

    /// The intents that the rule was applied to in place of those that it was set for; nil if it was applied to one of these, or to none.
    func othersAffected(by armed: Evidence.ArmedRule) -> [String]? {
        let meant = intents(meantBy: armed)
        let affected = exchanges.filter { $0.isAffected(by: [armed.id]) }.compactMap(intent)
        guard !meant.isEmpty, !affected.isEmpty, !affected.contains(where: meant.contains) else { return nil }
        return distinct(affected)
    }

    /// Why a rule was applied to a request of another intent than it was set for, as a relative clause; empty if no habit of the client explains
    /// it.
    func reasonElsewhere(_ armed: Evidence.ArmedRule) -> Phrase {
        let meant = intents(meantBy: armed)
        let first = exchanges.first { $0.isAffected(by: [armed.id]) }?.monoNanoseconds ?? .max
        let earlier = exchanges(after: armed.step).filter { exchange in
            exchange.monoNanoseconds < first && meant.contains(intent(of: exchange) ?? "")
        }
        guard !earlier.isEmpty else { return ", which the client sent before any for payment order \(meant.joined(separator: ", "))" }
        let habits = Scene.habits(in: armed.rule.on)
        guard !habits.isEmpty, !earlier.contains(where: { armed.rule.on.matches($0.facts) }) else { return "" }
        return ", because none before for payment order \(meant.joined(separator: ", ")) was as the rule selects: \(fixed: habits)"
    }

    /// Why a rule of the case was never applied, where no client need do what it waits for: sign in with a name and a password, sign out at the
    /// bank, open a stream, ask where the bank's page is, retry, keep connections, ask for compressed responses, or send as many requests; nil
    /// if it was applied, or no request was near.
    func habitMissed(by armed: Evidence.ArmedRule) -> String? {
        guard armed.applied == 0, evidence.dropped == 0 else { return nil }
        if armed.rule.on.role == .login, signsInOnPage {
            return "the client signs in on the bank's page, without the call for a name and a password"
        }
        if armed.rule.on.role == .logout,
            steps.contains(where: { $0.n > armed.step && $0.action.asked == .logout && signsOutWithoutRequest(in: $0.n) })
        {
            return "the client signed out without a request to the bank, or sent it later"
        }
        if armed.rule.kind == StreamEventsFault.kind, watchesWithoutStream(after: armed) {
            return "the client watches the account without the bank's stream"
        }
        if metAllButHabits(armed) { return "no request was as the rule selects: \(Scene.habits(in: armed.rule.on))" }
        let met = exchanges(after: armed.step).filter { armed.rule.on.matches($0.facts) }
        guard !met.isEmpty else {
            return armed.rule.on.path?.hasPrefix(Scene.metadataPrefix) ?? false ? "the client did not ask for the bank's metadata" : nil
        }
        let number = armed.rule.count.leastNumber
        if met.count < number {
            return "the client sent \(counted(met.count, "request")) of this kind, and the rule is for number \(number)"
        }
        let reasons = met.flatMap(\.faults).filter { $0.rule == armed.id }.map(\.reason)
        guard !reasons.isEmpty, reasons.allSatisfy({ $0 == FaultNeed.cursor.reason }) else { return nil }
        return "the client asked for no page but the first"
    }

    /// Whether the client signed out in a step, and the bank got no request for it: a client should have its tokens revoked (RFC 7009 §2), and may
    /// do so in the background.
    func signsOutWithoutRequest(in n: Int) -> Bool {
        isOK(n) && !exchanges(during: n).contains { $0.has(.logout) }
    }

    /// Whether the client showed the account that it watches and has not opened the stream of a rule: it may read the account at intervals.
    private func watchesWithoutStream(after armed: Evidence.ArmedRule) -> Bool {
        steps.contains { $0.n > armed.step && $0.action.asked == .watch && isOK($0.n) }
            && !exchanges(after: armed.step).contains { armed.rule.on.matches($0.facts) }
    }

    /// How the paths begin at which a bank publishes the addresses of its page and its calls: `openid-configuration` (OpenID Connect Discovery
    /// 1.0 §4) and `oauth-authorization-server` (RFC 8414 §3), or `o*` for both.
    private static let metadataPrefix = "/.well-known/o"

    /// Why a rule was applied less often than the case needs, if it was applied to each request of its role: the client has sent no more, such as
    /// one with a circuit breaker; nil if it was not applied at all.
    func shortage(of armed: Evidence.ArmedRule) -> String? {
        guard armed.applied > 0, evidence.dropped == 0, armed.rule.on.role != nil else { return nil }
        let met = exchanges(after: armed.step).filter { armed.rule.on.matches($0.facts) }
        guard met.count == armed.applied else { return nil }
        return "the client sent no further request of this kind"
    }

    /// Whether the rules select requests by path and not by role, and the client has since sent requests, but none to these paths: it may use
    /// another call of the bank, such as the list of accounts for the balance of one account.
    func usesOtherPaths(than rules: [Evidence.ArmedRule]) -> Bool {
        guard let first = rules.map(\.step).min(), evidence.dropped == 0 else { return false }
        return rules.allSatisfy { armed in
            armed.rule.on.path != nil && armed.rule.on.role == nil && armed.applied == 0
                && !exchanges(after: armed.step).contains { armed.rule.on.matches($0.facts) }
        } && exchanges(after: first).contains { $0.method != nil }
    }

    /// Whether requests came while a rule for all new connections was set, and no connection to which it was applied: a client need not open one.
    func opensNoConnection(under armed: Evidence.ArmedRule) -> Bool {
        guard armed.applied == 0, evidence.dropped == 0 else { return false }
        return exchanges(after: armed.step).contains { $0.method != nil && isAboutConnections(armed, at: $0.monoNanoseconds) }
    }

    /// Whether a step after the rules shows cash machines or a picture without a request, though the bank has sent them before: a client may
    /// show a response with `max-age` again without asking (RFC 9111 §4.2).
    func showsCached(after rules: [Evidence.ArmedRule]) -> Bool {
        guard let first = rules.map(\.step).min(), evidence.dropped == 0 else { return false }
        return steps.contains { step in
            guard step.n > first, let operation = step.action.asked, [.atms, .image].contains(operation), isOK(step.n),
                let began = evidence.steps[step.n]?.started, exchanges(during: step.n).isEmpty
            else { return false }
            return exchanges.contains { $0.roles.contains(operation.rawValue) && $0.succeeded && $0.monoNanoseconds < began }
        }
    }

    /// Whether the connection of an exchange is older than a rule of the case that applies to all new connections: the client did not open it
    /// while the rule was set.
    func isOnOlderConnection(_ exchange: JournalEntry) -> Bool {
        evidence.rules.contains { armed in
            isAboutConnections(armed, at: exchange.monoNanoseconds)
                && !evidence.journal.contains { $0.connection == exchange.connection && $0.isAffected(by: [armed.id]) }
        }
    }

    /// Whether a rule about all new connections met none in a step, in which no request came either. A closed port leaves no trace.
    func missesConnectionRule(in n: Int) -> Bool {
        guard let started = evidence.steps[n]?.started, exchanges(during: n).isEmpty else { return false }
        return evidence.rules.contains { $0.rule.kind != RefuseFault.kind && isAboutConnections($0, at: started) }
    }

    /// Whether a step has set the rule for every new connection, and none has removed it by that time.
    private func isAboutConnections(_ armed: Evidence.ArmedRule, at time: Int64) -> Bool {
        guard armed.rule.point.isOfConnection, armed.rule.count == RuleCounter(), case .fault? = instance?.step(armed.step)?.action,
            let set = evidence.steps[armed.step]?.ended, set <= time
        else { return false }
        return !steps.contains { $0.action.isEndOfFaults && $0.n > armed.step && (evidence.steps[$0.n]?.started ?? .max) <= time }
    }

    /// Whether the last response of a list that the client got in a step names a further page, which it did not ask for.
    func endsBeforeLastPage(_ operation: DriverOperation, in step: Int) -> Bool {
        let requests = exchanges(during: step).filter { $0.roles.contains(operation.rawValue) }
        guard let last = requests.last(where: { $0.status == 200 }), let response = try? JSON(parsing: last.responseBody),
            let cursor = CommonMembers.cursor(response)
        else { return false }
        // A request for it that the bank rejected is one, too: then the client knows of the page.
        return !requests.compactMap(\.query).contains { query in
            let bytes = Array(query.utf8)
            return String(decoding: Escapes.removed(bytes, plusIsSpace: false) ?? bytes, as: UTF8.self).contains(cursor)
        }
    }

    /// What a rule selects by a client's habits: `attempt 2, on a warm connection`.
    private static func habits(in selector: RuleSelector) -> String {
        let parts = [
            selector.attempt.map { "attempt \($0)" }, selector.connection.map { "on a \($0.rawValue) connection" },
            selector.header.map { "with \($0.name): \(clipped($0.value, to: 40))" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    /// Whether some exchange was all that a rule is for but for its attempt, its connection or a header: no client need retry, keep
    /// connections, or ask for compressed responses.
    private func metAllButHabits(_ armed: Evidence.ArmedRule) -> Bool {
        var selector = armed.rule.on
        guard selector.attempt != nil || selector.connection != nil || selector.header != nil else { return false }
        let exact = selector
        selector.attempt = nil
        selector.connection = nil
        selector.header = nil
        let later = exchanges(after: armed.step).map(\.facts)
        return later.contains(where: selector.matches) && !later.contains(where: exact.matches)
    }
}

extension JournalEntry {
    fileprivate func isAffected(by rules: Set<String>) -> Bool {
        faults.contains { fault in fault.applied && rules.contains(fault.rule) }
    }

    /// The properties of the exchange that a rule can select.
    var facts: ExchangeFacts {
        ExchangeFacts(
            roles: roles.compactMap(Role.init(rawValue:)), operation: operation, method: method ?? "", path: path,
            headers: requestHeaders, customer: customer, token: token, requestOnConnection: requestOnConnection,
            wireProtocol: wireProtocol, attempt: attempt ?? 1)
    }
}
