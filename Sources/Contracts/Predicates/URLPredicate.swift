package import BankModel

/// No secret stands in an address: `{url: {lacks: $tokens}}`, `{url: {lacks: $password}}`, `{url: {lacks: $data}}`.
///
/// The journal has a token's id wherever its text was, so the id in a path or query tells; passwords and what the bank served
/// are looked for by their texts.
package struct URLPredicate: Predicate {
    package static let name = "url"

    package static let forms = [form("No secret stands in an address.", [body], example: "url: {lacks: $tokens}")]

    private static let body = Field(required: name, .node(.object(schema)), "what must not be found")
    private static let schema = ObjectSchema("`url`", "What is looked for in the addresses of requests.", fields: [secret])
    private static let secret = Field(required: "lacks", .choice(of: SecretChoice.self), SecretChoice.help)

    let lacks: SecretChoice

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        let inner = Fields(node, of: Self.schema, complaints)
        let lacks = inner[Self.secret]
        inner.finish()
        guard let lacks else { return nil }
        self.lacks = lacks
    }

    package var needs: Knowledge { lacks == .data ? .data : [] }

    package func judge(_ scene: Scene) -> [Unmet] {
        scene.secretsInAddresses(lacks).prefix(1).map { Unmet(.violation, $0) }
    }
}

extension Scene {
    /// Each address with a secret of that kind.
    func secretsInAddresses(_ secret: SecretChoice) -> [Finding] {
        if secret == .data || secret == .password {
            return evidence.findings.filter { $0.place == .address && secret.covers($0, self) }.map {
                .secretInAddress($0.text, "\(fixed: secret.name)")
            }
        }
        return exchanges.compactMap { exchange in
            let token = exchange.tokensInURL.first { secret == .tokens || $0 == rejectedToken }
            return token.map { .secretInAddress(exchange, $0) }
        }
    }
}
