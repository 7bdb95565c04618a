package import BankModel
import DriverProtocol

extension Suite {
    /// The version of the contract files read here.
    static let version = 1

    /// Reads a file of contracts and checks every case in every combination.
    ///
    /// - Parameters:
    ///   - name: the file's name up to its first dot, which must be the suite's.
    ///   - corpus: the files that `foreach` may name.
    package init?(_ node: Node, name: String, corpus: Corpus = Corpus(), _ complaints: Complaints) {
        let fields = Fields(node, of: "a suite of contracts", complaints)
        if let version = fields.required("contract"), version.scalar != String(Suite.version) {
            complaints.add(found: version.kindName, expected: "\(Suite.version), the version of contract files", at: version.place)
        }
        if let suite = fields.required("suite"), suite.scalar != name {
            complaints.add(found: suite.kindName, expected: "`\(name)`, as the file is named", at: suite.place)
        }
        let nodes = fields.required("cases")?.elements(complaints)
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

extension ContractCase {
    init?(_ node: Node, suite: String, _ corpus: Corpus, _ complaints: Complaints) {
        let fields = Fields(node, of: "a case", complaints)
        let id = fields.required("id")?.text(complaints)
        if let id, !id.hasPrefix(suite + ".") || id.count == suite.count + 1 {
            complaints.add(found: "the id `\(id)`", expected: "`\(suite).` and a name", at: node.place)
        }
        let why = fields.required("why")?.text(complaints, expected: "the rule in a sentence, with its source")
        level = fields["level"].flatMap { $0.choice(of: Level.self, complaints) } ?? .must
        authority = fields["authority"]?.text(complaints, expected: "the rule that it rests on, such as RFC 6750 §3.1")
        exempt = fields["exempt"].map { Exemption.list($0, complaints) } ?? []
        needs = fields.required("needs")?.elements(complaints) ?? []
        features = fields["features"]?.elements(complaints)?.compactMap { $0.choice(of: DriverFeature.self, complaints) } ?? []
        banks = fields["banks"]?.elements(complaints)?.compactMap { node in
            node.text(complaints).map { BankName($0, at: node.place) }
        }
        let foreach = Corpus.Foreach(fields["foreach"], corpus, complaints)
        contents = foreach.contents
        matrix = Matrix(fields["matrix"], foreach: foreach, except: fields["except"], complaints)
        given = fields["given"]
        let steps = fields.required("steps")
        let expect = fields.required("expect")
        fields.finish()
        guard let id, let why, let steps, let expect else { return nil }
        if expect.elements(complaints)?.isEmpty == true { complaints.add("a case that expects nothing cannot fail", at: expect.place) }
        self.id = id
        self.place = node.place
        self.why = why
        self.steps = steps
        self.expect = expect
    }
}

extension ContractCase.Exemption {
    /// Reads `[bounded, "why"]`, or a list of such pairs.
    static func list(_ node: Node, _ complaints: Complaints) -> [Self] {
        guard let elements = node.elements(complaints) else { return [] }
        let isOne = elements.first.map { $0.scalar != nil } ?? false
        return (isOne ? [node] : elements).compactMap { Self($0, complaints) }
    }

    private init?(_ node: Node, _ complaints: Complaints) {
        guard let pair = node.elements(complaints), pair.count == 2, let name = pair[0].scalar, let why = pair[1].scalar,
            !why.isEmpty
        else {
            complaints.add(found: node.kindName, expected: "an invariant's name and the reason: [bounded, \"why\"]", at: node.place)
            return nil
        }
        self.init(invariant: Invariant.prefix + name, why: why, place: node.place)
    }
}
