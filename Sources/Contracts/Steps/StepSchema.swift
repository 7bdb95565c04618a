import BankModel
import DriverProtocol
import Faults

/// How a step is written, for editors and the reference page; ``StepReader`` reads it.
enum StepSchema {
    /// A step: its name alone, or one key with what belongs to it, and a label.
    static let step: Schema = .anyOf([
        .words(alone), .object(step(of: operations + bankSteps + [together])), .object(fault), .object(endOfFaults),
    ])

    static let label = Field(
        "label", .node(.text(TextSchema("one word that is not a number", pattern: "[^$ ][^ ]*"))),
        "a name by which expectations speak of the step in place of its number")

    static let process = Field(
        "process", .int(in: 1...2), default: 1,
        "the process of the app that is meant: 2 is a second one on the same folder, such as a widget, which starts when it is first named")

    /// Aliases of operations whose name depends on the bank.
    static let aliases = ["read", "move"]

    private static let operations: [FieldSchema] =
        [
            field("read", of: .transactions, "shows what the bank has to show: transactions, or the balance, or the accounts"),
            field("move", of: .pay, "moves money: `pay`, or `round_up` at a bank that has nothing else"),
        ]
        + DriverOperation.allCases.map { field($0.rawValue, of: $0, $0.about) }

    private static let bankSteps = BankStep.all.map(field)

    private static let together = FieldSchema(
        key: "together",
        schema: .list(
            .anyOf([.words(alone), .object(member)]), atLeast: 1),
        isRequired: false, standard: nil,
        help: "its members are begun in order, each once the bank has read or held the one before; each has a number of its own")

    private static let member = ObjectSchema(
        "a member of `together`", "An operation, or one of \(oneOf(BankStep.all.filter(\.isMember).map { "`\($0.name)`" })).",
        fields: operations + BankStep.all.filter(\.isMember).map(field) + [label.declaration, process.declaration],
        rules: [.exactlyOne((operations.map(\.key) + BankStep.all.filter(\.isMember).map(\.name)).map { [$0] })])

    private static func step(of fields: [FieldSchema]) -> ObjectSchema {
        ObjectSchema(
            "a step", "What is done. Steps are numbered from 1, and the members of a `together` with them.",
            fields: fields + [label.declaration, process.declaration], rules: [.exactlyOne(fields.map { [$0.key] })],
            example: "- login\n- move: {intent: A, amount: \"10.00\"}\n  label: payment\n- wait: 300ms")
    }

    private static let fault = ObjectSchema(
        "a step that arms a rule", named: "fault-step", "A rule is armed from here on.", fields: Rule.schema.fields + [label.declaration],
        example: "- fault: {lose-reply: {by: reset}}\n  on: {role: pay, attempt: 1}\n  times: 1")

    static let endOfFaults = ObjectSchema(
        "the end of all faults", named: "fault-stop", "All rules that the case has armed are removed.",
        fields: [
            FieldSchema(key: "fault", schema: .words(["stop"]), isRequired: true, standard: nil, help: "the bank is well again"),
            label.declaration,
        ], example: "- fault: stop")

    /// The steps that need nothing behind their names.
    private static var alone: [String] {
        aliases + DriverOperation.allCases.filter { !$0.arguments.fields.contains(where: \.isRequired) }.map(\.rawValue)
            + BankStep.all.filter { if case .nothing = $0.schema { true } else { false } }.map(\.name)
    }

    private static func field(_ name: String, of operation: DriverOperation, _ help: String) -> FieldSchema {
        FieldSchema(
            key: name, schema: .anyOf([.object(operation.arguments), .nothing]), isRequired: false, standard: nil, help: help)
    }

    private static func field(_ step: BankStep) -> FieldSchema {
        FieldSchema(key: step.name, schema: step.schema, isRequired: false, standard: nil, help: step.help)
    }
}
