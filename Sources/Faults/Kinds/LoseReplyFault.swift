package import BankModel

/// The operation is executed and durable; then the response is lost.
package struct LoseReplyFault: ExchangeFault {
    package static let kind = "lose-reply"
    package static let about = "executes the request, then loses the response"
    package static let effects: Set<FaultEffect> = [.cutsResponse]
    package static let example = #"{"by": "half-head"}"#
    package static let fields: [any AnyField] = [by]
    package let point = FaultPoint.commit

    private static let by = Field(
        required: "by", .choice(of: Way.self),
        "how the response is lost: FIN, RST, no byte on an open connection, FIN inside the first header's name, or FIN in the middle of "
            + "the body"
    )

    /// How the response is lost.
    package enum Way: String, Sendable, CaseIterable {
        /// FIN before any byte.
        case close
        /// RST before any byte.
        case reset
        /// Silence.
        case hang
        /// FIN inside the first header's name: libcurl takes that for a whole response, 200 and empty.
        case halfHead = "half-head"
        /// FIN in the middle of the body.
        case halfBody = "half-body"
    }

    let way: Way

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let way = fields[Self.by] else { return nil }
        self.way = way
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        switch way {
        case .close: outgoing.steps = [.close]
        case .reset: outgoing.steps = [.reset]
        case .hang: outgoing.steps = [.hold(rule: context.ruleID), .close]
        case .halfHead:
            guard context.wireProtocol != .h2 else { throw NotApplied("HTTP/2 has no head that can be truncated") }
            outgoing.steps = [.halfHead, .close]
        case .halfBody: outgoing.replaceBody([.part(0..<(try outgoing.bodyCount() / 2)), .close])
        }
    }

    package var settings: JSON { .object(JSONObject([Self.by.member(way)])) }
}
