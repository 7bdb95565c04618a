import BankCore
import BankModel

/// Values that a movement of money gives.
extension TemplateReader {
    /// A property of an event, or values by its kind.
    func event(_ node: Node) -> ValueSource.EventField? {
        guard case .mapping = node.content else { return node.choice(of: BankEvent.Property.self, complaints).map { .property($0) } }
        let kinds = Fields(node, of: "the kinds of events", complaints).all.compactMap { _, keyNode, value in
            keyNode.choice(of: BankEvent.Kind.self, complaints).map { ($0, value.json) }
        }
        return .byKind(Dictionary(kinds) { $1 })
    }

    /// The properties of one side of a movement.
    func side(_ node: Node) -> ValueSource.SideField? {
        if let text = node.scalar {
            if text == "account" { return .account }
            if text.hasPrefix("other."), text.utf8.count > 6 { return .other(String(text.dropFirst(6))) }
            return node.wrong(
                complaints, "`account`, `other.` and a field of the other side's row, {debit: …, credit: …} or {other: {TABLE: …}}")
        }
        let fields = Fields(node, of: "a side", complaints)
        if let other = fields["other"] {
            let tables = Fields(other, of: "the tables of the other side", complaints).all
            for (table, keyNode, _) in tables where table != Movement.Account.outside { loader.require(table: table, at: keyNode.position) }
            fields.finish()
            return .otherTable(Dictionary(tables.map { ($0.key, $0.value.json) }) { $1 })
        }
        let (debit, credit) = (fields.required("debit"), fields.required("credit"))
        fields.finish()
        guard let debit, let credit else { return nil }
        return .direction(debit: debit.json, credit: credit.json)
    }
}
