package import BankModel
import Crypto

/// An event of a webhook, as far as this client uses it.
package struct ReceivedEvent: Sendable, Hashable {
    package var id: String
    package var type: String
    /// When the bank made it, in seconds.
    package var created: Int64
    /// In major units, as the bank wrote it.
    package var amount: String?
    /// The payment that it is about, with its state after it; nil for a row of a list.
    package var payment: Payment?

    package struct Payment: Sendable, Hashable {
        package var id: String
        package var state: String
    }

    /// Reads an event; nil for one without an id or a type.
    package init?(_ json: JSON) {
        guard let id = json["id"]?.string, let type = json["type"]?.string else { return nil }
        (self.id, self.type, created) = (id, type, Int64(json["created"]?.int ?? 0))
        let object = json["data"]?["object"]
        amount = object?["amount"]?.string
        if type.hasPrefix("payment."), let key = object?["id"]?.string, let state = object?["state"]?.string {
            payment = Payment(id: key, state: state)
        }
    }
}

/// The rules by which a receiver accepts webhooks and acts on them.
package struct ReceiverRules: Sendable {
    /// Whether a delivery is from the bank and not an old one.
    package var isGenuine: @Sendable (_ signature: String, _ body: [UInt8], _ secret: String, _ now: Instant) -> Bool = {
        WebhookCode($0).isGenuine($1, secret: $2, now: $3)
    }
    /// Reads an event; nil for one that is answered and not acted on.
    package var event: @Sendable (JSON) -> ReceivedEvent? = { json in
        ReceivedEvent(json).flatMap { ReceiverRules.types.contains($0.type) ? $0 : nil }
    }
    /// Whether an event is none of those that were accepted before.
    package var isNew: @Sendable (ReceivedEvent, [ReceivedEvent]) -> Bool = { event, before in !before.contains { $0.id == event.id } }
    /// The payments that events are about, each with its state.
    package var payments: @Sendable ([ReceivedEvent]) -> [ReceivedEvent.Payment] = { events in
        // The newest event counts, whatever the order in which they came.
        ReceiverRules.lastStates(events.sorted { $0.created < $1.created })
    }
    /// Is called before an accepted delivery is answered; the argument says whether the receiver acts on nothing for now.
    package var beforeAnswer: @Sendable (_ isHeld: () -> Bool) -> Void = { _ in }
    /// Whether events are on the disk before they are answered.
    package var isStored = true

    package init() {}

    /// The types of events that the client acts on.
    private static let types: Set<String> = [
        "payment.authorised", "payment.settled", "payment.rejected", "payment.cancelled", "payment.returned", "transaction.created",
    ]

    /// The payments in the order of their first events, each with the state in its last one.
    package static func lastStates(_ events: [ReceivedEvent]) -> [ReceivedEvent.Payment] {
        events.reduce(into: []) { payments, event in
            guard let payment = event.payment else { return }
            if let index = payments.firstIndex(where: { $0.id == payment.id }) {
                payments[index] = payment
            } else {
                payments.append(payment)
            }
        }
    }
}

/// The header of a delivery: `t=SECONDS,v1=CODE`, with one code for each secret that is valid.
package struct WebhookCode: Sendable {
    package var seconds: Int64?
    package var codes: [[UInt8]] = []

    /// How old a delivery may be, or how far ahead of the client's clock.
    private static let tolerance = Duration.seconds(300)

    package init(_ header: String) {
        for part in header.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            if pair[0] == "t" { seconds = Int64(pair[1]) }
            if pair[0] == "v1", let code = bytes(hexadecimal: pair[1]) { codes.append(code) }
        }
    }

    package func isGenuine(_ body: [UInt8], secret: String, now: Instant) -> Bool {
        guard let seconds, (-253_402_300_800...253_402_300_800).contains(seconds) else { return false }
        let age = now - Instant(seconds: seconds)
        guard age <= WebhookCode.tolerance, .zero - age <= WebhookCode.tolerance else { return false }
        let key = SymmetricKey(data: Array(secret.utf8))
        let signed = Array("\(seconds).".utf8) + body
        return codes.contains { HMAC<SHA256>.isValidAuthenticationCode($0, authenticating: signed, using: key) }
    }
}
