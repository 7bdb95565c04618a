package import BankModel
import DriverProtocol

extension Suite {
    /// The version of the contract files read here.
    static let version = 1

    /// The key that heads contract files, and the file of invariants.
    static let contract = Field(
        required: "contract",
        Format<Int>(
            .words([String(version)]),
            read: { node, complaints in
                node.scalar == String(version) ? version : node.wrong(complaints, "\(version), the version of contract files")
            }),
        "the version of the file format")
    private static let suite = Field(
        required: "suite", .node(.text(TextSchema("a name"))), "the suite's name: that of the file up to its first dot")
    private static let list = Field(
        required: "cases", .node(.list(.object(ContractCase.schema), atLeast: 0)), "the cases; each id begins with the suite's name")

    /// A file of contracts.
    package static let schema = ObjectSchema(
        "a suite of contracts", "The cases of one subject: a file `Contracts/<suite>.yaml`, or `Contracts/<suite>.<part>.yaml`.",
        fields: [contract, suite, list])

    /// Reads a file of contracts, whose suite must be `name`, and checks every case in every combination; `corpus` is for `foreach`.
    package init?(_ node: Node, name: String, corpus: Corpus = Corpus(), _ complaints: Complaints) {
        let fields = Fields(node, of: Suite.schema, complaints)
        _ = fields[Suite.contract]
        if let suite = fields[Suite.suite], suite.scalar != name {
            complaints.add(found: suite.kindName, expected: "`\(name)`, as the file is named", at: suite.position)
        }
        let nodes = fields[Suite.list]?.elements(complaints)
        fields.finish()
        guard let nodes else { return nil }
        let cases = nodes.compactMap { node -> ContractCase? in
            guard let contract = ContractCase(node, suite: name, corpus, complaints) else { return nil }
            contract.check(complaints)
            return contract
        }
        self.init(name: name, cases: cases)
    }
}
