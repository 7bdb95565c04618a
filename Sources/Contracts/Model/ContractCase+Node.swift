import BankModel
import DriverProtocol

extension ContractCase {
    init?(_ node: Node, suite: String, _ corpus: Corpus, _ complaints: Complaints) {
        let fields = Fields(node, of: ContractCase.schema, complaints)
        let id = fields[Key.id]
        if let id, !id.hasPrefix(suite + ".") || id.count == suite.count + 1 {
            complaints.add(found: "the id `\(id)`", expected: "`\(suite).` and a name", at: node.position)
        }
        let why = fields[Key.why]
        level = fields[Key.level] ?? .must
        authority = fields[Key.authority]
        bugs = fields[Key.bugs] ?? []
        exempt = fields[Key.exempt] ?? []
        needs = fields[Key.needs]?.elements(complaints) ?? []
        features = fields[Key.features] ?? []
        banks = fields[Key.banks]
        let foreach = Corpus.Foreach(fields[Key.foreach], corpus, complaints)
        contents = foreach.contents
        matrix = Matrix(fields[Key.matrix], foreach: foreach, except: fields[Key.except], complaints)
        given = fields[Key.given]
        let steps = fields[Key.steps]
        let expect = fields[Key.expect]
        fields.finish()
        guard let id, let why, let steps, let expect else { return nil }
        if expect.elements(complaints)?.isEmpty == true { complaints.add("a case that expects nothing cannot fail", at: expect.position) }
        self.id = id
        self.position = node.position
        self.why = why
        self.steps = steps
        self.expect = expect
    }

    static let level = Field(
        "level", .choice(of: Level.self), default: .must,
        "`must`: a violation is a failure; `should`: the report shows a violation, but does not count it as a failure")
    static let authority = Field(
        "authority", .text("the rule that it is based on, such as RFC 6750 §3.1"), "the source of a `must`")

    private enum Key {
        static let id = Field(required: "id", .text(), "`suite.name`")
        static let why = Field(
            required: "why", .text("the rule in a sentence, with its source"),
            "the text printed with every failure; name a source that the reader can open")
        static let level = ContractCase.level
        static let authority = ContractCase.authority
        static let bugs = Field(
            "bugs", each(BugAddress.format),
            "the public bugs that the case finds, shown as links beside `why`: `owner/repository#n`, `owner/repository PR#n`, "
                + "an id of a known tracker such as `KTOR-6569`, or an https address")
        static let exempt = Field("exempt", Exemption.format, "the invariants that do not apply to the case, each with the reason")
        static let needs = Field(
            required: "needs",
            .node(.withParameters(.list(.words(StepSchema.aliases + DriverOperation.allCases.map(\.rawValue)), atLeast: 0))),
            "the operations that the case requires; it is not run on a bank or with a client that lacks one of them")
        static let features = Field(
            "features", each(.choice(of: DriverFeature.self)), "the features that the client must support; otherwise the case is not run")
        static let banks = Field(
            "banks",
            each(
                Format<WrittenName>(
                    .text(TextSchema("a bank's name")),
                    read: { node, complaints in
                        node.text(complaints).map { WrittenName(name: $0, position: node.position) }
                    })), "the banks on which the case is run; by default every bank that has what it needs")
        static let foreach = Field(
            "foreach",
            .node(.map(keys: "parameters", .text(TextSchema("a pattern of files such as `corpus:json/*`", pattern: "corpus:[^/]+/.+")))),
            "runs the case once for each file; `$name` in its steps stands for the file's bytes as hexadecimal digits")
        static let matrix = Field(
            "matrix", .node(.map(keys: "parameters", .list(.text(TextSchema("a value")), atLeast: 1))),
            "runs the case in every combination; `$name` stands for the value in `given`, `steps` and `expect`")
        static let except = Field(
            "except", .node(.list(.map(keys: "parameters", .text(TextSchema("a value"))), atLeast: 0)), "the combinations to leave out")
        static let given = Field("given", .node(.withParameters(.object(Given.schema))), "the preconditions of the case")
        static let steps = Field(required: "steps", .node(.withParameters(.list(StepSchema.step, atLeast: 1))), "the steps, in order")
        static let expect = Field(
            required: "expect", .node(.withParameters(.list(PredicateKinds.schema, atLeast: 1))), "the expected outcome")
    }

    static let schema = ObjectSchema(
        "a case", "One requirement for a client: the preconditions, the steps and the expected outcome.",
        fields: [
            Key.id, Key.why, Key.level, Key.authority, Key.bugs, Key.exempt, Key.needs, Key.features, Key.banks, Key.foreach,
            Key.matrix, Key.except, Key.given, Key.steps, Key.expect,
        ] as [any AnyField])

    /// A list of which wrong elements are left out, after their complaints.
    private static func each<Element>(_ element: Format<Element>) -> Format<[Element]> {
        Format(
            .list(element.schema, atLeast: 0),
            read: { node, complaints in
                node.elements(complaints)?.compactMap { element.read($0, complaints) }
            })
    }
}

extension ContractCase.Exemption {
    /// A pair, or a list of pairs.
    static let format = Format<[Self]>(
        .anyOf([.list(pair, atLeast: 1), .list(.list(pair, atLeast: 2), atLeast: 1)]), read: { list($0, $1) })

    private static let pair = Schema.text(TextSchema("an invariant's name, and the reason"))

    /// Reads `[bounded, "why"]`, or a list of such pairs.
    private static func list(_ node: Node, _ complaints: Complaints) -> [Self] {
        guard let elements = node.elements(complaints) else { return [] }
        let isOne = elements.first.map { $0.scalar != nil } ?? false
        return (isOne ? [node] : elements).compactMap { Self($0, complaints) }
    }

    private init?(_ node: Node, _ complaints: Complaints) {
        guard let pair = node.elements(complaints), pair.count == 2, let name = pair[0].scalar, let why = pair[1].scalar,
            !why.isEmpty
        else {
            complaints.add(found: node.kindName, expected: "an invariant's name and the reason: [bounded, \"why\"]", at: node.position)
            return nil
        }
        self.init(invariant: Invariant.prefix + Invariant.presentName(name), why: why, position: node.position)
    }
}
