package import BankModel

/// HTTP/2: the stream is reset in place of a response. With `refused-stream` the client may send the request again.
package struct ResetStreamFault: ExchangeFault {
    package static let kind = "reset-stream"
    package static let about = "sends RST_STREAM with this code"
    package static let effects: Set<FaultEffect> = []
    package static let example = #"{"code": "refused-stream"}"#
    package static let carriers: Set<WireProtocol> = [.h2]
    package static let fields: [any AnyField] = [code]
    package let point = FaultPoint.head

    private static let code = Field("code", .choice(of: HTTP2Code.self), default: .cancel, "the error code of RST_STREAM (RFC 9113 §7)")

    let code: HTTP2Code

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let code = fields[Self.code] else { return nil }
        self.code = code
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.replaceAll([.resetStream(code)]) }

    package var settings: JSON { .object(JSONObject([Self.code.member(code)])) }
}
