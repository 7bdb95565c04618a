package import BankModel

/// A step that must have succeeded for the rest to count: `{control: 2}`. Unmet means inconclusive, or not exercised if the client need not
/// be able to do it: `{control: 2, otherwise: not-exercised}`. With `shows` the case is about clients that show something optional.
package struct ControlPredicate: Predicate {
    package static let name = "control"

    package static let forms = [
        form(
            "A step that must succeed for the rest to count. Otherwise the case is inconclusive, or with `otherwise` not exercised.",
            [body, otherwise, shown], example: "control: accounts")
    ]

    private static let body = Field(required: name, .node(StepOutline.schema), "a step that requests an operation of the client")
    private static let otherwise = Field(
        "otherwise", .choice(among: [Verdict.notExercised.rawValue]),
        "the verdict if the step fails, for what a client need not be able to do")

    private static let shown = Field(
        "shows", StepEnding.paths, "paths of optional keys that the displayed data must have; without them the case is not exercised")

    let step: Int
    /// Whether a client is not required to support it.
    let isOptional: Bool
    /// Paths of keys that the view of a client has if the case is about it.
    let shows: [String]

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        let step = fields[Self.body].flatMap({ outline.number($0, operationOnly: true, complaints) })
        isOptional = fields[Self.otherwise] != nil
        shows = fields[Self.shown] ?? []
        guard let step else { return nil }
        self.step = step
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let named = scene.instance?.step(step)?.named ?? "step \(step)"
        switch scene.outcome(of: step) {
        // Nothing is broken yet: a client that shows old data now would show them whatever comes, and prove nothing by it.
        case .ok(let view) where view["stale"]?.bool == true:
            return [UnmetExpectation(.inconclusive, .staleControl(named))]
        case .ok(let view):
            return shows.filter { !ViewComparison.has($0, in: view) }.map { UnmetExpectation(.notExercised, .notShown(named, $0)) }
        case .skipped: return []
        case nil:
            let weight: UnmetExpectation.Weight = scene.lacksOptionalStep(before: step) ? .notExercised : .inconclusive
            return [UnmetExpectation(weight, .neverStarted(named, endings: "ok, because no fault is active yet"))]
        case let outcome? where isOptional || scene.opensOtherPage:
            return [UnmetExpectation(.notExercised, .failedControl(named, "\(outcome)"))]
        case let outcome?: return [UnmetExpectation(.inconclusive, .failedControl(named, "\(outcome)"))]
        }
    }
}

extension Scene {
    /// The steps that failed, and that a client is not required to support.
    var optionalFailures: [NumberedStep] {
        let controls = (instance?.expectations ?? []).compactMap { $0 as? ControlPredicate }
        let failed = controls.filter { control in control.judge(self).contains { $0.weight == .notExercised } }
        return failed.compactMap { instance?.step($0.step) }
    }

    /// Whether a step before that one failed that a client is not required to support: what follows it did not happen.
    func lacksOptionalStep(before step: Int) -> Bool {
        (instance?.expectations ?? []).contains { expectation in
            guard let control = expectation as? ControlPredicate, control.isOptional, control.step < step else { return false }
            switch outcome(of: control.step) {
            case .ok, .skipped, nil: return false
            default: return true
            }
        }
    }
}
