package import BankModel

/// The body ends early. `short`: its length promises more, then FIN. `honest`: well framed, only the text is cut.
package struct TruncateFault: ExchangeFault {
    package static let kind = "truncate"
    package static let about = "the body ends early; `honest`: well framed"
    package static let example = #"{"at": 0.5, "framing": "short"}"#
    package let point = FaultPoint.body

    /// Whether the framing tells of the cut.
    package enum Honesty: String, Sendable, CaseIterable {
        case honest, short
    }

    let position: BodyPosition
    let framing: Honesty

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let position = fields.position(complaints, default: .middle)
        framing = fields["framing"].flatMap { $0.choice(of: Honesty.self, complaints) } ?? .short
        guard let position else { return nil }
        self.position = position
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) throws(NotApplied) {
        let count = try position.offset(in: try sending.bodyCount())
        switch framing {
        case .honest: sending.body.removeSubrange(count...)
        case .short: sending.replaceBody([.part(0..<count), .close])
        }
    }

    package var settings: JSON { ["at": position.json, "framing": .string(framing.rawValue)] }
}
