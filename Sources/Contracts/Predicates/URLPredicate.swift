package import BankModel

/// No secret stands in an address: `{url: {lacks: $tokens}}`, `{url: {lacks: $password}}`, `{url: {lacks: $data}}`.
///
/// The journal has a token's id wherever its text was, so the id in a path or query tells; passwords and what the bank served
/// are looked for by their texts.
package struct URLPredicate: Predicate {
    package static let name = "url"

    let lacks: SecretChoice

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields.required(Self.name) else { return nil }
        let inner = Fields(node, of: "`url`", complaints)
        let lacks = inner.required("lacks")?.choice(of: SecretChoice.self, complaints)
        inner.finish()
        guard let lacks else { return nil }
        self.lacks = lacks
    }

    package var wantsData: Bool { lacks == .data }

    package func judge(_ scene: Scene) -> [Unmet] {
        let texts = scene.secretsInAddresses(lacks)
        return texts.first.map { [Unmet(.violation, expected: "\(lacks.name) in a URL", seen: $0)] } ?? []
    }
}

extension Scene {
    /// Each address with a secret of that kind, in words that do not tell the secret.
    func secretsInAddresses(_ secret: SecretChoice) -> [String] {
        if secret == .data || secret == .password {
            return evidence.findings.filter { $0.place == .address && secret.covers($0, self) }.map {
                "\($0.token) is in \($0.path), \($0.encoding)"
            }
        }
        return exchanges.filter { exchange in
            let address = "\(exchange.path)?\(exchange.query ?? "")"
            guard secret == .rejected else { return address.contains("token#") || address.contains("refresh#") }
            return rejectedToken.map { exchange.names($0, in: address) } ?? false
        }.map { "exchange \($0.seq): \($0.path + ($0.query.map { "?\($0)" } ?? ""))" }
    }
}
