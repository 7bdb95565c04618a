import BankCore
import BankModel

/// The responses of calls that show a session's money.
enum LedgerShapes {
    private static let account = ObjectSchema(
        "a changed account", "An account that movements have changed.",
        members: [
            .always("account", .anyText, "table and key"), .always("change_minor_units", .signed, "the sum of its postings"),
            .sometimes("balance", .anyText, "its available balance, if known"),
            .sometimes("currency", .anyText, "the balance's"),
        ])

    private static let posting = ObjectSchema(
        "a posting", "One side of a movement.",
        members: [
            .always("id", .anyText, "its id"), .always("movement", .anyText, "the movement's"),
            .always("account", .anyText, "table and key"), .always("amount", .anyText, "in major units, with a sign"),
            .always("currency", .anyText, "three letters"), .always("at", .moment, "when it was booked"),
        ])

    private static let movement = ObjectSchema(
        "a movement", "A payment.",
        members: [
            .always("id", .anyText, "its id"), .always("operation", .anyText, "the operation that made it"),
            .always("key", .orNull(.anyText), "its idempotency key"),
            .always(
                "state", .one(of: Movement.State.self),
                "accepted: it is settled or rejected later; pending-authorisation: a second person must authorise it first"),
            .always("at", .moment, "when it was made"),
            .sometimes("ends_at", .moment, "when it is settled or rejected, if not immediately"),
            .sometimes("event", .anyText, "the event that made it, such as `payment-in`"),
            .sometimes("returns", .anyText, "the id of the movement whose money it returns"),
        ])

    static let event = ObjectSchema(
        "an event's result", named: "event-result",
        "The movement that an event has made or ended, the account that it has closed, or the consent that it has revoked.",
        members: SessionShapes.consentMembers + [
            .sometimes("from", .anyText, "table and key of the account that pays; `outside` is the table of other banks"),
            .sometimes("to", .anyText, "table and key of the account that is paid"),
            .sometimes("amount", .anyText, "in major units"), .sometimes("currency", .anyText, "three letters"),
            .sometimes("at", .moment, "when it was made"), .sometimes("ends_at", .moment, "when it ends, or has ended, if not immediately"),
            .sometimes("returns", .anyText, "the id of the movement whose money it returns"),
        ])

    private static let ofEvents: [FieldSchema] = [
        .sometimes("account", .anyText, "the account of new money"),
        .sometimes("amount", .anyText, "in major units"), .sometimes("payment", .anyText, "the payment"),
        .sometimes("name", .anyText, "who pays or is paid"), .sometimes("reference", .anyText, "the reference of new money"),
        .sometimes("reason", .anyText, "why the payment is rejected or returned"), .sometimes("consent", .anyText, "the consent"),
    ]

    static let scheduled = ObjectSchema(
        "an event of the schedule", "A scheduled event.",
        members: [
            .always("event", .one(of: BankEvent.Kind.self), "the event"), .always("at", .moment, "its next time"),
            .sometimes("every", .anyText, "the interval at which it repeats"),
        ] + ofEvents)

    private static let missed = ObjectSchema(
        "a missed event", "A scheduled event, or the payment of a standing order, that could not happen.",
        members: [
            .always("at", .moment, "its time"), .always("reason", .anyText, "why it could not happen"),
            .sometimes("order", .anyText, "the key of the standing order"),
            .sometimes("event", .one(of: BankEvent.Kind.self), "the event"),
        ] + ofEvents)

    static let schedule = ObjectSchema(
        "a schedule", "The scheduled events, by the session clock.",
        members: [
            .always("events", .each(scheduled), "the next first"), .always("missed", .each(missed), "the last 100, oldest first"),
        ])

    private static let usedKey = ObjectSchema(
        "a used key", "An idempotency key that the bank has stored.",
        members: [
            .always("operation", .orNull(.anyText), "the operation that it was used for"), .always("key", .anyText, "the key"),
            .always("customer", .orNull(.anyText), "the customer who used it"), .always("since", .moment, "when it was first used"),
            .always("status", .orNull(.count), "the status of the stored response; null if there is none yet"),
        ])

    static let ledger = ObjectSchema(
        "a ledger", named: "booked-ledger", "Accounts, postings, movements and keys.",
        members: [
            .always("accounts", .each(account), "the changed accounts"), .always("postings", .each(posting), "two for each movement"),
            .always("movements", .each(movement), "oldest first"),
            .always("idempotency", .each(usedKey), "the keys that the bank still knows"),
            .always("balanced", .bool, "whether the balances equal the sums of the postings"),
        ])

    private static let balance = ObjectSchema(
        "a balance", "The available balance of an account.",
        members: [
            .always("account", .anyText, "table and key"), .always("balance", .anyText, "in major units"),
            .always("currency", .anyText, "three letters"),
        ])

    static let balances = ObjectSchema(
        "the balances", "The available balances of accounts.",
        members: [.always("balances", .each(balance), "the first 200"), .always("more", .bool, "whether there are more")])
}
