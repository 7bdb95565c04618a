/// One attempt to deliver a webhook, as far as the rules for its receiver need it.
package struct WebhookAttempt: Sendable, Hashable {
    /// `webhook-1`
    package var webhook: String
    package var event: String
    /// The fault that was injected into it, by name; nil for none.
    package var fault: String?
    /// The status of the response; nil if there was none.
    package var status: Int?
    /// Whether there was none within the limit.
    package var tookTooLong: Bool
    /// Whether its signature has a time stamp.
    package var isTimestamped: Bool
    /// How far the session's clock, which dates signatures, was ahead of the machine's, in seconds.
    package var clockOffset: Int

    package init(webhook: String, event: String, fault: String?, status: Int?, tookTooLong: Bool, isTimestamped: Bool, clockOffset: Int) {
        self.webhook = webhook
        self.event = event
        self.fault = fault
        self.status = status
        self.tookTooLong = tookTooLong
        self.isTimestamped = isTimestamped
        self.clockOffset = clockOffset
    }

    /// Whether it is a copy that the receiver must reject.
    var mustBeRejected: Bool { ["forged", "altered", "unknown-key", "stale"].contains(fault) }

    var isAccepted: Bool { status.map { (200..<300).contains($0) } ?? false }

    /// Whether the receiver, which accepts the event's own delivery, left this copy without a response: that rejects it, too.
    func isDropped(among attempts: [WebhookAttempt]) -> Bool {
        status == nil && attempts.contains { $0.webhook == webhook && $0.event == event && $0.fault == nil && $0.isAccepted }
    }

    /// The receiver's response, and the required one.
    func finding(_ requirement: Phrase) -> Finding {
        let kind: Phrase = fault.map { "the copy (\(fixed: $0)) of \(event)" } ?? "\(event)"
        let answer: Phrase = status.map { "\(webhook) answered \(kind) with \($0)" } ?? "\(webhook) did not answer \(kind)"
        return Finding(answer, requirement)
    }
}

extension ClientRule {
    /// How receivers answer webhooks. ``all`` does not have them: a session without deliveries shows nothing of them.
    static let webhookRules = [
        ClientRule(
            "webhooks.forged-refused",
            why: "Anyone can send a request to a receiver, so it must reject a delivery that it cannot verify.",
            trigger: "a copy that was forged, altered or signed with an unknown key", restsOn: []
        ) { scene, result in
            let attempts = scene.evidence.deliveries
            for attempt in attempts where ["forged", "altered", "unknown-key"].contains(attempt.fault) {
                if attempt.isDropped(among: attempts) {
                    result.add()
                } else {
                    result.add(attempt, if: attempt.isAccepted, "a copy that cannot be verified must be rejected")
                }
            }
        },
        ClientRule(
            "webhooks.replayed-refused",
            why: "Others can replay a recorded delivery, so a receiver must reject one with an old time stamp.",
            trigger: "a copy with a time stamp of ten minutes ago", restsOn: []
        ) { scene, result in
            let attempts = scene.evidence.deliveries
            let requirement: Phrase = "a copy that was signed ten minutes ago must be rejected"
            for attempt in attempts where attempt.fault == "stale" && attempt.isTimestamped {
                if attempt.isDropped(among: attempts) {
                    result.add()
                } else if attempt.clockOffset.magnitude > 60 {
                    result.add(
                        attempt.finding(requirement),
                        reason: "the session clock is \(attempt.clockOffset) s ahead of the machine's, which the receiver reads",
                        advice: "do not move the session clock before the fault `stale`")
                } else {
                    result.add(attempt, if: attempt.isAccepted, requirement)
                }
            }
        },
        ClientRule(
            "webhooks.duplicate-accepted",
            why: "A bank resends a delivery until it is accepted, so a receiver that rejects a duplicate receives it for days.",
            trigger: "a second copy of an accepted event", restsOn: []
        ) { scene, result in
            let requirement: Phrase = "a second copy of an accepted event must be answered with 2xx"
            var accepted: Set<[String]> = []
            for attempt in scene.evidence.deliveries where [nil, "duplicate", "burst"].contains(attempt.fault) {
                let event = [attempt.webhook, attempt.event]
                guard !accepted.insert(event).inserted else {
                    if !attempt.isAccepted { accepted.remove(event) }
                    continue
                }
                if let status = attempt.status, [429, 503].contains(status) {
                    result.add(
                        attempt.finding(requirement), reason: "the receiver asked the bank to wait",
                        advice: "use `duplicate` in place of `burst`")
                } else {
                    result.add(attempt, if: !attempt.isAccepted, requirement)
                }
            }
        },
        ClientRule(
            "webhooks.answers-in-time",
            why: "A receiver responds before it processes the delivery, because a bank waits only five seconds.",
            trigger: "a delivery that arrived", restsOn: []
        ) { scene, result in
            let attempts = scene.evidence.deliveries
            for attempt in attempts where attempt.status != nil || attempt.tookTooLong {
                // A receiver may leave a copy that it rejects without a response.
                if attempt.mustBeRejected, attempt.isDropped(among: attempts) { continue }
                let late = attempt.finding("a delivery must be answered within 5 s").aboutTime(if: true)
                result.add(attempt.tookTooLong ? late : nil)
            }
        },
    ]
}

extension RuleResult {
    /// Counts an attempt with a response; without one the rule is inconclusive.
    fileprivate mutating func add(_ attempt: WebhookAttempt, if isBroken: Bool, _ requirement: Phrase) {
        let finding = attempt.finding(requirement)
        if attempt.status == nil {
            add(finding, reason: "there was no response", advice: "start the receiver before the delivery")
        } else {
            add(isBroken ? finding : nil)
        }
    }
}
