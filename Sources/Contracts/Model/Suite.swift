package import BankModel
package import DriverProtocol

/// The cases of one subject: those of the file `Contracts/<suite>.yaml`, or of several files `Contracts/<suite>.<part>.yaml`.
package struct Suite: Sendable {
    package var name: String
    package var cases: [ContractCase]

    package init(name: String, cases: [ContractCase]) {
        self.name = name
        self.cases = cases
    }
}

/// One requirement for a client, before it is applied to a bank: what `$name` and `read` stand for is known only per instance.
package struct ContractCase: Sendable {
    /// `suite.name`
    package var id: String
    /// Its position in the file.
    package var position: SourcePosition
    /// The requirement in a sentence, with its source.
    package var why: String
    package var level: Level
    /// The rule on which a `must` rests, such as `RFC 6750 §3.1`.
    package var authority: String?
    /// The public threads of the bugs that it is to find.
    package var bugs: [BugAddress] = []
    /// The invariants that do not apply to it, each with the reason.
    package var exempt: [Exemption] = []
    /// The operations it tests; a `$name` of the matrix may be among them.
    package var needs: [Node]
    package var features: [DriverFeature]
    /// Nil: every bank that has what it needs.
    package var banks: [WrittenName]?
    package var matrix: Matrix
    /// For each key of `foreach`, what it stands for in the steps, by the name it has in an instance's name.
    package var contents: [String: [String: String]]
    package var given: Node?
    package var steps: Node
    package var expect: Node

    /// An invariant that does not apply to a case, and why.
    package struct Exemption: Sendable, Hashable {
        /// The invariant's id, with its prefix.
        package var invariant: String
        package var why: String
        package var position: SourcePosition
    }

    /// The level of a case.
    package enum Level: String, Sendable, CaseIterable {
        case must, should
    }

    /// The suite's name: what stands before the first dot.
    package var suite: String { String(id.prefix { $0 != "." }) }
}

/// The name of a bank or of an outage, and its position in the file.
package struct WrittenName: Sendable, Hashable {
    package var name: String
    package var position: SourcePosition
}

extension [Suite] {
    /// The suites with their parts put together, each where its first part stood; an id that stands twice is a complaint.
    package func joined(_ complaints: Complaints) -> [Suite] {
        var positions: [String: SourcePosition] = [:]
        for contract in flatMap(\.cases) {
            if let earlier = positions.updateValue(contract.position, forKey: contract.id) {
                complaints.add("the case `\(contract.id)` is declared twice; first at \(earlier)", at: contract.position)
            }
        }
        return distinct(map(\.name)).map { name in Suite(name: name, cases: filter { $0.name == name }.flatMap(\.cases)) }
    }

    /// Complains of every bank that a case names and that is a slip for one that other cases name rightly; users may lack other banks.
    package func checkBanks(_ known: [String], _ complaints: Complaints) {
        let named = flatMap(\.cases).flatMap { $0.banks ?? [] }
        let right = known.filter { name in named.contains { $0.name == name } }
        for bank in named where !known.contains(bank.name) {
            let hint = didYouMean(bank.name, among: right)
            guard !hint.isEmpty else { continue }
            complaints.add(found: "the bank `\(bank.name)`", expected: oneOf(known) + hint, at: bank.position)
        }
    }
}
