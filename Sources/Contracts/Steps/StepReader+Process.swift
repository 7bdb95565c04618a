import BankModel
import DriverProtocol

/// The steps that end a client's process, and those that depend on an operation in progress.
extension StepReader {
    static let killSchema = ObjectSchema(
        "`kill`", "Requests an operation of the client, kills the client while the bank holds its request, and starts it again.",
        fields: [during, moment], example: "- kill: {during: {pay: {intent: A, amount: \"10.00\"}}, at: commit}")

    private static let during = Field(
        required: "during",
        .node(
            .anyOf([
                .words(killable),
                .object(
                    ObjectSchema(
                        "an operation to be killed in", "One operation that changes something at the bank.",
                        fields: StepAction.Kill.roles.map { killable($0.operation.rawValue, $0.operation) } + [killable("move", .pay)],
                        rules: [.exactlyOne(killable.map { [$0] })])),
            ])), "the operation")
    private static let moment = Field(
        required: "at", .choice(of: StepAction.Kill.Moment.self),
        "`connect`: the client has connected but sent nothing, so make connections cold first; `request`: the bank has read the request "
            + "but not executed it; `commit`: the bank has executed it but not responded")

    private static let killable = StepAction.Kill.roles.map(\.operation.rawValue) + ["move"]

    private static func killable(_ name: String, _ operation: DriverOperation) -> FieldSchema {
        FieldSchema(
            key: name, schema: .anyOf([.object(operation.arguments), .nothing]), isRequired: false, standard: nil, help: operation.about)
    }

    /// Reads `{during: {pay: {intent: A, amount: "10.00"}}, at: commit}`.
    func kill(_ node: Node) -> StepAction? {
        let fields = Fields(node, of: StepReader.killSchema, complaints)
        let during = fields[StepReader.during]
        let moment = fields[StepReader.moment]
        fields.finish()
        guard let during, let moment else { return nil }
        var name = during
        var arguments: Node?
        if case .mapping(let members) = during.content, members.count == 1 {
            name = members[0].key
            arguments = members[0].value
        } else if during.scalar == nil {
            return during.wrong(complaints, "one operation")
        }
        let known = StepAction.Kill.roles.map(\.operation)
        let sent = name.scalar == "move" ? moved(arguments) : arguments
        guard let operation = operation(name.scalar) else { return name.wrong(complaints, oneOf(known.map(\.rawValue))) }
        guard known.contains(operation) else {
            complaints.add(
                found: "`kill` during `\(operation.rawValue)`",
                expected: "an operation whose request the bank can hold, \(oneOf(known.map(\.rawValue))); after another, use `restart`",
                at: name.position)
            return nil
        }
        return .kill(StepAction.Kill(operation, self.arguments(sent, of: operation, at: name.position), at: moment))
    }

    /// Waits for the bank to hold a request of an operation before it in the same `together`.
    func held(_ node: Node) -> StepAction? {
        guard let underWay, !underWay.isEmpty else {
            complaints.add(
                found: "`held` with no operation in progress", expected: "`held` after an operation of the same `together`",
                at: node.position)
            return nil
        }
        return .held
    }

    /// Reads the process that a step is for: only what is asked of the client has one, and its restart.
    func read(process node: Node, of action: StepAction) -> Int? {
        switch action {
        case .operation, .kill, .restart: return StepSchema.process.format.read(node, complaints)
        default:
            complaints.add(
                found: "`process` beside `\(action)`", expected: "`process` beside an operation, `kill` or `restart`", at: node.position)
            return nil
        }
    }

    /// Reads the number of a step that is in progress: an operation before it in the same `together`.
    func cancel(_ node: Node) -> StepAction? {
        guard let underWay else {
            complaints.add(
                found: "`cancel` by itself", expected: "`cancel` as a member of `together`: elsewhere no step is in progress",
                at: node.position)
            return nil
        }
        guard let n = node.scalar.flatMap({ Int($0) ?? labels[$0] }), underWay.contains(n) else {
            return node.wrong(
                complaints,
                "the number of an operation in progress, one before it in the same `together`: \(oneOf(underWay.map(String.init)))")
        }
        return .cancel(n)
    }
}
