import BankCore
import BankModel

/// `consents` of a bank.
extension BankLoader {
    func consentPolicies(_ node: Node) -> [String: ConsentPolicy] {
        if bank.signIn == nil {
            complaints.add("found `consents`, expected `sign_in` in the bank: customers authorise on its page", at: node.position)
        }
        var policies: [String: ConsentPolicy] = [:]
        for (name, keyNode, value) in Fields(node, of: "consents", complaints).all {
            guard let table = require(table: name, at: keyNode.position) else { continue }
            policies[name] = consentPolicy(table, value, at: keyNode.position)
        }
        return policies
    }

    private func consentPolicy(_ table: Table, _ node: Node, at position: SourcePosition) -> ConsentPolicy? {
        let fields = Fields(node, of: ConsentKeys.schema, complaints)
        let state = fields[ConsentKeys.state]?.text(complaints)
        var policy = ConsentPolicy(table: table.name, state: state ?? "")
        policy.parameter = fields[ConsentKeys.parameter]
        policy.words = fields[ConsentKeys.words].map(valuesByState) ?? [:]
        policy.lifetime = fields[ConsentKeys.lifetime]
        policy.until = fields[ConsentKeys.until].flatMap(date)
        policy.changed = fields[ConsentKeys.changed].flatMap(date)
        if let node = fields[ConsentKeys.covers], let name = node.text(complaints),
            let covered = require(table: name, at: node.position)
        {
            policy.covers = name
            if case .owner? = covered.belongs {
            } else {
                complaints.add(
                    found: "the table `\(name)`", expected: "one with `belongs: owner`: others are not a customer's", at: node.position)
            }
        }
        for (node, name) in [(fields[ConsentKeys.accounts], "accounts"), (fields[ConsentKeys.label], "label")] {
            guard let node, policy.covers == nil else { continue }
            complaints.add(found: "`\(name)`", expected: "`covers` beside it, the table of the accounts", at: node.position)
        }
        policy.accounts = fields[ConsentKeys.accounts]?.text(complaints)
        policy.label = fields[ConsentKeys.label]?.text(complaints)
        if let node = fields[ConsentKeys.label], let covered = policy.covers { uses(node.scalar, of: covered, at: node.position) }
        if let node = fields[ConsentKeys.asked] { policy.asked = asked(node, in: policy.covers) }
        policy.permissions = fields[ConsentKeys.permissions]?.text(complaints)
        policy.redirect = fields[ConsentKeys.redirect]?.text(complaints)
        policy.isCredential = fields[ConsentKeys.credential] ?? false
        let reader = TemplateReader(loader: self, parameters: [])
        if let node = fields[ConsentKeys.row] {
            policy.row = reader.template(node)
            if case .object(let members)? = policy.row, members.contains(where: { $0.key == table.key }) {
            } else {
                complaints.add(found: "a row without `\(table.key)`", expected: "the fields of a row with its key", at: node.position)
            }
        }
        policy.bodies = fields[ConsentKeys.bodies].map { webhookBodies($0, ofConsents: true) } ?? [:]
        fields.finish()
        if !table.rows.isEmpty {
            complaints.add(found: "a table with a `file`", expected: "one without: consents are added by operations", at: position)
        }
        if policy.parameter == nil, policy.row == nil {
            complaints.add(
                "found neither `parameter` nor `row`, expected one of them: no customer could authorise such a consent", at: position)
        }
        if policy.redirect != nil, policy.parameter == nil || policy.row != nil {
            complaints.add(
                "found `redirect`, expected `parameter` with it, and no `row`: the page's address names the consent", at: position)
        }
        if policy.isCredential, policy.redirect == nil {
            complaints.add("found `credential`, expected `redirect` with it: other apps get a code and tokens", at: position)
        }
        return state == nil ? nil : policy
    }

    /// A value for each state.
    func valuesByState(_ node: Node) -> [ConsentState: JSON] {
        var values: [ConsentState: JSON] = [:]
        for (_, keyNode, value) in Fields(node, of: "the states of consents", complaints).all {
            if let state = keyNode.choice(of: ConsentState.self, complaints) { values[state] = value.json }
        }
        return values
    }

    private func date(_ node: Node) -> ConsentPolicy.DateField? {
        let members = Fields(node, of: "a date", complaints).all
        guard members.count == 1, let member = members.first, let style = member.value.choice(of: DateStyle.self, complaints) else {
            return node.wrong(complaints, "one field and its format, such as {valid_until: day}")
        }
        return ConsentPolicy.DateField(member.key, style)
    }

    private func asked(_ node: Node, in table: String?) -> ConsentPolicy.AskedAccounts? {
        let fields = Fields(node, of: AskedKeys.schema, complaints)
        let (at, field) = (fields[AskedKeys.at], fields[AskedKeys.field])
        fields.finish()
        guard let table else { return node.wrong(complaints, "`covers` beside it, the table of the accounts") }
        if let field { uses(field.scalar, of: table, at: field.position) }
        guard let at, let field = field?.text(complaints) else { return nil }
        do throws(PatternError) { return ConsentPolicy.AskedAccounts(path: try JSONPath(at.scalar ?? ""), field: field) } catch {
            return at.wrong(complaints, "a JSONPath: \(error)")
        }
    }

    /// Permissions are those of consents, and the customer who authorises a payment needs no time to settle.
    func checkConsents(_ operation: Operation, at position: SourcePosition) {
        if !operation.permissions.isEmpty, bank.consents.values.allSatisfy({ $0.permissions == nil }) {
            complaints.add(found: "`permission`", expected: "`permissions` in `consents` of the bank", at: position)
        }
        if operation.access == .open, operation.uses != nil || !operation.permissions.isEmpty {
            complaints.add(found: "`\(operation.name)` open to everybody", expected: "a token: it carries the consent", at: position)
        }
        guard let table = operation.insert?.table, bank.consents[table] != nil, let move = operation.move else { return }
        for (key, times) in [("settles", move.settles), ("authorisation", move.authorisation)] where !times.isEmpty {
            complaints.add(found: "`\(key)`", expected: "none: the movement settles when the customer authorises it", at: position)
        }
    }
}

/// What operations do with consents.
extension TemplateReader {
    func use(_ node: Node) -> Operation.ConsentUse? {
        let fields = Fields(node, of: UsesKeys.schema, complaints)
        let consent = fields[UsesKeys.consent].flatMap(self.consent)
        let same = fields[UsesKeys.same] ?? []
        fields.finish()
        return consent.map { Operation.ConsentUse(consent: $0, same: same) }
    }

    /// A consent by its table and key.
    func consent(_ node: Node) -> Operation.Parent? {
        guard let row = parent(node) else { return nil }
        guard loader.bank.consents[row.table] != nil else { return node.wrong(complaints, "a table of `consents`") }
        return row
    }
}
