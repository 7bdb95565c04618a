import BankModel

/// A generated bank's `bank.yaml`: the model bank's, with another name and other customers.
struct DefinitionText {
    private let spec: BankSpec
    private let population: Population

    init(_ spec: BankSpec, _ population: Population) {
        self.spec = spec
        self.population = population
    }

    /// - Throws: ``BankSpecError/noSection(_:)`` if the model lacks a key that is to be replaced.
    func text(model: String) throws(BankSpecError) -> String {
        // The line that names the JSON Schema to editors stays the first.
        let schema = model.split(separator: "\n").prefix(1).filter { $0.hasPrefix("# yaml-language-server:") }.map(String.init)
        let odd = spec.oddDates ? " --odd-dates" : ""
        let replacements = [
            (
                "bank",
                schema + [
                    "# Made by: counterfoil generate --rows \(spec.rows) --seed \(spec.seed) --bank \(spec.name)\(odd)",
                    "bank: \(spec.name)",
                ]
            ),
            ("about", ["about: The model bank with \(spec.rows) transactions, made from the seed \(spec.seed)."] + dirty),
            ("customers", ["customers:"] + population.people.map(customer)),
        ]
        var sections = DefinitionText.sections(model)
        for (key, lines) in replacements {
            let positions = sections.indices.filter { sections[$0].key == key }
            guard positions.count == 1, let position = positions.first else { throw .noSection(key) }
            sections[position].lines = lines
        }
        return sections.flatMap(\.lines).joined(separator: "\n") + "\n"
    }

    private var dirty: [String] { spec.oddDates ? ["dirty: [date]"] : [] }

    private func customer(_ person: Person) -> String {
        let owned = population.accounts[person.accounts].map(\.id).joined(separator: ", ")
        // A text in JSON is one in YAML too (YAML 1.2 §1.3).
        let name = JSON.string(person.name).text
        return "  - {login: \(person.login), password: \(person.password), owns: {accounts: [\(owned)]}, profile: {name: \(name)}}"
    }

    /// The document's top-level keys, each with its lines and the comments before it.
    private static func sections(_ document: String) -> [(key: String, lines: [String])] {
        var sections: [(key: String, lines: [String])] = []
        var comments: [String] = []
        for line in document.split(separator: "\n").map(String.init) {
            if line.hasPrefix("#") {
                comments.append(line)
            } else if line.utf8.first?.isLowercase == true {
                sections.append((String(line.prefix { $0 != ":" }), comments + [line]))
                comments = []
            } else if !sections.isEmpty {
                sections[sections.count - 1].lines += comments + [line]
                comments = []
            }
        }
        return sections
    }
}
