package import BankModel

/// HTTP/2: the stream is reset in place of a reply. With `refused-stream` the client may send the request again.
package struct ResetStreamFault: ExchangeFault {
    package static let kind = "reset-stream"
    package static let about = "RST_STREAM with that code"
    package static let example = #"{"code": "refused-stream"}"#
    package static let carriers: Set<WireProtocol> = [.h2]
    package let point = FaultPoint.head

    let code: HTTP2Code

    package init?(_ fields: Fields, _ complaints: Complaints) {
        code = fields["code"].flatMap { $0.choice(of: HTTP2Code.self, complaints) } ?? .cancel
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.replaceAll([.resetStream(code)]) }

    package var settings: JSON { ["code": .string(code.rawValue)] }
}
