package import BankModel

/// HTTP/2: the connection announces its end (GOAWAY) in place of a response, and ends by FIN.
///
/// With `last: 0` no stream was processed, and the client may send the request again; with `last: this` it cannot know.
/// With `open: true` the connection stays, and no further frame is sent.
package struct GoAwayFault: ExchangeFault {
    package static let kind = "goaway"
    package static let about = "sends GOAWAY, then closes the connection"
    package static let effects: Set<FaultEffect> = []
    package static let example = #"{"code": "no-error", "last": "this", "open": false}"#
    package static let carriers: Set<WireProtocol> = [.h2]
    package static let fields: [any AnyField] = [code, last, open]
    package let point = FaultPoint.head

    private static let code = Field("code", .choice(of: HTTP2Code.self), default: .noError, "the error code of GOAWAY (RFC 9113 §7)")
    private static let last = Field(
        "last", .choice(of: WireStep.LastStream.self), default: .none, "the last stream that was processed: none (0), or this one")
    private static let open = Field("open", .bool, default: false, "whether the connection stays open without further frames")

    let code: HTTP2Code
    let last: WireStep.LastStream
    let staysOpen: Bool

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let code = fields[Self.code]
        let last = fields[Self.last]
        let staysOpen = fields[Self.open]
        guard let code, let last, let staysOpen else { return nil }
        self.code = code
        self.last = last
        self.staysOpen = staysOpen
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) {
        outgoing.replaceAll([.goaway(code, last: last, staysOpen: staysOpen)] + (staysOpen ? [.hold(rule: context.ruleID), .close] : []))
    }

    package var settings: JSON { .object(JSONObject([Self.code.member(code), Self.last.member(last), Self.open.member(staysOpen)])) }
}
