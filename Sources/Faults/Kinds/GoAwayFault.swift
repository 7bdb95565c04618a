package import BankModel

/// HTTP/2: the connection announces its end (GOAWAY) in place of a reply, and ends by FIN.
///
/// With `last: 0` no stream was looked at, and the client may send the request again; with `last: this` it may not know.
/// With `open: true` the connection stays, and nothing more is said.
package struct GoAwayFault: ExchangeFault {
    package static let kind = "goaway"
    package static let about = "GOAWAY, then the connection ends; `last: 0` for no stream at all"
    package static let example = #"{"code": "no-error", "last": "this", "open": false}"#
    package static let carriers: Set<WireProtocol> = [.h2]
    package let point = FaultPoint.head

    let code: HTTP2Code
    let last: WireStep.LastStream
    let staysOpen: Bool

    package init?(_ fields: Fields, _ complaints: Complaints) {
        code = fields["code"].flatMap { $0.choice(of: HTTP2Code.self, complaints) } ?? .noError
        last = fields["last"].flatMap { $0.choice(of: WireStep.LastStream.self, complaints) } ?? .none
        staysOpen = fields["open"].flatMap { $0.bool(complaints) } ?? false
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) {
        sending.replaceAll([.goaway(code, last: last, staysOpen: staysOpen)] + (staysOpen ? [.hold(rule: context.ruleID), .close] : []))
    }

    package var settings: JSON { ["code": .string(code.rawValue), "last": .string(last.rawValue), "open": .bool(staysOpen)] }
}
