import BankModel
import DriverProtocol

extension ClientRule {
    /// Whose tokens are sent, and whose data is shown.
    static let customerRules = [
        ClientRule(
            "invariant.own-token-only", .tokens,
            recorded: Recorded(
                why: "A revoked token must not be sent again, least of all with the next customer's requests (RFC 7009 §2).",
                trigger: "a customer signed out", restsOn: [.responseRead, .oneTab, .ownSignOut])
        ) { $0.knows.isSuperset(of: [.steps, .owners]) ? $0.ownTokenOnly(&$1) : $0.noTokenAfterSignOut(&$1) },
        ClientRule("invariant.own-data-only", .tokens, needs: [.steps, .views]) { $0.ownDataOnly(&$1) },
    ]
}

extension Scene {
    /// No request carries a token of another customer, one from before the last sign-out, or one that this bank never gave.
    fileprivate func ownTokenOnly(_ result: inout RuleResult) {
        let stretches = signIns
        let canDetectStrays = !mayHoldStrayTokens
        // When the client first knew each token: searched once, because a client in a loop sends one token ten thousand times.
        var known: [String: Int64] = [:]
        for exchange in exchanges where !exchange.roles.contains(Role.logout.rawValue) {
            let tokens = [exchange.token].compactMap(\.self) + exchange.refreshTokensSent
            guard !tokens.isEmpty else { continue }
            let now = stretches.last { $0.since < exchange.monoNanoseconds } ?? SignedIn(customer: nil, since: .min, step: 0)
            let changing = changes(in: exchange.monoNanoseconds...exchange.monoNanoseconds)
            let mayHaveBeenOnItsWay = now.step > 0 && exchange.monoNanoseconds <= now.since + Scene.onItsWay
            result.add()
            for token in tokens {
                if token == "unknown", canDetectStrays {
                    result.add(.unknownToken(exchange, exchange.emptyBearer))
                }
                guard let owner = evidence.owners[token], now.step > 0, !isLeftOver(exchange, of: owner, since: now.since) else { continue }
                if let customer = now.customer, owner != customer, !changing.contains(owner) {
                    let finding = Finding.tokenOfAnother(exchange, token, owner: owner, signedIn: customer)
                    result.add(finding.aboutTime(if: mayHaveBeenOnItsWay))
                    continue
                }
                guard let out = stretches.last(where: { $0.customer == nil && $0.step > 0 && $0.since < exchange.monoNanoseconds }) else {
                    continue
                }
                let since = known[token] ?? firstKnown(token)
                known[token] = since
                if since < out.since {
                    result.add(Finding.tokenAfterSignOut(exchange, token, nil).aboutTime(if: mayHaveBeenOnItsWay))
                }
            }
        }
    }

    /// No token is sent after the request that signed it out. In recorded traffic two customers may be two devices.
    fileprivate func noTokenAfterSignOut(_ result: inout RuleResult) {
        let logouts = requests.filter { $0.has(.logout) && $0.succeeded && !$0.hasTokenInCookie }
        guard !logouts.isEmpty else { return }
        var carriers: [String: [Int]] = [:]
        for (position, request) in requests.enumerated() where !request.has(.logout) {
            for token in request.tokensCarried { carriers[token, default: []].append(position) }
        }
        for logout in logouts {
            let ended = logout.tokensSignedOut { token in
                (index.byTokenGiven[token] ?? []).flatMap { requests[$0].tokensInResponse }
            }
            guard !ended.isEmpty else { continue }
            let lists = ended.compactMap { carriers[$0] }
            let carrying = lists.count == 1 ? lists[0] : Set(lists.joined()).sorted()
            let successors = successors(of: logout, among: carrying) { request in
                request.tokensCarried.contains { token in
                    ended.contains(token) && !wasGiven(token, from: logout.monoNanoseconds, to: request.monoNanoseconds)
                }
            }
            result.add(logout, successors) { request in
                let carried = request.tokensCarried.first(where: ended.contains) ?? "a token"
                return Finding.tokenAfterSignOut(request, carried, logout)
            }
        }
    }

    /// No view shows a row, a name or an amount of a customer who is not signed in.
    ///
    /// It compares texts that only other customers have, and does not look at numbers, days, and texts of up to five characters, which may be
    /// anybody's: so a foreign balance of `120.00` is noticed, and one of `12.00` is not. In a row of the customer it looks only at amounts that
    /// a client cannot have computed from its own data by chance (``Texts/isDistinctive(_:)``).
    fileprivate func ownDataOnly(_ result: inout RuleResult) {
        guard instance?.bank.hasTokens == true else { return }
        let stretches = signIns
        for step in steps {
            guard let operation = step.action.operation, [.accounts, .balance, .transactions, .goals].contains(operation),
                case .ok(let view) = outcome(of: step.n), let report = evidence.steps[step.n],
                let now = stretches.last(where: { $0.since <= report.started }), now.step > 0,
                // The customer may change while the step runs: the view is then of either.
                changes(in: report.span).isEmpty
            else { continue }
            let own = now.customer.map(ownTexts) ?? []
            let shown = Texts.of(view, own: own)
            let foreign = othersTexts(than: now.customer, shownBy: operation).subtracting(own)
            let found = shown.filter { foreign.contains(Texts.form($0)) }.sorted().first
            result.add(found.map { .dataOfAnother(step.named, $0, signedIn: now.customer ?? "no customer") })
        }
    }

    /// The customers who sign in or out in a step that is open in that time: their tokens may come and go.
    private func changes(in time: ClosedRange<Int64>) -> [String] {
        steps.filter { step in
            guard [.login, .logout, .authorizeFinish].contains(step.action.asked), let report = evidence.steps[step.n] else { return false }
            return report.span.overlaps(time)
        }.map { customer(in: $0) ?? "" }
    }

    /// Whether the request may be one of the customer before: of a step that began while that customer was signed in and has not ended, one that
    /// the client has given up and the bank reads late, or one that no step asks for, which may have been on its way when the customer changed.
    private func isLeftOver(_ exchange: JournalEntry, of owner: String, since change: Int64) -> Bool {
        if exchange.isAbandoned { return true }
        let open = steps.filter { step in
            guard let report = evidence.steps[step.n], step.action.asked != nil else { return false }
            return ![.login, .logout, .authorizeFinish].contains(step.action.asked) && report.span.contains(exchange.monoNanoseconds)
        }
        if open.isEmpty, exchange.monoNanoseconds <= change + Scene.onItsWay { return true }
        return open.contains { step in
            evidence.steps[step.n].map { $0.started <= change } == true && customer(at: step.n) == owner
        }
    }

    /// When the client first sent the token or was sent it, by the monotonic clock; the end of time if it never was.
    private func firstKnown(_ token: String) -> Int64 {
        let first = exchanges.first { $0.token == token || $0.refreshTokensSent.contains(token) || $0.names(token, in: $0.responseText) }
        return first?.monoNanoseconds ?? .max
    }

    /// Whether the client may have a token that is none: the case itself has damaged a response or files, or the bank has given the client the
    /// id of a consent that the customer has not authorised.
    private var mayHoldStrayTokens: Bool {
        instance?.bank.consentIsCredential == true
            || steps.contains { if case .damageDisk = $0.action { true } else { false } }
            || exchanges.contains { $0.asksForToken && $0.faults.contains(where: \.applied) }
    }

    /// The texts that show another customer's data in a view of that operation. A balance has no id beside it, so it is compared with
    /// balances alone, and with no amount that one of the many rows happens to have.
    private func othersTexts(than customer: String?, shownBy operation: DriverOperation) -> Set<String> {
        var views = evidence.othersViews
        if let own = instance?.customer?.login { views[own] = evidence.expected }
        let others = views.filter { $0.key != customer }.values.flatMap { $0 }
        let meant = others.filter { operation != .balance || $0.key == .balance || $0.key == .accounts }
        return Set(meant.flatMap { Texts.of($0.value) }.map(Texts.form))
    }

    /// Texts that are the customer's own, by the bank's views and by what it has served.
    private func ownTexts(_ customer: String) -> Set<String> {
        let views = customer == instance?.customer?.login ? evidence.expected : evidence.othersViews[customer] ?? [:]
        let served = exchanges.filter { $0.customer == customer }.flatMap {
            Texts.forms(served: (try? JSON(parsing: $0.responseBody)) ?? .null)
        }
        return Set(views.values.flatMap { Texts.of($0) }.map(Texts.form) + served)
    }
}

extension JournalEntry {
    /// The ids of the tokens that a sign-out ends.
    ///
    /// A body that names tokens means these (RFC 7009 §2.1), and with a refresh token those that came with it; the request's own
    /// token is no more than its authorization then. Else it signs its own token out, and all that came with that.
    ///
    /// - Parameter given: the tokens of all responses that brought that one, itself among them.
    fileprivate func tokensSignedOut(_ given: (String) -> [String]) -> Set<String> {
        let named = JournalEntry.tokens(in: [requestText])
        let roots = named.isEmpty ? [knownToken].compactMap(\.self) : named.filter { $0.hasPrefix("refresh#") }
        return Set(named + roots + roots.flatMap(given))
    }
}

/// The texts in a view that show whose it is.
private enum Texts {
    /// Two customers have rows of one day.
    private static let times: Set<String> = ["as_of", "date", "expires", "expires_at"]

    /// - Parameter own: the forms of the customer's own texts. Most amounts of a row whose id is among them are left out: a client that
    ///   rounds one, or adds a fee, may show an amount that another customer happens to have.
    static func of(_ view: JSON, own: Set<String> = []) -> [String] {
        switch view {
        // Short texts, such as a currency or `-40.00`, are everybody's.
        case .string(let text): return text.count > (text.hasPrefix("-") ? 6 : 5) ? [text] : []
        case .array(let elements): return elements.flatMap { of($0, own: own) }
        case .object(let object):
            let isOwn = view["id"]?.string.map { own.contains(form($0)) } ?? false
            let members = object.members.filter { member in
                !times.contains(member.key) && !(isOwn && member.value.string.map { isAmount($0) && !isDistinctive($0) } == true)
            }
            return members.flatMap { of($0.value, own: own) }
        default: return []
        }
    }

    /// The form in which texts are compared: of an amount its digits, because a bank may send it without a sign or in minor units.
    static func form(_ text: String) -> String {
        guard isAmount(text) else { return text }
        return String(text.filter(\.isWholeNumber).drop { $0 == "0" })
    }

    /// Whether an amount is another customer's even in a row of the customer's own: it has six digits or more, which no fee or sum meets by
    /// chance, and does not end with the zero of a rounded one.
    private static func isDistinctive(_ amount: String) -> Bool { form(amount).count >= 6 && amount.last != "0" }

    private static func isAmount(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isDigit || "-.".utf8.contains($0) }
    }

    /// The forms of all texts and numbers that the bank has served.
    static func forms(served body: JSON) -> [String] {
        body.flattened.compactMap { $0.string ?? $0.number?.digits }.flatMap { forms(of: $0) }
    }

    /// The form of a text as it was served, and those in which a client shows it as an amount: `12` as `12.00`, or as `12.000` in dinars.
    private static func forms(of text: String) -> [String] {
        guard let number = JSONNumber(text) else { return [form(text)] }
        return [form(text)] + currencies.compactMap { try? Money(major: number, currency: $0) }.map { form($0.major) }
    }

    /// One of each number of digits after the point (ISO 4217).
    private static let currencies = ["JPY", "GBP", "BHD", "CLF"].compactMap(Currency.init)
}

extension Finding {
    static func unknownToken(_ exchange: JournalEntry, _ sent: String?) -> Finding {
        let what: Phrase = sent.map { "`\($0)` as its token" } ?? "a token that this bank did not issue"
        return Finding(
            "\(exchange.named) sent \(what)", "a client sends only tokens that this bank issued to it", in: [exchange],
            mistake: sent == nil ? nil : .emptyBearer)
    }

    static func tokenOfAnother(_ exchange: JournalEntry, _ token: String, owner: String, signedIn: String) -> Finding {
        Finding(
            "\(exchange.named) sent \(token), which is \(owner)'s, while \(signedIn) was signed in",
            "a client sends only the token of the customer who is signed in", in: [exchange])
    }

    /// - Parameter logout: the request that signed out; nil if that was a step.
    static func tokenAfterSignOut(_ exchange: JournalEntry, _ token: String, _ logout: JournalEntry?) -> Finding {
        let when: Phrase = logout.map { "\($0.named) revoked it" } ?? "the sign-out"
        return Finding(
            "\(exchange.named) sent \(token) after \(when)", "a token must not be sent after the sign-out", source: "RFC 7009 §2",
            in: [logout, exchange])
    }

    static func dataOfAnother(_ step: Phrase, _ text: String, signedIn: String) -> Finding {
        Finding("\(step) showed \"\(clipped(text, to: 60))\" while \(signedIn) was signed in", "a client shows no data of another customer")
    }
}
