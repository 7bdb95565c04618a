package import BankModel

/// No token and no listed secret stands in an address: `{url: {lacks: $tokens}}`.
///
/// The journal has a token's id wherever its text was, so the id in a path or query tells.
package struct URLPredicate: Predicate {
    package static let name = "url"

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields.required(Self.name) else { return nil }
        let inner = Fields(node, of: "`url`", complaints)
        guard let lacks = inner.required("lacks") else { return nil }
        inner.finish()
        if lacks.scalar != "$tokens" { complaints.add(found: lacks.kindName, expected: "$tokens", at: lacks.place) }
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let found = scene.exchanges.first { exchange in
            let address = "\(exchange.path)?\(exchange.query ?? "")"
            return address.contains("token#") || address.contains("refresh#")
        }
        return found.map { exchange in
            let address = exchange.path + (exchange.query.map { "?\($0)" } ?? "")
            return [Unmet(.violation, expected: "no token in an address", seen: "exchange \(exchange.seq): \(address)")]
        } ?? []
    }
}
