package import BankModel
import Crypto

/// How a delivery is signed.
package enum WebhookSignature: String, Sendable, CaseIterable {
    /// `t=…,v1=…`: HMAC-SHA256 of `t.body` in hexadecimal, one `v1` for each valid secret, as Stripe signs.
    case timestamped
    /// HMAC-SHA256 of the body in hexadecimal, as GitHub and many others sign.
    case body
    /// A detached JWS with `kid` (RFC 7515 Appendix F), ES256, as TrueLayer signs.
    case jws
    /// The body is a JWT with `kid` (RFC 7519), ES256, whose claims are the event, such as a Security Event Token (RFC 8417), as Open
    /// Banking UK signs.
    case jwt

    /// The signature of a body: the value of the header, or for a JWT its JWS without the claims.
    ///
    /// - Parameters:
    ///   - secrets: the valid ones, the newest first.
    ///   - key: the key of a JWS or a JWT; computed for these alone.
    ///   - now: the instant of signing.
    func value(
        _ body: [UInt8], secrets: [String], key: @autoclosure () -> SigningKey, at now: Instant, unknownKey: Bool
    ) -> String {
        switch self {
        case .timestamped:
            let seconds = (now - Instant(seconds: 0)).components.seconds
            let signed = Array("\(seconds).".utf8) + body
            return (["t=\(seconds)"] + secrets.map { "v1=\(WebhookSignature.code(signed, $0))" }).joined(separator: ",")
        case .body: return secrets.first.map { WebhookSignature.code(body, $0) } ?? ""
        case .jws, .jwt: return key().detached(body, unknownKey: unknownKey) ?? ""
        }
    }

    private static func code(_ bytes: [UInt8], _ secret: String) -> String {
        hexadecimal(Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: Array(secret.utf8)))))
    }
}

extension SessionState {
    /// The secret of a webhook, computed from the session's seed, so that it is in no file. Anyone who knows the seed can compute it.
    ///
    /// - Parameter rotation: how often it was replaced before.
    func secret(of webhook: Webhook, rotation: Int) -> String {
        let text = "counterfoil webhook \(seed) \(id) \(webhook.number) \(rotation)"
        return "whsec_" + Base64.url(Array(SHA256.hash(data: Array(text.utf8))))
    }

    /// The secret that the receiver needs.
    package func secret(of webhook: Webhook) -> String { secret(of: webhook, rotation: webhook.rotations) }

    /// The public half of the key that signs the JWS and JWT of webhooks (RFC 7517 §5).
    package func webhookKeys(at now: Instant) -> JSON { ["keys": .array([signingKey(at: now).publicJSON])] }

    /// The bank's key: that of its ID tokens, if it has some.
    private func signingKey(at now: Instant) -> SigningKey {
        SigningKey(seed: seed, period: bank.signIn?.openID?.period(at: now) ?? 0)
    }

    /// A delivery as it is sent now.
    package func message(of delivery: Delivery, at now: Instant) -> WebhookMessage? {
        guard let policy = bank.webhooks, let webhook = webhooks.webhook(delivery.webhook) else { return nil }
        let fault = delivery.fault
        var secrets = [secret(of: webhook)]
        if let rotated = webhook.rotatedAt, now < rotated + Webhook.overlap {
            secrets.append(secret(of: webhook, rotation: webhook.rotations - 1))
        }
        if fault == .forged { secrets = secrets.map { "forged " + $0 } }
        if fault == .unknownKey { secrets = secrets.map { "unknown " + $0 } }
        var body = body(of: delivery, policy, isUnknown: fault == .unknownType)
        let form = webhook.receiver.signature ?? policy.signature
        let signature = form.value(
            body, secrets: secrets, key: fault == .forged ? SigningKey(seed: seed &+ 1, period: 0) : signingKey(at: now),
            at: fault == .stale ? now + (.zero - DeliveryFault.age) : now, unknownKey: fault == .unknownKey)
        // The last digit of the event's id: the body remains JSON.
        if fault == .altered, let end = body.firstRange(of: Array(delivery.event.id.utf8))?.upperBound ?? body.endOfLastDigit {
            body[end - 1] = body[end - 1] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        }
        var message = WebhookMessage(
            delivery: delivery.number, event: delivery.event.id, url: webhook.receiver.url, header: policy.header, signature: signature,
            body: body, isSlow: fault == .slow)
        if form == .jwt {
            (message.contentType, message.signature) = ("application/jwt", nil)
            // The claims, which a fault may have altered, go between the header and the signature (RFC 7515 Appendix F).
            message.body = Array(signature.replacing("..", with: ".\(Base64.url(body)).").utf8)
        }
        return message
    }

    /// The body of a delivery, in the bank's shape if it has one for the type; the same in each attempt.
    private func body(of delivery: Delivery, _ policy: WebhookPolicy, isUnknown: Bool) -> [UInt8] {
        let usual = delivery.event.body(isUnknown: isUnknown)
        let type = delivery.event.type(isUnknown: isUnknown)
        let own = delivery.event.table.flatMap { bank.consents[$0]?.bodies[type] }
        guard let template = own ?? policy.body(of: type) else { return usual.bytes }
        var state = self
        state.generator = SeededGenerator(seed: SeededGenerator.hash(seed, UInt64(delivery.number)))
        var scope = Scope(request: BankRequest("POST", "/"), now: delivery.event.created)
        (scope.json, scope.consentState) = (usual, delivery.event.consentState)
        guard let shaped = try? state.render(template, &scope) else { return usual.bytes }
        return shaped.bytes(bank.dialect.jsonLayout)
    }
}

extension [UInt8] {
    /// The index after the last decimal digit; nil if there is none.
    fileprivate var endOfLastDigit: Int? { lastIndex(where: \.isDigit).map { $0 + 1 } }
}

extension DeliveryFault {
    /// How long ago a stale copy was signed: twice the tolerance that is usual.
    fileprivate static let age = Duration.seconds(600)
}

/// One request to a receiver.
package struct WebhookMessage: Sendable, Hashable {
    package let delivery: Int
    /// The event's id.
    package let event: String
    package let url: String
    package var contentType = "application/json"
    /// The name of the header with the signature.
    package let header: String
    /// The value of that header; nil for a body that is signed itself.
    package var signature: String?
    package var body: [UInt8]
    package let isSlow: Bool
}
