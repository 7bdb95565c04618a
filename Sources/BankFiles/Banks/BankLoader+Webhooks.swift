import BankCore
import BankModel

/// A bank's webhooks.
extension BankLoader {
    /// The bank's `webhooks`.
    func webhookPolicy(_ node: Node) -> WebhookPolicy {
        let fields = Fields(node, of: WebhookPolicy.schema, complaints)
        var policy = WebhookPolicy(fields, complaints)
        policy.bodies = fields[WebhookPolicy.bodies].map { webhookBodies($0) } ?? [:]
        fields.finish()
        return policy
    }

    /// Shapes by type of event. They take values from the usual body, as an operation does from the body of its request.
    ///
    /// - Parameter ofConsents: whether they are those of one table of consents, for the types that are about consents.
    func webhookBodies(_ node: Node, ofConsents: Bool = false) -> [String: Template] {
        let kinds = ofConsents ? WebhookEvent.Kind.ofConsents : WebhookEvent.Kind.allCases
        let types: [String] = (ofConsents ? [] : ["*", WebhookEvent.unknownType]) + kinds.map(\.rawValue)
        var reader = TemplateReader(loader: self, parameters: [])
        reader.body = .json
        reader.isOfConsent = ofConsents
        var bodies: [String: Template] = [:]
        for (_, keyNode, value) in Fields(node, of: "`bodies`", complaints).all {
            guard let type = keyNode.choice(among: types, complaints) else { continue }
            bodies[type] = reader.template(value)
        }
        return bodies
    }
}

/// What operations register.
extension TemplateReader {
    /// The webhook that an operation registers.
    func registration(_ node: Node, of operation: Operation) -> Operation.Registration? {
        let fields = Fields(node, of: RegistersKeys.schema, complaints)
        let (url, events) = (fields[RegistersKeys.url].flatMap(source), fields[RegistersKeys.events].flatMap(source))
        let types = fields[RegistersKeys.names].map { names($0) } ?? [:]
        let prefix = fields[RegistersKeys.prefix]
        let about = fields[RegistersKeys.about] ?? .session
        fields.finish()
        if loader.bank.webhooks == nil {
            complaints.add(found: "`registers`", expected: "`webhooks` in the bank: it sends none", at: node.position)
        }
        let isConsent = operation.insert.map { loader.bank.consents[$0.table] != nil }
        if isConsent == nil || isConsent == true && about == .session {
            complaints.add(
                found: "`registers`", expected: "it beside `insert` into a table without `consents`: the webhook belongs to that row",
                at: node.position)
        }
        if about == .row, isConsent == false, operation.move == nil {
            complaints.add(
                found: "`about: row`", expected: "it for a row of `consents`, or beside `move`: no other row has events", at: node.position)
        }
        if prefix != nil, events == nil {
            complaints.add(found: "`prefix`", expected: "`events` beside it: it is in front of their names", at: node.position)
        }
        if operation.repeats != nil {
            complaints.add(
                found: "`registers`", expected: "none beside `repeats`: the row of an order ends with its last payment", at: node.position)
        }
        guard let url else { return nil }
        var registration = Operation.Registration(url: url)
        (registration.about, registration.events, registration.prefix, registration.names) = (about, events, prefix, types)
        return registration
    }

    private func names(_ node: Node) -> [String: Set<WebhookEvent.Kind>] {
        var names: [String: Set<WebhookEvent.Kind>] = [:]
        for (name, _, value) in Fields(node, of: "`names`", complaints).all {
            let types = value.elements(complaints) ?? []
            if types.isEmpty { complaints.add(found: "no types for `\(name)`", expected: "at least one", at: value.position) }
            names[name] = Set(types.compactMap { $0.choice(of: WebhookEvent.Kind.self, complaints) })
        }
        return names
    }
}
