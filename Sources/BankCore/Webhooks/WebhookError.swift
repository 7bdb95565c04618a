import BankModel

/// Why a webhook cannot be registered or changed.
package enum WebhookError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownToBank(String)
    case tooMany
    case tooManyFaults
    case unknown(String, known: [String])
    case unknownEvent(String, webhook: String)
    /// The address is not one that this server sends to.
    case address(String)

    package var description: String {
        switch self {
        case .unknownToBank(let bank): "the bank \(bank) sends no webhooks: its bank.yaml has no `webhooks`"
        case .tooMany: "found \(Webhook.most) webhooks, expected fewer: remove one first"
        case .tooManyFaults: "found more than \(Webhook.mostFaults) faults for the next deliveries, expected at most that many"
        case .unknown(let id, let known):
            "found no webhook \(id), expected \(known.isEmpty ? "one that is registered; there is none" : oneOf(known))"
        case .unknownEvent(let event, let webhook): "found no finished delivery of the event \(event) to \(webhook), expected one"
        case .address(let reason): reason
        }
    }
}
