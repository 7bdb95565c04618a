import BankCore
import BankModel

/// The responses of calls that show webhooks.
enum WebhookShapes {
    private static let members: [FieldSchema] = [
        .always("id", .anyText, "its id"), .always("url", .anyText, "the address that it is sent to"),
        .always("events", .texts, "the types of events to deliver"),
        .always("faults", .texts, "the faults of its next deliveries, one for each"),
        .sometimes("sign", .one(of: WebhookSignature.self), "how its deliveries are signed, if not by the bank's method"),
    ]

    static let webhook = ObjectSchema("a registered webhook", "A receiver of webhooks.", members: members)

    static let made = ObjectSchema(
        "a webhook with its secret", named: "webhook-secret", "A receiver of webhooks, and the secret with which it checks signatures.",
        members: members + [.always("secret", .anyText, "the secret of its signatures")])

    private static let attempt = ObjectSchema(
        "an attempt", "One attempt to deliver an event.",
        members: [
            .always("at", .moment, "when it ended"), .always("ms", .count, "how long it took, in milliseconds"),
            .sometimes("status", .integer(100...999), "the status of the response"),
            .sometimes("failure", .anyText, "why there was no response"),
            .sometimes("fault", .one(of: DeliveryFault.self), "the fault that was applied to it"),
        ])

    private static let delivery = ObjectSchema(
        "a delivery", "The delivery of one event to one receiver.",
        members: [
            .always("event", .anyText, "the event's id, the same in each attempt"),
            .always("type", .one(of: WebhookEvent.Kind.self), "what happened"), .always("created", .moment, "when it happened"),
            .always("object", .map(keys: "names", .any), "the object that the event is about"),
            .always("state", .one(of: Delivery.State.self), "whether it is waiting, or how it ended"),
            .always("attempts", .each(attempt), "oldest first"),
            .sometimes("fault", .one(of: DeliveryFault.self), "the fault that will be applied to it"),
            .sometimes("next_at", .moment, "the time of the next attempt"),
        ])

    static let deliveries = ObjectSchema(
        "a webhook with deliveries", named: "webhook-deliveries", "A receiver of webhooks, and its last 1000 deliveries.",
        members: members + [
            .always("secret", .anyText, "the secret of its signatures"), .always("deliveries", .each(delivery), "oldest first"),
        ])

    private static let counted = ObjectSchema(
        "a listed webhook", "A receiver of webhooks, with the numbers of its deliveries.",
        members: members + Delivery.State.allCases.map { .always($0.rawValue, .count, "the deliveries in this state") })

    static let webhooks = ObjectSchema(
        "webhooks of a session", named: "webhooks", "The receivers of webhooks.",
        members: [
            .always("webhooks", .each(counted), "in the order of their registration"),
            .always("keys", .map(keys: "names", .any), "the public keys that verify a JWS or a JWT (RFC 7517)"),
        ])

    static let resent = ObjectSchema(
        "resent deliveries", "The deliveries that are sent again.", members: [.always("resent", .count, "their number")])
}
