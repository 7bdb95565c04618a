package import BankModel
package import DriverProtocol

/// The steps of a case as its expectations may refer to them.
package struct StepOutline: Sendable {
    package let steps: [NumberedStep]
    /// The bank's name and the roles that its operations have; nil: any bank.
    package let bank: (name: String, roles: Set<Role>)?
    /// Whether the bank's address is one of TLS.
    package let isSecure: Bool
    /// Whether an outage runs from the start of the session.
    let hasOutage: Bool

    /// Complains of a role that no operation of the bank has; `so` follows from it, as `the fault can never apply`.
    func demand(_ role: Role?, so: String, at position: SourcePosition, _ complaints: Complaints) {
        guard let role, let bank, !bank.roles.contains(role) else { return }
        let known = Role.allCases.filter(bank.roles.contains).map(\.rawValue)
        complaints.add(
            found: "the role `\(role.rawValue)`, which no operation of the bank \(bank.name) has, so that \(so)",
            expected: "\(oneOf(known)), or `banks` without \(bank.name)", at: position)
    }

    package var all: [NumberedStep] { steps.flatMap(\.flattened) }

    /// The steps whose results expectations may speak of.
    package var operations: [(n: Int, operation: DriverOperation, position: SourcePosition)] {
        all.compactMap { step in step.action.operation.map { (step.n, $0, step.position) } }
    }

    /// All that the client is asked for, what it is killed in included.
    package var asked: [(operation: DriverOperation, position: SourcePosition)] {
        all.compactMap { step in step.action.asked.map { ($0, step.position) } }
    }

    package var intents: [String] { all.compactMap(\.action.intent) }

    /// Whether rules are armed in it, one by one or by a plan, also by one that the session begins with.
    package var hasFault: Bool {
        hasOutage
            || all.contains {
                switch $0.action {
                case .fault, .outage: true
                default: false
                }
            }
    }

    func setsRule(_ n: Int) -> Bool {
        all.contains { step in
            switch step.action {
            case .fault, .outage(.some): step.n == n
            default: false
            }
        }
    }

    package var hasTogether: Bool { steps.contains { if case .together = $0.action { true } else { false } } }

    package var hasCancel: Bool { all.contains { if case .cancel = $0.action { true } else { false } } }

    /// Whether the device's clock is set apart from the bank's.
    var movesDevice: Bool { all.contains { if case .deviceClock = $0.action { true } else { false } } }

    /// Whether a second process of the app is asked for something.
    package var hasSecondProcess: Bool { all.contains { $0.process > 1 } }

    package func has(_ operation: DriverOperation) -> Bool { asked.contains { $0.operation == operation } }

    /// How expectations name a step.
    static let schema = Schema.text(TextSchema("a step's number or label"))

    /// Reads a step's number or its label; a complaint if there is no such step.
    package func number(_ node: Node, operationOnly: Bool = false, _ complaints: Complaints) -> Int? {
        guard let n = labelled(node) ?? numbered(node, complaints) else { return nil }
        if operationOnly, !operations.contains(where: { $0.n == n }) {
            let known = operations.map { "\($0.n) (\($0.operation.rawValue))" }
            complaints.add(found: "step \(n), which requests no operation of the client", expected: oneOf(known), at: node.position)
            return nil
        }
        return n
    }

    /// The number of the step whose label this is.
    private func labelled(_ node: Node) -> Int? {
        guard let text = node.scalar else { return nil }
        return all.first { $0.label == text }?.n
    }

    /// The number of a step, if the case has that many steps.
    private func numbered(_ node: Node, _ complaints: Complaints) -> Int? {
        let range = 1...max(1, all.last?.n ?? 1)
        guard node.scalar.flatMap(Int.init) == nil, !labels.isEmpty else { return node.int(in: range, complaints) }
        let hint = node.scalar.map { didYouMean($0, among: labels) } ?? ""
        return node.wrong(complaints, "a step's number from 1 to \(range.upperBound), or a label, \(oneOf(labels))\(hint)")
    }

    var labels: [String] { all.compactMap(\.label) }
}
