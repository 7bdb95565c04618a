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
    /// Operations that the bank lacks, each with the number of cases that it alone would add: the most first, none that adds nothing.
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

    /// One line of at most 80 characters: `roundup: 178 of 215 cases apply; more with pay (+20), atms (+3)`, as many as fit.
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

/// Files of bytes that cases serve in place of a bank's responses: `Stubs/corpus/`, a folder for each subject.
package struct Corpus: Sendable {
    /// By the folder's name.
    package var folders: [String: [File]]

    /// One file, which is damaged in one way.
    package struct File: Sendable, Hashable {
        /// Without its ending.
        package var name: String
        package var bytes: [UInt8]

        package init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    package init(folders: [String: [File]] = [:]) { self.folders = folders }

    /// The `foreach` of a case: `{body: corpus:json/*}` runs it once for each file, and `$body` stands for its bytes in hexadecimal.
    package struct Foreach: Sendable {
        /// Each key with the files' names, which stand in the instances' names.
        package var axes: [(key: String, position: SourcePosition, names: [String])] = []
        /// The files of each name.
        package var contents: [String: [String: String]] = [:]

        init(_ node: Node?, _ corpus: Corpus, _ complaints: Complaints) {
            guard let node else { return }
            for (key, keyNode, value) in Fields(node, of: "`foreach`", complaints).all {
                let files = corpus.files(value, complaints)
                axes.append((key, keyNode.position, files.map(\.name)))
                contents[key] = Dictionary(files.map { ($0.name, hexadecimal($0.bytes)) }, uniquingKeysWith: { $1 })
            }
        }
    }

    /// The files that `corpus:folder/pattern` names; a complaint if there is none.
    private func files(_ node: Node, _ complaints: Complaints) -> [File] {
        let expected = "corpus:, one of the folders \(oneOf(folders.keys.sorted())), and a pattern of names, such as corpus:json/*"
        guard let text = node.scalar, text.hasPrefix("corpus:") else { return node.wrong(complaints, expected) ?? [] }
        let parts = text.dropFirst("corpus:".count).split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let folder = folders[parts[0]] else { return node.wrong(complaints, expected) ?? [] }
        let files = folder.filter { globMatches(parts[1], $0.name) }
        return files.isEmpty ? node.wrong(complaints, "a pattern that some file of corpus/\(parts[0]) matches") ?? [] : files
    }
}
