package import BankModel
package import DriverProtocol

/// How many cases apply to a bank, and what would make more apply.
package struct CaseReach: Sendable {
    package var bank: String
    /// The cases that have an instance on the bank.
    package var applying: Int
    package var total: Int
    /// The cases that are written for banks that they name, this one not among them.
    package var others: Int
    /// Operations of the driver protocol that the bank does not have, each with the number of cases that it alone would add; the
    /// most first, and none that would add nothing.
    package var more: [(operation: DriverOperation, cases: Int)]

    package init(_ bank: BankFacts, _ suites: [Suite]) {
        let cases = suites.flatMap(\.cases)
        let waiting = cases.filter { !$0.applies(to: bank) }
        self.bank = bank.name
        applying = cases.count - waiting.count
        total = cases.count
        others = waiting.count { !$0.isMeant(for: bank) }
        let missing = DriverOperation.allCases.filter { !bank.operations.contains($0) }
        let gains = missing.map { operation in
            var richer = bank
            richer.operations.append(operation)
            return (operation: operation, cases: waiting.count { $0.applies(to: richer) })
        }
        more = gains.filter { $0.cases > 0 }.sorted { $0.cases > $1.cases }
    }
}

extension CaseReach {
    /// One line of at most 80 characters for people, unless the bank's name is very long: `roundup: 178 of 215 cases apply; more
    /// with pay (+20), atms (+3)`. Operations that do not fit are left out.
    package var text: String {
        var line = "\(bank): \(applying) of \(total) cases apply"
        for (index, gain) in more.enumerated() {
            let next = (index == 0 ? "; more with " : ", ") + "\(gain.operation.rawValue) (+\(gain.cases))"
            guard line.count + next.count <= CaseReach.width else { break }
            line += next
        }
        return line
    }

    private static let width = 80

    /// The same for programs.
    package var json: JSON {
        [
            "bank": .string(bank), "apply": .int(applying), "cases": .int(total), "for_other_banks": .int(others),
            "more_with": .object(JSONObject(more.map { (key: $0.operation.rawValue, value: .int($0.cases)) })),
        ]
    }
}
