package import BankModel

/// How idempotency keys are written: `{key: {format: well-formed}}`; those of payments unless `role` or `operation` is given.
package struct KeyPredicate: Predicate {
    package static let name = "key"

    package static let forms = [
        form("The format of idempotency keys. A payment without a key is a failure.", [body], example: "key: {format: well-formed}")
    ]

    private static let body = Field(required: name, .node(.object(schema)), "the format")
    private static let schema = ObjectSchema(
        "`key`", "The format of the keys of payments, or of other requests that `role` or `operation` names.",
        fields: [written] + ExchangeFilter.fields)
    private static let written = Field(
        required: "format", .choice(of: KeyFormat.self), "the format that the bank requires, or a UUID (RFC 9562 §4)")

    let format: KeyFormat
    let filter: ExchangeFilter

    enum KeyFormat: String, Sendable, CaseIterable {
        /// As the bank demands it: no longer than it stores, a UUID if it accepts nothing else, in visible ASCII.
        case wellFormed = "well-formed"
        /// A UUID (RFC 9562 §4).
        case uuid
    }

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        let inner = Fields(node, of: Self.schema, complaints)
        let format = inner[Self.written]
        var filter = ExchangeFilter(inner, outline, complaints)
        inner.finish()
        if filter.role == nil, filter.operation == nil { filter.role = .pay }
        guard let format else { return nil }
        self.format = format
        self.filter = filter
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        guard let rule = scene.instance?.bank.key else { return [] }
        let wantsUUID = format == .uuid || rule.isUUID
        let demand: Phrase =
            wantsUUID ? "a UUID as the key (RFC 9562 §4)" : "a key of 1 to \(rule.longest) visible ASCII characters"
        let exchanges = filter.exchanges(of: scene)
        guard !exchanges.isEmpty else { return [UnmetExpectation(.absent, .noSuchRequest(filter.text))] }
        return exchanges.compactMap { exchange -> UnmetExpectation? in
            guard let key = exchange.key else { return UnmetExpectation(.breach, .keyMissing(exchange, rule: demand)) }
            let isRight =
                wantsUUID
                ? isUUID(key)
                : (1...rule.longest).contains(key.unicodeScalars.count) && key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return isRight ? nil : UnmetExpectation(.breach, .keyMalformed(exchange, key, rule: demand))
        }
    }
}
