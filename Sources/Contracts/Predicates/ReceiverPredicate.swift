package import BankModel
import DriverProtocol

/// What the client's receiver answers to webhooks: `{receiver: forged-refused}`.
package struct ReceiverPredicate: Predicate {
    package static let name = "receiver"

    package static let forms = [
        form(
            "How the receiver of the step `events` responds to deliveries. The rules are those for recorded deliveries.", [body],
            example: "receiver: forged-refused")
    ]

    private static let body = Field(
        required: name, .choice(of: Requirement.self),
        "a rule of the suite `webhooks`; or `accepts`: the case is inconclusive unless the receiver responds with 2xx to each delivery "
            + "without a fault, and not exercised if it does not respond in time"
    )

    /// The requirements; besides ``accepts`` the names of rules for recorded deliveries.
    enum Requirement: String, Sendable, CaseIterable {
        case forgedRefused = "forged-refused"
        case replayedRefused = "replayed-refused"
        case duplicateAccepted = "duplicate-accepted"
        case answersInTime = "answers-in-time"
        case accepts
    }

    let requirement: Requirement

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let requirement = fields[Self.body] else { return nil }
        self.requirement = requirement
        if !outline.has(.events) {
            complaints.add("`receiver` needs a step `events`", at: outline.all.first?.position ?? SourcePosition())
            return nil
        }
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        guard requirement != .accepts else { return notAccepted(scene.evidence.deliveries) }
        guard let rule = ClientRule.webhookRules.first(where: { $0.id == "webhooks.\(requirement.rawValue)" }) else { return [] }
        let result = rule.result(in: scene)
        guard result.applied > 0 else { return [UnmetExpectation(.absent, .noDelivery(rule.recorded?.trigger ?? ""))] }
        return result.broken.map { UnmetExpectation($0) } + result.openFindings.map { UnmetExpectation(.inconclusive, $0.finding) }
    }

    private func notAccepted(_ attempts: [WebhookAttempt]) -> [UnmetExpectation] {
        let plain = attempts.filter { $0.fault == nil }
        guard let rejection = plain.first(where: { !$0.isAccepted }) else {
            return plain.isEmpty ? [UnmetExpectation(.absent, .noDelivery("a delivery without a fault"))] : []
        }
        // A receiver may answer when it has acted on the event: the case holds that up for longer than the bank waits.
        let weight: UnmetExpectation.Weight = rejection.tookTooLong ? .notExercised : .inconclusive
        return [UnmetExpectation(weight, rejection.finding("the case is about deliveries that are answered with 2xx"))]
    }
}
