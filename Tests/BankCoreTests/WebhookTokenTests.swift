import BankModel
import Crypto
import TestBanks
import Testing

@testable import BankCore

/// Webhooks whose body is a JWT, such as a Security Event Token.
@Suite struct WebhookTokenTests {
    /// A session in which money has come in, and the one delivery of that.
    private func delivery(_ fault: DeliveryFault? = nil) throws -> (till: Till, delivery: Delivery) {
        var till = try Till(TestFiles.withWebhooks)
        _ = try till.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook", signature: .jwt))
        if let fault { _ = try till.state.add(fault, times: 1, to: "webhook-1") }
        var event = BankEvent(.paymentIn)
        (event.account, event.amount) = ("a1", "5.00")
        _ = try till.state.happen(event, at: till.now)
        return (till, try #require(till.state.webhooks.deliveries.first))
    }

    private func sent(_ delivery: Delivery, _ till: Till) throws -> WebhookMessage {
        try #require(till.state.message(of: delivery, at: till.now))
    }

    private func token(_ message: WebhookMessage) throws -> JSONWebToken {
        try #require(JSONWebToken(String(decoding: message.body, as: UTF8.self)))
    }

    /// Whether one of the bank's keys verifies a token.
    private func isSigned(_ token: JSONWebToken, _ till: Till) throws -> Bool {
        let keys = till.state.webhookKeys(at: till.now)["keys"]?.array ?? []
        guard let key = keys.first(where: { $0["kid"] == token.header["kid"] }) else { return false }
        let point = try #require(Base64.urlDecoded(key["x"]?.string ?? "")) + #require(Base64.urlDecoded(key["y"]?.string ?? ""))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        return try P256.Signing.PublicKey(rawRepresentation: point).isValidSignature(signature, for: token.signed)
    }

    @Test func `the body is a JWT of the event, and the bank's key verifies it`() throws {
        let (till, delivery) = try delivery()
        let message = try sent(delivery, till)

        #expect(message.contentType == "application/jwt")
        #expect(message.signature == nil)
        let token = try token(message)
        #expect(token.header["alg"] == "ES256")
        #expect(token.header["typ"] == "JWT")
        #expect(token.claims["id"] == .string(delivery.event.id))
        #expect(token.claims["data"] == ["object": .object(delivery.event.object)])
        let isSigned = try isSigned(token, till)
        #expect(isSigned)
    }

    @Test(arguments: [DeliveryFault.forged, .altered, .unknownKey])
    func `a copy that must be rejected is a JWT that no key verifies, and the real one follows`(_ fault: DeliveryFault) throws {
        var (till, delivery) = try delivery(fault)
        let bad = try token(sent(delivery, till))
        let isBadSigned = try isSigned(bad, till)
        #expect(!isBadSigned)
        #expect((bad.claims["id"] != .string(delivery.event.id)) == (fault == .altered))

        till.state.attempted(0, .init(at: till.now, status: 400))
        delivery = try #require(till.state.webhooks.deliveries.first)

        let good = try token(sent(delivery, till))
        let isGoodSigned = try isSigned(good, till)
        #expect(isGoodSigned)
        #expect(good.claims["id"] == .string(delivery.event.id))
    }

    @Test func `an event of an unknown type is a JWT, too`() throws {
        let (till, delivery) = try delivery(.unknownType)
        let token = try token(sent(delivery, till))
        let isSigned = try isSigned(token, till)
        #expect(isSigned)
        #expect(token.claims["type"] == "payment.reviewed")
    }
}
