package import BankModel
import DriverProtocol

/// A forbidden request: `{never: {sends: $rejected, after: {step: 4}}}`, `{never: {sends: empty-bearer}}`,
/// `{never: {sends: $tokens, to: other-host}}`, `{never: {sends: request, to: clear}}`.
///
/// A violation outranks everything that makes a run inconclusive.
package struct NeverPredicate: Predicate {
    package static let name = "never"

    package static let forms = [
        form(
            "What must not happen. A violation is a failure, even if the case would otherwise be inconclusive.", [body],
            example: "never: {sends: $rejected, after: {step: payment}}")
    ]

    private static let body = Field(required: name, .node(.object(schema)), "what the client must not send")
    private static let schema = ObjectSchema(
        "`never`", "What the client must not send, and to whom.", fields: [sent, recipient] + ExchangeFilter.fields)
    private static let sent = Field(
        required: "sends", .choice(of: Sent.self),
        "the first token that the bank rejected, any token, `Authorization: Bearer` without a token or with a word such as `null`, a "
            + "cookie, "
            + "a body or an idempotency key, a client secret although the app is a public client, an authorization code that an "
            + "earlier request contained, or any request")
    private static let recipient = Field(
        "to", .choice(of: Recipient.self),
        "to a host other than the bank's, or in clear text although the bank uses TLS; by default to any host")

    let sends: Sent
    /// nil: to any host.
    let to: Recipient?
    let filter: ExchangeFilter

    enum Sent: String, Sendable, CaseIterable {
        /// The first token that the bank rejected; to revoke it at the bank is allowed.
        case rejected = "$rejected"
        /// Any token that was issued in the case.
        case tokens = "$tokens"
        /// `Authorization: Bearer` without a token, or with a word such as `null` in its place.
        case emptyBearer = "empty-bearer"
        /// A header `Cookie`.
        case cookie
        /// A body, or an idempotency key wherever the bank expects it: what a write brings besides its token.
        case body
        /// A client secret or a client assertion, of an app that the bank knows as a public client.
        case clientSecret = "client-secret"
        /// An authorization code that an earlier request had sent.
        case usedCode = "used-code"
        /// Anything at all.
        case request
    }

    enum Recipient: String, Sendable, CaseIterable {
        /// A host under another name than that of the client's `base_url`.
        case otherHost = "other-host"
        /// The bank, but in clear text, although its address uses TLS: anyone on the network path can read it.
        case clear
    }

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        let inner = Fields(node, of: Self.schema, complaints)
        let sends = inner[Self.sent]
        to = inner[Self.recipient]
        filter = ExchangeFilter(inner, outline, complaints)
        inner.finish()
        guard let sends else { return nil }
        if [.tokens, .body, .request].contains(sends), to == nil {
            let sent = sends == .tokens ? "its token" : sends == .body ? "bodies" : "requests"
            let kinds = oneOf(Recipient.allCases.map { "`to: \($0.rawValue)`" })
            complaints.add("`sends: \(sends.rawValue)` needs \(kinds): a client does send \(sent) to its own bank", at: node.position)
            return nil
        }
        if to == .clear, !outline.isSecure {
            complaints.add("`to: clear` needs `protocol: h1s` or `h2`: a client of a clear-text bank sends clear text", at: node.position)
            return nil
        }
        self.sends = sends
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        if sends == .clientSecret, let client = scene.confidentialClient {
            return [UnmetExpectation(.notExercised, .confidentialClient(client))]
        }
        let sent = filter.exchanges(of: scene).first { isSent(in: $0, scene) && isReceived(by: $0, scene) }
        return sent.map { [UnmetExpectation(.violation, message(on: $0, scene))] } ?? []
    }

    private func message(on exchange: JournalEntry, _ scene: Scene) -> Finding {
        switch to {
        case .otherHost:
            return .otherHost(exchange, "\(sends.words)", host: scene.otherHost(of: exchange) ?? "", own: scene.ownHost)
        case .clear: return .clearText(exchange, sends.words)
        case nil: break
        }
        switch sends {
        case .rejected:
            let earlier = rejection(scene).flatMap { isAfter($0, exchange) ? $0 : nil }
            return Finding.rejectedToken(scene.rejectedToken ?? "the token", exchange, after: earlier)
                .aboutTime(if: mayHaveBeenOnItsWay(exchange, scene))
        case .emptyBearer: return .emptyBearer(exchange, exchange.emptyBearer ?? "")
        case .usedCode: return .usedCode(exchange, scene.earlierRequest(withCodeOf: exchange))
        case .cookie, .body, .tokens, .request, .clientSecret:
            return .sent(sends.words, exchange, rule: "the client must not send \(sends.words)\(filter.text)")
        }
    }

    private func isSent(in exchange: JournalEntry, _ scene: Scene) -> Bool {
        switch sends {
        case .rejected:
            !exchange.roles.contains(Role.logout.rawValue) && (scene.rejectedToken.map(exchange.carries) ?? false)
                && (rejection(scene).map { isAfter($0, exchange) } ?? true || isAfterSignOut(exchange, scene))
        case .emptyBearer: exchange.emptyBearer != nil
        case .tokens: exchange.carriesAnyToken
        case .cookie: exchange.carriesCookie
        case .body: exchange.bodyBytes > 0 || exchange.key != nil
        case .clientSecret: exchange.carriesClientSecret
        case .usedCode: scene.earlierRequest(withCodeOf: exchange) != nil
        case .request: exchange.method != nil
        }
    }

    /// The request with which the bank rejected the token first: one that was read before its response had ended was not sent again.
    private func rejection(_ scene: Scene) -> JournalEntry? {
        let token = scene.rejectedToken
        return scene.rejections.first { $0.token == token }
    }

    /// Whether the bank read the exchange so soon after the rejection or the end of a step that the client may have sent it before, beside others.
    private func mayHaveBeenOnItsWay(_ exchange: JournalEntry, _ scene: Scene) -> Bool {
        let ends = scene.evidence.steps.values.map(\.ended) + [rejection(scene)?.endNanoseconds].compactMap(\.self)
        return ends.contains { ($0...$0 + Scene.onItsWay).contains(exchange.monoNanoseconds) }
    }

    private func isAfter(_ rejection: JournalEntry, _ exchange: JournalEntry) -> Bool {
        exchange.monoNanoseconds > (rejection.endNanoseconds ?? .min)
    }

    /// Whether the client sent the rejected token before a sign-out that ended before an exchange: it then knew that the token had ended. A request
    /// that it cancelled as it signed out may reach the bank later.
    private func isAfterSignOut(_ exchange: JournalEntry, _ scene: Scene) -> Bool {
        !exchange.isAbandoned
            && scene.steps.contains { step in
                guard step.action.operation == .logout, case .ok = scene.outcome(of: step.n), let report = scene.evidence.steps[step.n],
                    report.ended < exchange.monoNanoseconds
                else { return false }
                return scene.exchanges.contains { $0.monoNanoseconds < report.started && (scene.rejectedToken.map($0.carries) ?? false) }
            }
    }

    private func isReceived(by exchange: JournalEntry, _ scene: Scene) -> Bool {
        switch to {
        case nil: true
        case .otherHost: scene.otherHost(of: exchange) != nil
        case .clear: exchange.method != nil && exchange.tls == nil
        }
    }
}

extension NeverPredicate.Sent {
    fileprivate var words: Phrase {
        switch self {
        case .rejected: "the rejected token"
        case .emptyBearer: "an empty bearer token"
        case .tokens: "a token"
        case .cookie: "a cookie"
        case .body: "a body or an idempotency key"
        case .clientSecret: "a client secret"
        case .usedCode: "an authorization code again"
        case .request: "a request"
        }
    }
}

extension JournalEntry {
    /// Whether the token of that id stands anywhere in the request: as its bearer token, in its address, a header or its body.
    func carries(_ token: String) -> Bool { self.token == token || texts.contains { names(token, in: $0) } }

    var carriesCookie: Bool { requestHeaders.value(of: "cookie") != nil }

    var carriesAnyToken: Bool {
        token?.contains("#") == true || texts.contains { $0.contains("token#") || $0.contains("refresh#") }
    }

    fileprivate var texts: [String] { [path, query ?? "", requestText] + requestHeaders.map(\.value) }

    /// Whether the text has the id itself: `token#1` is not in `token#12`.
    func names(_ id: String, in text: String) -> Bool {
        text.ranges(of: id).contains { range in
            range.upperBound == text.endIndex || !text[range.upperBound].isNumber
        }
    }
}
