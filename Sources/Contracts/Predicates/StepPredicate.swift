package import BankModel
import DriverProtocol

/// How a step must end: `{step: 4, error: unauthorized}`, `{step: 2, view: expected, demand: [atm]}`,
/// `{step: 4, any: [{outcome: ok}, {error: outcome_unknown}]}`, `{step: 4, error: rejected, detail: "*Mill Lane*"}`,
/// `{step: 6, view: as before, stale: true}`, `{step: 3, outcome: error, within: 3s}`.
package struct StepPredicate: Predicate {
    package static let name = "step"

    package static let forms = [
        ObjectSchema(
            "an expectation", named: "expect-step-any", "How a step may end: in one of several ways.", fields: [number, limit, endings],
            example: "- {step: payment, any: [{outcome: ok}, {error: outcome_unknown}]}"),
        ObjectSchema(
            "an expectation", named: "expect-step", "How a step must end.", fields: [number, limit] + StepEnding.fields,
            example: "- {step: payment, error: unauthorized}"),
    ]

    private static let number = Field(required: "step", .node(StepOutline.schema), "a step that requests an operation of the client")
    private static let limit = Field("within", .duration, "the time limit, from sending the step to reading its result")
    private static let endings = Field(required: "any", .node(.list(.object(StepEnding.schema), atLeast: 0)), "one of these endings")

    let step: Int
    let operation: DriverOperation
    let allowed: [StepEnding]
    /// How long the step may take, from being sent to its result being read; nil: as long as any step.
    let within: Duration?

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        let number = fields[Self.number].flatMap { outline.number($0, operationOnly: true, complaints) }
        within = fields[Self.limit]
        let written: [StepEnding]
        if fields.keys.contains(Self.endings.key), let any = fields[Self.endings] {
            written = (any.elements(complaints) ?? []).compactMap { node in
                let inner = Fields(node, of: StepEnding.schema, complaints)
                let ending = StepEnding(inner, outline, isAny: false, complaints)
                inner.finish()
                return ending
            }
        } else {
            written = StepEnding(fields, outline, isAny: within != nil, complaints).map { [$0] } ?? []
        }
        guard let number, let operation = outline.operations.first(where: { $0.n == number })?.operation, !written.isEmpty else {
            return nil
        }
        // In a case about several operations, this step is not compared with an ending of another one.
        let own = written.filter { $0.fits(operation) }
        allowed = own.isEmpty ? written : own
        step = number
        self.operation = operation
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        guard let report = scene.evidence.steps[step] else { return [UnmetExpectation(.neverStarted(named, endings: endings))] }
        return lateness(report) + unmet(by: report.outcome, scene)
    }

    private var named: Phrase { "step \(step) (\(fixed: operation.rawValue))" }

    /// `error decode, or ok and the data of step 2`
    private var endings: Phrase { allowed.map(\.text).joined(separator: ", or ") }

    /// The same; of the endings with members of a view only the nearest one, because the others may be those of other banks.
    private func endingsLike(_ nearest: StepEnding?) -> Phrase {
        guard let nearest, nearest.namesMembers else { return endings }
        return allowed.filter { !$0.namesMembers || $0.text == nearest.text }.map(\.text).joined(separator: ", or ")
    }

    private func lateness(_ report: StepReport) -> [UnmetExpectation] {
        let taken = Duration.nanoseconds(report.ended - report.started)
        guard let within, taken > within else { return [] }
        return [UnmetExpectation(.late(named, report.outcome.kind, after: taken, limit: within))]
    }

    /// Whether a payment must be rejected.
    private var expectsRejection: Bool { [.pay, .roundUp].contains(operation) && allowed.allSatisfy(\.isRejected) }

    /// Whether the bank by itself executed the step's payment, as one does that has no lowest balance or whose customer has the money.
    private func isExecuted(_ outcome: StepOutcome, _ scene: Scene) -> Bool {
        guard case .ok = outcome, let intent = scene.instance?.step(step)?.action.intent,
            !scene.evidence.rules.contains(where: { $0.step < step })
        else { return false }
        return scene.evidence.movements.contains { !$0.state.isReversed && scene.intent(of: $0) == intent }
    }

    /// The case about reading a whole list.
    private static let aboutPages = "pages.all-rows-once"

    private func unmet(by outcome: StepOutcome, _ scene: Scene) -> [UnmetExpectation] {
        let comparable = allowed.filter { $0.missing(of: operation, at: step, scene) == nil }
        let differences = comparable.map { $0.differences(from: outcome, of: operation, at: step, scene) }
        guard !differences.contains([]) else { return [] }
        if expectsRejection, isExecuted(outcome, scene) { return [UnmetExpectation(.notExercised, .paymentExecuted(named))] }
        let missing = allowed.lazy.compactMap { $0.missing(of: operation, at: step, scene) }.first
        if let missing { return [UnmetExpectation(.inconclusive, .noExpectedView(named, missing))] }
        // A view is compared only with an ending of the same outcome; the report shows the nearest one.
        let nearest = differences.compactMap(\.self).min { $0.count < $1.count }
        if outcome == .hung || outcome == .crashed { return [UnmetExpectation(.stepUnanswered(named, isHang: outcome == .hung))] }
        if let explanation = scene.explanation(
            of: outcome, of: operation, in: step, named: named, differences: nearest, mayBeSignedOut: allowed.contains { $0.isUnauthorized }
        ) {
            return [explanation]
        }
        let isSilent = if case .silent = outcome { true } else { false }
        let isMarked = if case .ok(let view) = outcome { view["complete"]?.bool == false } else { false }
        guard let nearest else { return [UnmetExpectation(.endedOtherwise(named, outcome.phrase, endings: endings, isSilent: isSilent))] }
        let likely = endingsLike(zip(comparable, differences).first { $0.1 == nearest }?.0)
        guard let rows = nearest.lazy.compactMap(\.missingRows).first, scene.endsBeforeLastPage(operation, in: step) else {
            return [UnmetExpectation(.showedOtherwise(named, nearest, endings: likely, isIncomplete: isMarked))]
        }
        if scene.instance?.suite == "pages" {
            // A list that is shown as incomplete hides nothing: an app may show the newest rows alone.
            return [isMarked ? UnmetExpectation(.absent, .markedIncomplete(named)) : UnmetExpectation(.firstPageOnly(named, missing: rows))]
        }
        // A case about something else does not test pages that the client never asked for.
        let rest = nearest.filter { $0.missingRows == nil }
        let isPart = rest.isEmpty
        return [
            isPart
                ? UnmetExpectation(.absent, .rowsMissingElsewhere(named, aboutPages: Self.aboutPages))
                : UnmetExpectation(.showedOtherwise(named, rest, endings: likely, isIncomplete: isMarked))
        ]
    }
}
