import BankModel

/// A run in which a kill did not come went as the same case with the operation alone: the client's process simply went on.
extension Instance {
    /// The case with the operation in place of the kill in each of these steps.
    package func without(kills missed: Set<Int>) -> Instance {
        guard !missed.isEmpty else { return self }
        var instance = self
        instance.steps = steps.map { $0.without(kills: missed) }
        return instance
    }
}

extension NumberedStep {
    fileprivate func without(kills missed: Set<Int>) -> NumberedStep {
        var step = self
        switch action {
        case .together(let members): step.action = .together(members.map { $0.without(kills: missed) })
        case .kill(let kill) where missed.contains(n): step.action = .operation(kill.operation, kill.arguments)
        default: break
        }
        return step
    }
}

extension Scenario {
    /// The scenario with the operation in place of the kill in each of these steps, which keep their numbers.
    package func without(kills missed: Set<Int>, on facts: BankFacts) -> Scenario {
        guard !missed.isEmpty, let numbered = numbered(on: facts), numbered.count == steps.count else { return self }
        var scenario = self
        for (index, step) in numbered.enumerated() where missed.contains(step.n) {
            if let during = steps[index]["kill"]?["during"] { scenario.steps[index] = during }
        }
        return scenario
    }
}
