package import BankModel

/// The sign-in page returns to the client with an error (RFC 6749 §4.1.2.1): at once, or when the customer sends the form.
package struct AuthorizationErrorFault: ExchangeFault {
    package static let kind = "authorization-error"
    package static let about = "makes the sign-in page return to the app with an error"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"error": "server_error", "description": "The bank is being updated."}"#
    package static let fields: [any AnyField] = [error, text]
    package let point = FaultPoint.request
    package let need: FaultNeed? = .signInPage

    private static let error = Field(required: "error", .choice(of: AuthorizationErrorCode.self), "the parameter `error`")
    private static let text = Field("description", .text(), "the parameter `error_description`; by default there is none")

    let code: AuthorizationErrorCode
    let words: String?

    package init?(_ fields: Fields, _ complaints: Complaints) {
        words = fields[Self.text]
        guard let code = fields[Self.error] else { return nil }
        self.code = code
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.readAlteration = .failedSignIn(code, words) }

    package var settings: JSON {
        var object = JSONObject([Self.error.member(code)])
        object.set(Self.text, words)
        return .object(object)
    }
}
