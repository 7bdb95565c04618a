import BankCore
import BankModel

/// A dialect's rules for keyed writes: its `idempotency`.
extension TemplateReader {
    func idempotency(_ node: Node) -> IdempotencyPolicy? {
        let fields = Fields(node, of: IdempotencyKeys.schema, complaints)
        let key = fields[IdempotencyKeys.key].flatMap(source)
        var policy = IdempotencyPolicy(key: key ?? .literal(.null))
        policy.required = fields[IdempotencyKeys.required] ?? policy.required
        policy.quoted = fields[IdempotencyKeys.quoted] ?? policy.quoted
        policy.longest = fields[IdempotencyKeys.longest] ?? policy.longest
        policy.isUUID = fields[IdempotencyKeys.uuid] ?? policy.isUUID
        policy.scope = fields[IdempotencyKeys.scope] ?? policy.scope
        policy.fingerprint = fields[IdempotencyKeys.fingerprint].flatMap(fingerprint) ?? policy.fingerprint
        policy.window = fields[IdempotencyKeys.window]
        policy.stored = fields[IdempotencyKeys.stored].flatMap(stored) ?? policy.stored
        policy.replay = fields[IdempotencyKeys.replay] ?? policy.replay
        policy.marker = fields[IdempotencyKeys.marker].flatMap(marker)
        fields.finish()
        return key == nil ? nil : policy
    }

    private func fingerprint(_ node: Node) -> IdempotencyPolicy.Fingerprint? {
        switch node.scalar {
        case "whole": return .whole
        case "bytes": return .bytes
        default: break
        }
        guard case .list(let nodes) = node.content, !nodes.isEmpty else {
            return node.wrong(complaints, "`whole`, `bytes` or a list of the body's fields, such as [amount, to]")
        }
        return node.texts(complaints).map(IdempotencyPolicy.Fingerprint.fields)
    }

    private func stored(_ node: Node) -> IdempotencyPolicy.Stored? {
        switch node.content {
        case .scalar("executed", _): return .executed
        case .scalar("success", _): return .success
        case .list: return patterns(node).map(IdempotencyPolicy.Stored.only)
        case .mapping(let members) where members.count == 1 && members[0].key.scalar == "not":
            return patterns(members[0].value).map(IdempotencyPolicy.Stored.not)
        case .scalar, .mapping:
            let hint = node.scalar.map { didYouMean($0, among: ["executed", "success"]) } ?? ""
            return node.wrong(complaints, "executed, success, statuses such as [2xx, 402] or {not: [429, 5xx]}\(hint)")
        }
    }

    private func patterns(_ node: Node) -> [StatusPattern]? {
        guard let nodes = node.elements(complaints) else { return nil }
        if nodes.isEmpty { return node.wrong(complaints, "at least one status") }
        return nodes.compactMap { node in
            node.scalar.flatMap(StatusPattern.init)
                ?? node.wrong(complaints, "a status such as 402, a class such as 5xx or a range such as 501-599")
        }
    }

    private func marker(_ node: Node) -> JournalEntry.Header? {
        let headers = headers(node)
        guard let header = headers.first, headers.count == 1, case .literal(let text) = header.value else {
            return headers.isEmpty ? nil : node.wrong(complaints, "one header with a fixed text, such as {Idempotent-Replayed: \"true\"}")
        }
        return JournalEntry.Header(header.name, text.plainText)
    }
}
