package import BankModel

/// The body is damaged or replaced; its framing is right.
package struct CorruptFault: ExchangeFault {
    package static let kind = "corrupt"
    package static let about =
        "damages the body: `json` (a class), `utf8`, `bom`, `gzip`, `duplicate-keys`, `wrong-type`, `null`, `deep`, `huge`"
    package static let effects: Set<FaultEffect> = [.changesContent]
    package static let example = #"{"json": "trailing-comma"}"#
    package static let fields: [any AnyField] = Damage.fields
    package static let rules: [KeyRule] = [.exactlyOne(Damage.fields.map { [$0.key] })]
    package let point = FaultPoint.body

    let damage: Damage

    /// Reads `{utf8: true}`, or with a size `{deep: 5000}`, or `{json: trailing-comma}`.
    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let damage = fields.exactlyOne(of: Damage.fields, "damage") else { return nil }
        self.damage = damage
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        _ = try outgoing.bodyCount()
        if case .gzip = damage { outgoing.setHeader("Content-Encoding", "gzip") }
        outgoing.replaceBytes(try damage.apply(to: outgoing.body))
    }

    package var settings: JSON {
        let (name, value) = damage.member
        return .object(JSONObject([(name, value)]))
    }
}
