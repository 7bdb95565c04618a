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

/// A requirement for receivers of webhooks.
struct WebhookRule: Sendable {
    let id: String
    let why: String
    let trigger: String
    /// The rule's result in all attempts of a session, in order.
    let result: @Sendable ([WebhookAttempt]) -> RuleResult

    static let suite = "webhooks"

    static let all = [
        WebhookRule(
            id: "webhooks.forged-refused",
            why: "Anyone can send a request to a receiver, so it must reject a delivery that it cannot verify.",
            trigger: "a copy that was forged, altered or signed with an unknown key"
        ) { attempts in
            attempts.filter { ["forged", "altered", "unknown-key"].contains($0.fault) }.reduce(into: RuleResult()) { result, attempt in
                guard !attempt.isDropped(among: attempts) else { return result.add() }
                result.add(attempt, if: attempt.isAccepted, "a copy that cannot be verified must be rejected")
            }
        },
        WebhookRule(
            id: "webhooks.replayed-refused",
            why: "Others can replay a recorded delivery, so a receiver must reject one with an old time stamp.",
            trigger: "a copy with a time stamp of ten minutes ago"
        ) { attempts in
            attempts.filter { $0.fault == "stale" && $0.isTimestamped }.reduce(into: RuleResult()) { result, attempt in
                guard !attempt.isDropped(among: attempts) else { return result.add() }
                let finding = attempt.finding("a copy that was signed ten minutes ago must be rejected")
                if attempt.clockOffset.magnitude > 60 {
                    result.add(
                        finding, reason: "the session clock is \(attempt.clockOffset) s ahead of the machine's, which the receiver reads",
                        advice: "do not move the session clock before the fault `stale`")
                } else {
                    result.add(attempt, if: attempt.isAccepted, "a copy that was signed ten minutes ago must be rejected")
                }
            }
        },
        WebhookRule(
            id: "webhooks.duplicate-accepted",
            why: "A bank resends a delivery until it is accepted, so a receiver that rejects a duplicate receives it for days.",
            trigger: "a second copy of an accepted event"
        ) { attempts in
            var accepted: Set<[String]> = []
            return attempts.filter { [nil, "duplicate", "burst"].contains($0.fault) }.reduce(into: RuleResult()) { result, attempt in
                let isAgain = !accepted.insert([attempt.webhook, attempt.event]).inserted
                if !attempt.isAccepted, !isAgain { accepted.remove([attempt.webhook, attempt.event]) }
                guard isAgain else { return }
                if let status = attempt.status, [429, 503].contains(status) {
                    return result.add(
                        attempt.finding("a second copy of an accepted event must be answered with 2xx"),
                        reason: "the receiver asked the bank to wait", advice: "use `duplicate` in place of `burst`")
                }
                result.add(attempt, if: !attempt.isAccepted, "a second copy of an accepted event must be answered with 2xx")
            }
        },
        WebhookRule(
            id: "webhooks.answers-in-time",
            why: "A receiver responds before it processes the delivery, because a bank waits only five seconds.",
            trigger: "a delivery that arrived"
        ) { attempts in
            // A receiver may leave a copy that it rejects without a response.
            attempts.filter { ($0.status != nil || $0.tookTooLong) && !($0.mustBeRejected && $0.isDropped(among: attempts)) }.reduce(
                into: RuleResult()
            ) { result, attempt in
                var finding = attempt.finding("a delivery must be answered within 5 s")
                finding.isAboutTime = true
                result.add(attempt.tookTooLong ? finding : nil)
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

extension JournalReport {
    /// Checks the receivers of a session's webhooks as well, if there were deliveries; without `suites` all rules.
    package mutating func judge(_ attempts: [WebhookAttempt], suites: [String]) {
        guard !attempts.isEmpty, suites.isEmpty || suites.contains(WebhookRule.suite) else { return }
        rules += WebhookRule.all.map { rule in
            Outcome(id: rule.id, why: rule.why, trigger: rule.trigger, rule.result(attempts))
        }
    }
}
