package import BankModel

/// A sign-in gives an ID token that a client must not accept (OpenID Connect Core 1.0 §3.1.3.7).
package struct WrongIDTokenFault: ExchangeFault {
    package static let kind = "wrong-id-token"
    package static let about = "the ID token has a wrong issuer, audience, nonce, expiry, time, algorithm, key or signature"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"part": "signature"}"#
    package static let fields: [any AnyField] = [part]
    package let point = FaultPoint.request
    package let need: FaultNeed? = .idToken

    private static let part = Field(required: "part", .choice(of: IDTokenPart.self), "what is wrong with it")

    let wrong: IDTokenPart

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let wrong = fields[Self.part] else { return nil }
        self.wrong = wrong
    }

    package func apply(_ sending: inout Sending, _ context: FaultContext) { sending.twist = .wrongIDToken(wrong) }

    package var settings: JSON { .object(JSONObject([Self.part.member(wrong)])) }
}
