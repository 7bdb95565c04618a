import BankModel
import DriverProtocol

/// One case in plain words, with the steps and expectations of one instance: `read` and the matrix's keys differ between them.
package struct CaseExplanation {
    private let contract: ContractCase
    private let instances: [Instance]
    private let example: Instance?

    /// Shows the steps of the example, or of the first instance; without any it reports that no bank has what the case needs.
    package init(_ contract: ContractCase, _ instances: [Instance], example: Instance? = nil) {
        self.contract = contract
        self.instances = instances
        self.example = example ?? instances.first
    }

    package var text: String {
        var lines = ["\(contract.id) (\(contract.level.rawValue))", ""] + wrapped(contract.why) + [""]
        if let authority = contract.authority { lines += row("source", authority) }
        for bug in contract.bugs { lines += row("bug", bug.words) }
        let banks = distinct(instances.map(\.bank.name))
        lines += row("banks", banks.isEmpty ? "no available bank has what the case needs" : banks.joined(separator: ", "))
        let lowered = distinct(instances.filter { $0.level != contract.level }.map { "\($0.level.rawValue) at \($0.bank.name)" })
        if !lowered.isEmpty { lines += row("level", "\(lowered.joined(separator: ", ")), whose stub invents the words of a response") }
        lines += row("instances", "\(instances.count)")
        for (key, values) in contract.matrix.axes { lines += row("matrix", "\(key): \(values.joined(separator: ", "))") }
        let needs = distinct(instances.flatMap { $0.needs.map(\.rawValue) })
        lines += row("needs", (needs.isEmpty ? contract.needs.compactMap(\.scalar) : needs).joined(separator: ", "))
        let features = distinct((instances.isEmpty ? contract.features : instances.flatMap(\.features)).map(\.rawValue))
        if !features.isEmpty { lines += row("features", features.joined(separator: ", ")) }
        lines += row("written in", "\(contract.position)")
        for exemption in contract.exempt { lines += row("exempt", "\(exemption.invariant): \(exemption.why)") }
        guard let example else { return lines.joined(separator: "\n") + "\n" }
        if let given = contract.given {
            lines += ["", "given"] + bullets(ContractSentences.members(contract.written(given, example).json))
        }
        lines += ["", "steps, as in", "  \(example.name)"] + example.steps.flatMap(steps)
        let expectations = contract.written(contract.expect, example).elements(Complaints()) ?? []
        lines += ["", "expected"] + bullets(expectations.map { ContractSentences.expectation($0.json) })
        return (lines + ["", "run it: counterfoil test --client … --filter \(filter(example))"]).joined(separator: "\n") + "\n"
    }

    /// The word of a shell that chooses the case, or the instance if it was asked for.
    private func filter(_ example: Instance) -> String {
        example.name == instances.first?.name ? contract.id : RunReport.quoted(example.name)
    }

    private func row(_ name: String, _ text: String) -> [String] {
        wrapped(text, first: "\(name.padded(to: 10))  ", indent: String(repeating: " ", count: 12))
    }

    private func bullets(_ texts: [String]) -> [String] { texts.flatMap { wrapped($0, first: "  - ", indent: "    ") } }

    /// A line for each step, with the number by which expectations name it.
    private func steps(_ step: NumberedStep) -> [String] {
        let members = step.flattened
        return members.flatMap { member in
            let number = String(member.n)
            let margin = String(repeating: " ", count: max(0, 4 - number.count))
            let others = members.filter { $0.n != member.n }.map { "\($0.n)" }
            let atOnce = others.isEmpty ? "" : ", at once with \(others.joined(separator: ", "))"
            return wrapped(member.words + atOnce, first: "\(margin)\(number)  ", indent: "      ")
        }
    }

    /// An invariant in plain words, with the cases to which it does not apply; it has no steps, because it applies to every case.
    package static func text(of invariant: Invariant, in cases: [ContractCase]) -> String {
        var lines = ["\(invariant.id) (\(invariant.level.rawValue))", ""] + wrapped(invariant.why) + [""]
        if let authority = invariant.authority { lines += wrapped("source: \(authority)", indent: "  ") }
        lines += wrapped("It applies to every run of every case; a report names it only if it was broken.")
        for contract in cases {
            for exemption in contract.exempt where exemption.invariant == invariant.id {
                lines += wrapped("exempt in \(contract.id): \(exemption.why)", indent: "  ")
            }
        }
        return (lines + ["", "written in \(invariant.position)"]).joined(separator: "\n") + "\n"
    }
}

extension ContractCase {
    /// A part of the case as it is in one instance: the matrix's values stand where their names do.
    fileprivate func written(_ node: Node, _ instance: Instance) -> Node {
        node.substituting(values(instance.parameters, nil, instance.bank))
    }
}

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
