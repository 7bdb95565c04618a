import BankModel
import DriverProtocol
import Faults

/// Reads the steps of a case, numbering them from 1.
struct StepReader {
    /// The operation of `read` on this bank.
    let read: DriverOperation?
    /// The operation of `move` on this bank: `pay` or `round_up`.
    let move: DriverOperation?
    let complaints: Complaints
    private var next = 1
    /// The numbers of the operations begun so far in the `together` that is being read; nil outside.
    private(set) var underWay: [Int]?
    /// The intents begun so far.
    private var begun: Set<String> = []
    private var signIn = SignInOrder()
    private var receiver = ReceiverOrder()
    /// The labels given so far, each with the number of its step.
    private(set) var labels: [String: Int] = [:]

    init(read: DriverOperation?, move: DriverOperation? = nil, _ complaints: Complaints) {
        self.read = read
        self.move = move
        self.complaints = complaints
    }

    /// The most steps of a case.
    private static let most = 1000

    /// The steps of a list. `together` has no number; its members continue the numbering.
    mutating func steps(_ node: Node) -> [NumberedStep] {
        let nodes = node.elements(complaints) ?? []
        if nodes.isEmpty { complaints.add("a case needs steps", at: node.position) }
        if nodes.count > StepReader.most {
            complaints.add(found: "\(nodes.count) steps", expected: "at most \(StepReader.most)", at: node.position)
        }
        return nodes.prefix(StepReader.most).compactMap { step($0, isMember: false) }
    }

    private mutating func step(_ node: Node, isMember: Bool) -> NumberedStep? {
        if !isMember, let members = togetherMembers(node) {
            underWay = []
            let steps = members.compactMap { step($0, isMember: true) }
            underWay = nil
            checkAmounts(steps)
            return NumberedStep(n: steps.first?.n ?? next, .together(steps), at: node.position)
        }
        let n = next
        next += 1
        let (unlabelled, label) = without(StepSchema.label.key, node)
        let (node, process) = without(StepSchema.process.key, unlabelled)
        guard let action = action(node, isMember: isMember) else { return nil }
        if action.operation != nil { underWay?.append(n) }
        signIn.take(action, at: node.position, complaints)
        receiver.take(action, at: node.position, complaints)
        if let intent = action.intent { begin(intent, by: action, at: node.position) }
        let name = label.flatMap { read(label: $0, of: action, n) }
        return NumberedStep(n: n, action, at: node.position, label: name, process: process.flatMap { read(process: $0, of: action) } ?? 1)
    }

    /// The step without that key, which may accompany any step, and its value.
    private func without(_ key: String, _ node: Node) -> (step: Node, value: Node?) {
        guard case .mapping(let members) = node.content, members.count > 1, let found = members.first(where: { $0.key.scalar == key })
        else { return (node, nil) }
        return (Node(.mapping(members.filter { $0.key.scalar != key }), at: node.position), found.value)
    }

    /// Reads a label; a complaint if it could be taken for a number, or occurs twice.
    private mutating func read(label node: Node, of action: StepAction, _ n: Int) -> String? {
        guard let label = node.text(complaints) else { return nil }
        guard Int(label) == nil, !label.hasPrefix("$"), !label.contains(" ") else {
            return node.wrong(complaints, "a label: one word that is not a number")
        }
        if let other = labels.updateValue(n, forKey: label) {
            complaints.add("the label `\(label)` already names step \(other)", at: node.position)
        }
        return label
    }

    private func togetherMembers(_ node: Node) -> [Node]? {
        guard case .mapping(let members) = node.content, members.count == 1, let member = members.first,
            member.key.scalar == "together"
        else { return nil }
        let elements = member.value.elements(complaints) ?? []
        if case .list(let found) = member.value.content, found.isEmpty {
            complaints.add(found: "an empty list", expected: "at least one step", at: member.value.position)
        }
        return elements
    }

    private func action(_ node: Node, isMember: Bool) -> StepAction? {
        var name = node
        var value: Node?
        if case .mapping(let members) = node.content, let first = members.first {
            guard members.count == 1 || first.key.scalar == "fault" else {
                return members[1].key.wrong(complaints, "one step in each element of the list")
            }
            name = first.key
            value = first.value
        } else if node.scalar == nil {
            return node.wrong(complaints, "a step")
        }
        let isRule = value != nil && name.scalar == "fault"
        if isMember, !StepReader.members.contains(name.scalar ?? ""), operation(name.scalar) == nil {
            return name.wrong(complaints, "an operation or \(oneOf(StepReader.members)) as a member of `together`")
        }
        if isRule, value?.scalar == "stop" {
            let fields = Fields(node, of: StepSchema.endOfFaults, complaints)
            for key in StepSchema.endOfFaults.keys { _ = fields[key] }
            fields.finish()
            return .endFaults
        }
        if isRule { return Rule(node, complaints).map(StepAction.fault) }
        if let operation = operation(name.scalar) {
            return .operation(operation, arguments(name.scalar == "move" ? moved(value) : value, of: operation, at: name.position))
        }
        return bankStep(name, value)
    }

    private func bankStep(_ name: Node, _ value: Node?) -> StepAction? {
        let value = value ?? Node(.scalar("", quoted: false), at: name.position)
        if let step = BankStep.all.first(where: { $0.name == name.scalar }) { return step.read(self, value) }
        let names = ["fault"] + BankStep.all.map(\.name) + ["together"] + StepSchema.aliases + DriverOperation.allCases.map(\.rawValue)
        let hint = didYouMean(name.scalar ?? "", among: names, otherwise: "; known are \(names.joined(separator: ", "))")
        complaints.add("unknown step `\(name.scalar ?? name.kindName)`\(hint)", at: name.position)
        return nil
    }

    /// Notes an intent; a complaint if it is resumed without having been begun.
    private mutating func begin(_ intent: String, by action: StepAction, at position: SourcePosition) {
        if let asked = action.asked, [.resume, .paymentStatus, .challengeAnswer].contains(asked), !begun.contains(intent) {
            complaints.add(
                found: "`\(asked.rawValue)` of the intent `\(intent)`",
                expected: "an intent that a step before has begun: \(oneOf(begun.sorted()))",
                at: position)
        }
        begun.insert(intent)
    }

    func operation(_ name: String?) -> DriverOperation? {
        switch name {
        case "read": read
        case "move": move
        default: name.flatMap(DriverOperation.init(rawValue:))
        }
    }

    func arguments(_ node: Node?, of operation: DriverOperation, at position: SourcePosition) -> [StepAction.Argument] {
        let known = operation.arguments.fields
        let members = node.map { $0.isNull ? [] : Fields($0, of: "the arguments of `\(operation.rawValue)`", complaints).all } ?? []
        let arguments = members.compactMap { key, keyNode, value -> StepAction.Argument? in
            guard let field = known.first(where: { $0.key == key }) else {
                let names = known.map(\.key)
                let hint = didYouMean(key, among: names, otherwise: "; known are \(oneOf(names))")
                complaints.add("unknown argument `\(key)` of `\(operation.rawValue)`\(hint)", at: keyNode.position)
                return nil
            }
            if case .words(let words) = field.schema, let text = value.scalar, !words.contains(text) {
                complaints.add(found: "`\(text)` for `\(key)`", expected: oneOf(words), at: value.position)
            }
            if ["amount", RawAmount.argument].contains(key), case .scalar(_, quoted: false) = value.content {
                complaints.add(found: "`\(value.scalar ?? "")`", expected: "an amount in quotes, such as \"10.00\"", at: value.position)
            }
            return value.text(complaints).map { StepAction.Argument(key, $0) }
        }
        for field in known where field.isRequired && !arguments.contains(where: { $0.name == field.key }) {
            complaints.add("`\(operation.rawValue)` needs the argument `\(field.key)`", at: position)
        }
        return arguments
    }

    /// Concurrent intents can be distinguished only by their amounts.
    private func checkAmounts(_ members: [NumberedStep]) {
        var seen: [String: String] = [:]
        for member in members {
            guard let intent = member.action.intent, let amount = member.action.argument("amount") else { continue }
            if let other = seen.updateValue(intent, forKey: amount), other != intent {
                complaints.add("the intents \(other) and \(intent) under `together` must differ in amount", at: member.position)
            }
        }
    }

    private static let members = StepSchema.aliases + BankStep.all.filter(\.isMember).map(\.name)

    /// The arguments of a `move`: those of `pay`; a round-up works out the rest by itself.
    func moved(_ node: Node?) -> Node? {
        guard move == .roundUp, let node, case .mapping(let members) = node.content else { return node }
        return Node(
            .mapping(members.filter { !["amount", RawAmount.argument, "from", "to", "currency"].contains($0.key.scalar) }),
            at: node.position)
    }
}
