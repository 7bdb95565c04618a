import BankCore
import BankModel

extension OperationReader {
    func challenge(_ node: Node, _ reader: TemplateReader) -> Operation.ChallengeCall? {
        let fields = Fields(node, of: ChallengeCallKeys.schema, complaints)
        let id = fields[ChallengeCallKeys.id].flatMap(reader.source)
        let code = fields[ChallengeCallKeys.code].flatMap(reader.source)
        let consent = fields[ChallengeCallKeys.consent].flatMap(reader.consent)
        fields.finish()
        // Nobody types a code to decide a consent.
        let isOfConsent = fields.node(of: ChallengeCallKeys.consent) != nil
        if isOfConsent ? code != nil : fields.node(of: ChallengeCallKeys.id) == nil {
            return node.wrong(complaints, "`id`, or `consent` without `code`")
        }
        return Operation.ChallengeCall(id: id, code: code, consent: consent)
    }

    /// A challenge belongs to a customer, and its result to the key of the challenged request.
    func checkChallenges(_ operation: Operation, _ fields: Fields) {
        for key in [OperationKeys.stepUp, OperationKeys.challenge, OperationKeys.decoupled] {
            guard let node = fields.node(of: key) else { continue }
            if loader.bank.challenges == nil {
                complaints.add("`challenges` is missing in the bank: it challenges no request", at: node.position)
            }
            let isOfConsent = key.key == OperationKeys.decoupled.key || operation.challenge?.consent != nil
            if operation.access == .open, !isOfConsent {
                complaints.add("found a challenge in an open operation, expected one that needs a token", at: node.position)
            }
        }
        let inserted = operation.insert.flatMap { loader.bank.consents[$0.table] }
        if let node = fields.node(of: OperationKeys.decoupled), inserted.map(\.isCredential) ?? true {
            complaints.add(
                found: "`decoupled`", expected: "`insert` beside it, into a table of `consents` without `credential`", at: node.position)
        }
        if case .over? = operation.stepUp, operation.move == nil, let node = fields.node(of: OperationKeys.stepUp) {
            complaints.add(found: "`over`", expected: "it beside `move`: the operation moves no money", at: node.position)
        }
        // A challenged request is executed later, without the token and the headers that these need.
        for (key, isThere) in [("uses", operation.uses != nil), ("if_match", operation.ifMatch != nil)] where isThere {
            guard let node = fields.node(of: OperationKeys.stepUp) else { continue }
            complaints.add(found: "`step_up` beside `\(key)`", expected: "one of them in an operation", at: node.position)
        }
        if operation.challenge != nil, let node = fields.node(of: OperationKeys.key) {
            complaints.add(found: "`key` beside `challenge`", expected: "none: the challenged request has the key", at: node.position)
        }
    }
}
