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
        "a name that expectations can use instead of the step's number")

    static let process = Field(
        "process", .int(in: 1...2), default: 1,
        "the app's process that executes the step: 2 is a second one on the same folder, such as a widget, which starts when a step "
            + "first names it"
    )

    /// Aliases of operations whose name depends on the bank.
    static let aliases = ["read", "move"]

    private static let operations: [FieldSchema] =
        [
            field("read", of: .transactions, "shows the first of these that the bank has: the accounts, the transactions, the balance"),
            field("move", of: .pay, "moves money: `pay`, or `round_up` on a bank without `pay`"),
        ]
        + DriverOperation.allCases.map { field($0.rawValue, of: $0, $0.about) }

    private static let bankSteps = BankStep.all.map(field)

    private static let together = FieldSchema(
        key: "together",
        schema: .list(
            .anyOf([.words(alone), .object(member)]), atLeast: 1),
        isRequired: false, standard: nil,
        help:
            "starts its members in order, each once the bank has read or held the request of the previous one; each member has its own "
            + "number"
    )

    private static let member = ObjectSchema(
        "a member of `together`", "An operation, or one of \(oneOf(BankStep.all.filter(\.isMember).map { "`\($0.name)`" })).",
        fields: operations + BankStep.all.filter(\.isMember).map(field) + [label.declaration, process.declaration],
        rules: [.exactlyOne((operations.map(\.key) + BankStep.all.filter(\.isMember).map(\.name)).map { [$0] })])

    private static func step(of fields: [FieldSchema]) -> ObjectSchema {
        ObjectSchema(
            "a step", "One action of a case. Steps are numbered from 1; the members of a `together` count too.",
            fields: fields + [label.declaration, process.declaration], rules: [.exactlyOne(fields.map { [$0.key] })],
            example: "- login\n- move: {intent: A, amount: \"10.00\"}\n  label: payment\n- wait: 300ms")
    }

    private static let fault = ObjectSchema(
        "a step that sets a rule", named: "fault-step", "Sets a rule, which applies from this step on.",
        fields: Rule.schema.fields + [label.declaration],
        example: "- fault: {lose-reply: {by: reset}}\n  on: {role: pay, attempt: 1}\n  times: 1")

    static let endOfFaults = ObjectSchema(
        "the end of all faults", named: "fault-stop", "Removes all rules that the case has set.",
        fields: [
            FieldSchema(key: "fault", schema: .words(["stop"]), isRequired: true, standard: nil, help: "removes the rules"),
            label.declaration,
        ], example: "- fault: stop")

    /// The steps that need no value after their names.
    private static var alone: [String] {
        aliases + DriverOperation.allCases.filter { !$0.arguments.fields.contains(where: \.isRequired) }.map(\.rawValue)
            + BankStep.all.filter { if case .nothing = $0.schema { true } else { false } }.map(\.name)
    }

    private static func field(_ name: String, of operation: DriverOperation, _ help: String) -> FieldSchema {
        FieldSchema(key: name, schema: .anyOf([.object(operation.arguments), .nothing]), isRequired: false, standard: nil, help: help)
    }

    private static func field(_ step: BankStep) -> FieldSchema {
        FieldSchema(key: step.name, schema: step.schema, isRequired: false, standard: nil, help: step.help)
    }
}
