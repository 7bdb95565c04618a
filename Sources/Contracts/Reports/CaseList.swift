import BankModel

/// The cases of a catalogue for people who choose among them: two lines each, in 80 columns.
package struct CaseList {
    private let cases: [(contract: ContractCase, instances: [Instance])]

    /// - Parameter instances: those that are chosen; a case without any is left out.
    package init(_ suites: [Suite], _ instances: [Instance]) {
        let byCase = Dictionary(grouping: instances, by: \.caseID)
        cases = suites.flatMap(\.cases).compactMap { contract in byCase[contract.id].map { (contract: contract, instances: $0) } }
    }

    /// Id, level, number of instances and banks of each case, then its requirement; at the end the totals.
    package var text: String {
        let width = max(4, cases.map(\.contract.id.count).max() ?? 0)
        let all = distinct(cases.flatMap { $0.instances.map(\.bank.name) })
        var lines = cases.isEmpty ? [] : ["\("case".padded(to: width))  level   count  banks"]
        for (contract, instances) in cases {
            let count = String(instances.count)
            let head =
                "\(contract.id.padded(to: width))  \(contract.level.rawValue.padded(to: 6))  "
                + String(repeating: " ", count: max(0, 5 - count.count)) + count + "  "
            let banks = distinct(instances.map(\.bank.name))
            let names = banks.count == all.count && all.count > 1 ? "all \(all.count)" : banks.joined(separator: ", ")
            lines.append(head + (head.count + names.count <= 80 ? names : "\(banks.count)"))
            lines.append("    " + clipped(contract.why.inOneLine, to: 75))
        }
        let instances = cases.reduce(0) { $0 + $1.instances.count }
        return (lines + ["\(counted(cases.count, "case")), \(counted(instances, "instance")) on \(counted(all.count, "bank"))"])
            .joined(separator: "\n") + "\n"
    }
}
