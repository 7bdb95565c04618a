package import BankModel

/// The body is damaged or replaced; its framing is right.
package struct CorruptFault: ExchangeFault {
    package static let kind = "corrupt"
    package static let about = "damaged: `json` (a class), `utf8`, `bom`, `gzip`, `duplicate-keys`, `wrong-type`, `null`, `deep`, `huge`"
    package static let example = #"{"json": "trailing-comma"}"#
    package let point = FaultPoint.body

    let damage: Damage

    /// Reads `{utf8: true}`, or with a size `{deep: 5000}`, or `{json: trailing-comma}`.
    package init?(_ fields: Fields, _ complaints: Complaints) {
        let names = ["json"] + Damage.names
        let given = names.compactMap { name in fields[name].map { (name, $0) } }
        guard given.count == 1, let (name, node) = given.first else {
            complaints.add(
                found: given.isEmpty ? "no damage" : given.map { "`\($0.0)`" }.joined(separator: " and "),
                expected: "one of \(names.joined(separator: ", "))", at: fields.node.place)
            return nil
        }
        guard let damage = Damage(name, node, complaints) else { return nil }
        self.damage = damage
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) throws(NotApplied) {
        _ = try sending.bodyCount()
        if case .gzip = damage { sending.setHeader("Content-Encoding", "gzip") }
        sending.body = try damage.apply(to: sending.body)
    }

    package var settings: JSON {
        let (name, value) = damage.member
        return .object(JSONObject([(name, value)]))
    }
}
