import BankClient
import BankModel
import Foundation

/// Mistakes of receivers of webhooks.
extension Mutant {
    static var webhooks: [Mutant] {
        [
            receiving(
                "accepts-any-signature", "acts on webhooks without checking their signatures", killedBy: ["webhooks.forged-refused"]
            ) { rules in
                rules.isGenuine = { signature, _, _, now in
                    // It has read that old ones must be rejected.
                    WebhookCode(signature).seconds.map { abs((now - Instant(seconds: $0)).components.seconds) < 300 } ?? false
                }
            },
            receiving(
                "accepts-old-signatures", "checks the signature of a webhook, and not its time", killedBy: ["webhooks.replayed-refused"]
            ) { rules in
                rules.isGenuine = { signature, body, secret, _ in
                    let code = WebhookCode(signature)
                    return code.isGenuine(body, secret: secret, now: Instant(seconds: code.seconds ?? 0))
                }
            },
            receiving(
                "acts-on-duplicates", "acts on each delivery of an event", killedBy: ["webhooks.duplicate-acted-on-once"]
            ) { $0.isNew = { _, _ in true } },
            receiving(
                "last-delivery-counts", "uses the state in the webhook that arrived last", killedBy: ["webhooks.out-of-order-tolerated"]
            ) { $0.payments = { ReceiverRules.lastStates($0) } },
            receiving(
                "acts-on-unknown-types", "acts on events of every type", killedBy: ["webhooks.unknown-event-ignored"]
            ) { $0.event = { ReceivedEvent($0) } },
            receiving(
                "binary-amounts-of-events", "reads the amounts of events as floating-point numbers", killedBy: ["webhooks.big-number-kept"]
            ) { rules in
                let read = rules.event
                rules.event = { json in
                    var event = read(json)
                    let amount = event?.amount.flatMap(Double.init)
                    event?.amount = amount.map { String(format: "%.2f", $0) }
                    return event
                }
            },
            receiving(
                "events-in-memory", "answers a webhook before the event is on the disk",
                killedBy: ["webhooks.killed-after-2xx-loses-nothing"]
            ) { $0.isStored = false },
            receiving(
                "one-code-per-webhook", "checks only the first code in the signature of a webhook", killedBy: ["webhooks.secret-rotation"]
            ) { rules in
                rules.isGenuine = { signature, body, secret, now in
                    var code = WebhookCode(signature)
                    code.codes = Array(code.codes.prefix(1))
                    return code.isGenuine(body, secret: secret, now: now)
                }
            },
            receiving(
                "works-before-it-answers", "answers a webhook when it has acted on it", killedBy: ["webhooks.slow-handler-answers-first"]
            ) { $0.beforeAnswer = { isHeld in while isHeld() { Thread.sleep(forTimeInterval: 0.01) } } },
        ]
    }

    /// A client whose receiver has another rule.
    private static func receiving(
        _ name: String, _ mistake: String, killedBy: [String], change: @escaping @Sendable (inout ReceiverRules) -> Void
    ) -> Mutant {
        Mutant(name, mistake, killedBy: killedBy) { parts, _ in
            var rules = parts.receiver?.rules ?? ReceiverRules()
            change(&rules)
            parts.receiver?.rules = rules
        }
    }
}
