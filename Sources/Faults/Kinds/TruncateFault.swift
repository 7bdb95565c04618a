package import BankModel

/// The body ends early. `short`: its Content-Length is larger, then FIN. `honest`: well framed, only the text is cut.
package struct TruncateFault: ExchangeFault {
    package static let kind = "truncate"
    package static let about = "ends the body early"
    package static let effects: Set<FaultEffect> = [.cutsResponse, .changesContent]
    package static let example = #"{"at": 0.5, "framing": "short"}"#
    package static let fields: [any AnyField] = [BodyPosition.at, framing]
    package let point = FaultPoint.body

    private static let framing = Field(
        "framing", .choice(of: Framing.self), default: .short, "`short`: Content-Length announces more, then FIN; `honest`: valid framing")

    /// Whether the framing reveals the cut.
    package enum Framing: String, Sendable, CaseIterable {
        case honest, short
    }

    let position: BodyPosition
    let framing: Framing

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let position = fields[BodyPosition.at], let framing = fields[Self.framing] else { return nil }
        self.position = position
        self.framing = framing
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        let count = try position.offset(in: try outgoing.bodyCount())
        switch framing {
        case .honest: outgoing.replaceBytes(Array(outgoing.body[..<count]))
        case .short: outgoing.replaceBody([.part(0..<count), .close])
        }
    }

    package var settings: JSON { .object(JSONObject([BodyPosition.at.member(position), Self.framing.member(framing)])) }
}
