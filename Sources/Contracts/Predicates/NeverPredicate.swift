package import BankModel

/// What must not happen: `{never: {sends: $rejected, after: {step: 4}}}`, `{never: {sends: empty-bearer}}`.
///
/// A violation outranks all that makes a run inconclusive.
package struct NeverPredicate: Predicate {
    package static let name = "never"

    let sends: Sent
    let filter: ExchangeFilter

    /// What is sent.
    enum Sent: String, Sendable, CaseIterable {
        /// The first token that the bank refused.
        case rejected = "$rejected"
        /// `Authorization: Bearer` and no token.
        case emptyBearer = "empty-bearer"
    }

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields.required(Self.name) else { return nil }
        let inner = Fields(node, of: "`never`", complaints)
        let sends = inner.required("sends")?.choice(of: Sent.self, complaints)
        filter = ExchangeFilter(inner, outline, complaints)
        inner.finish()
        guard let sends else { return nil }
        self.sends = sends
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let (token, name): (String?, String) =
            switch sends {
            case .rejected: (scene.rejectedToken, "the refused token\(scene.rejectedToken.map { " (\($0))" } ?? "")")
            case .emptyBearer: ("empty", "an empty bearer token")
            }
        guard let token else { return [] }
        return filter.exchanges(of: scene).filter { $0.token == token }.prefix(1).map { exchange in
            Unmet(
                .violation, expected: "the client never sends \(name)\(filter.text)",
                seen: "exchange \(exchange.seq), \(exchange.method ?? "a connection") \(exchange.path), carried it")
        }
    }
}
