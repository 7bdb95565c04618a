package import BankModel
package import DriverProtocol
package import Faults

/// A step with the number by which expectations name it.
package struct NumberedStep: Sendable {
    package var n: Int
    package var action: StepAction
    package var place: Place

    package init(n: Int, _ action: StepAction, at place: Place = Place()) { (self.n, self.action, self.place) = (n, action, place) }

    /// The step, or in its stead the members if it is a `together`.
    package var flattened: [NumberedStep] {
        if case .together(let members) = action { members } else { [self] }
    }
}

/// One thing that is done in a case.
package enum StepAction: Sendable {
    /// The client is asked for something.
    case operation(DriverOperation, [Argument])
    /// A rule is armed from here.
    case fault(Rule)
    /// What the bank holds is let go.
    case release
    case tokens(TokenAction)
    /// The plan of that name begins; nil: what runs ends.
    case outage(String?)
    /// The client's process is killed and started anew.
    case restart
    case connections(RuleSelector.Temperature)
    /// The session's virtual clock.
    case advance(Duration)
    /// Real time.
    case wait(Duration)
    /// Members are started in order, each once the bank has read or held the one before.
    case together([NumberedStep])

    /// An argument of an operation, as a text.
    package struct Argument: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// What the bank does to all tokens of the session.
    package enum TokenAction: String, Sendable, CaseIterable {
        case expire, revoke, downscope
    }

    /// The operation, if the client is asked for one.
    package var operation: DriverOperation? { if case .operation(let operation, _) = self { operation } else { nil } }

    /// The intent that an operation belongs to.
    package var intent: String? { argument("intent") }

    /// An operation's argument of that name.
    package func argument(_ name: String) -> String? {
        guard case .operation(_, let arguments) = self else { return nil }
        return arguments.first { $0.name == name }?.value
    }
}

extension StepAction: CustomStringConvertible {
    /// The step as a person would write it.
    package var description: String {
        switch self {
        case .operation(let operation, let arguments):
            ([operation.rawValue] + arguments.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
        case .fault(let rule): "fault \(rule.json.text)"
        case .release: "release"
        case .outage(let name): "outage \(name ?? "stop")"
        case .tokens(let action): "tokens \(action.rawValue)"
        case .restart: "restart"
        case .connections(let temperature): "connections \(temperature.rawValue)"
        case .advance(let duration): "advance \(duration.shortText)"
        case .wait(let duration): "wait \(duration.shortText)"
        case .together(let members): "together " + members.map { "\($0.n)" }.joined(separator: ", ")
        }
    }
}

/// The steps of a case as its expectations may refer to them.
package struct StepOutline: Sendable {
    package let steps: [NumberedStep]

    package init(steps: [NumberedStep]) { self.steps = steps }

    package var all: [NumberedStep] { steps.flatMap(\.flattened) }

    package var operations: [(n: Int, operation: DriverOperation, place: Place)] {
        all.compactMap { step in step.action.operation.map { (step.n, $0, step.place) } }
    }

    package var intents: [String] { all.compactMap(\.action.intent) }

    /// Whether rules are armed in it, one by one or by a plan.
    package var hasFault: Bool {
        all.contains {
            switch $0.action {
            case .fault, .outage: true
            default: false
            }
        }
    }

    package var hasTogether: Bool { steps.contains { if case .together = $0.action { true } else { false } } }

    package func has(_ operation: DriverOperation) -> Bool { operations.contains { $0.operation == operation } }

    /// Reads a step's number; a complaint if there is none such.
    package func number(_ node: Node, operationOnly: Bool = false, _ complaints: Complaints) -> Int? {
        guard let n = node.int(in: 1...max(1, all.last?.n ?? 1), complaints) else { return nil }
        if operationOnly, !operations.contains(where: { $0.n == n }) {
            let known = operations.map { "\($0.n) (\($0.operation.rawValue))" }
            complaints.add(found: "step \(n), which asks the client for nothing", expected: oneOf(known), at: node.place)
            return nil
        }
        return n
    }
}
