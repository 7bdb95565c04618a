package import BankModel

/// A sign-in gives an ID token that a client must not accept (OpenID Connect Core 1.0 §3.1.3.7).
package struct WrongIDTokenFault: ExchangeFault {
    package static let kind = "wrong-id-token"
    package static let about = "issues an ID token with a wrong issuer, audience, nonce, expiry, time, algorithm, key or signature"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"part": "signature"}"#
    package static let fields: [any AnyField] = [part]
    package let point = FaultPoint.request
    package let need: FaultNeed? = .idToken

    private static let part = Field(required: "part", .choice(of: IDTokenPart.self), "the part of the ID token that is wrong")

    let wrong: IDTokenPart

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let wrong = fields[Self.part] else { return nil }
        self.wrong = wrong
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.readAlteration = .wrongIDToken(wrong) }

    package var settings: JSON { .object(JSONObject([Self.part.member(wrong)])) }
}
