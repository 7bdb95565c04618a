import BankCore
import BankModel

/// Reads a dialect's `magic`.
struct MagicReader {
    let loader: BankLoader

    private var complaints: Complaints { loader.complaints }

    func values(_ node: Node) -> MagicValues {
        let fields = Fields(node, of: MagicKeys.schema, complaints)
        var magic = MagicValues()
        for (text, keyNode, value) in loader.members(of: fields[MagicKeys.amounts], "amounts") {
            guard let units = Int64(text), units > 0 else {
                complaints.add(found: "`\(text)`", expected: "an amount in minor units, such as \"6660101\"", at: keyNode.position)
                continue
            }
            magic.amounts[units] = outcome(value)
        }
        for (name, _, value) in loader.members(of: fields[MagicKeys.payees], "payees") { magic.payees[name] = outcome(value) }
        fields.finish()
        return magic
    }

    private func outcome(_ node: Node) -> MagicOutcome? {
        if node.scalar == "rejected" { return .rejected }
        if let name = node.scalar.flatMap(DialectResponseName.init) { return .errorResponse(name) }
        return node.wrong(complaints, expectation(["rejected"] + DialectResponseName.allCases.map(\.rawValue), for: node.scalar ?? ""))
    }
}
