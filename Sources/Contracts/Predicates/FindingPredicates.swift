package import BankModel

/// Whose texts must not be found.
enum SecretChoice: String, Sendable, CaseIterable {
    /// The first token that the bank refused.
    case rejected = "$rejected"
    /// All tokens issued in the case.
    case tokens = "$tokens"
}

/// What must not lie on the client's disk: `{disk: {lacks: $rejected, after: {step: 4}}}`. Without `after`: at the end.
package struct DiskPredicate: Predicate {
    package static let name = "disk"

    let lacks: SecretChoice
    let after: Int

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields.required(Self.name) else { return nil }
        let inner = Fields(node, of: "`disk`", complaints)
        let lacks = inner.required("lacks")?.choice(of: SecretChoice.self, complaints)
        after = inner["after"].flatMap { ExchangeFilter.after($0, outline, complaints) } ?? outline.all.last?.n ?? 1
        inner.finish()
        guard let lacks else { return nil }
        self.lacks = lacks
    }

    package var scansAfter: [Int] { [after] }

    package func judge(_ scene: Scene) -> [Unmet] { scene.found(lacks, .disk, after: after) }
}

/// What must not stand in what the driver writes to stderr: `{log: {lacks: $tokens}}`.
package struct LogPredicate: Predicate {
    package static let name = "log"

    let lacks: SecretChoice

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields.required(Self.name) else { return nil }
        let inner = Fields(node, of: "`log`", complaints)
        let lacks = inner.required("lacks")?.choice(of: SecretChoice.self, complaints)
        inner.finish()
        guard let lacks else { return nil }
        self.lacks = lacks
    }

    package var readsLog: Bool { true }

    package func judge(_ scene: Scene) -> [Unmet] { scene.found(lacks, .log, after: nil) }
}

extension Scene {
    fileprivate func found(_ secret: SecretChoice, _ place: Evidence.Finding.Place, after step: Int?) -> [Unmet] {
        let found = evidence.findings.filter { finding in
            finding.place == place && (step.map { $0 == finding.after } ?? true)
                && (secret == .tokens || finding.token == rejectedToken)
        }
        guard let first = found.first else { return [] }
        let name = secret == .tokens ? "no token" : "nothing of the refused token"
        let expected = place == .disk ? "\(name) on disk after step \(first.after)" : "\(name) in the log"
        return [Unmet(expected: expected, seen: "\(first.token) stands in \(first.path), \(first.encoding)")]
    }
}
