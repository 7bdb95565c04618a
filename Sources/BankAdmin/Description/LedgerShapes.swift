import BankModel
import Contracts

/// The replies of calls that show a session's money, and what the judge says of it.
enum LedgerShapes {
    private static let account = ObjectSchema(
        "a changed account", "An account that movements have changed.",
        members: [
            .always("account", .anyText, "table and key"), .always("change_minor_units", .signed, "the sum of its postings"),
            .sometimes("balance", .anyText, "what it can spend, where that is known"),
            .sometimes("currency", .anyText, "the balance's"),
        ])

    private static let posting = ObjectSchema(
        "a posting", "One half of a movement.",
        members: [
            .always("id", .anyText, "its id"), .always("movement", .anyText, "the movement's"),
            .always("account", .anyText, "table and key"), .always("amount", .anyText, "in major units, with a sign"),
            .always("currency", .anyText, "three letters"), .always("at", .moment, "when it was booked"),
        ])

    private static let movement = ObjectSchema(
        "a movement", "A payment.",
        members: [
            .always("id", .anyText, "its id"), .always("operation", .anyText, "the one that made it"),
            .always("key", .orNull(.anyText), "its idempotency key"),
            .always("state", .one(of: Movement.State.self), "accepted: it ends later"), .always("at", .moment, "when it was made"),
            .sometimes("ends_at", .moment, "when it ends, if not at once"),
        ])

    private static let usedKey = ObjectSchema(
        "a used key", "An idempotency key that the bank knows.",
        members: [
            .always("operation", .orNull(.anyText), "the one that it was used for"), .always("key", .anyText, "the key"),
            .always("customer", .orNull(.anyText), "whose it is"), .always("since", .moment, "when it was first used"),
            .always("status", .orNull(.count), "of the stored reply; null if there is none yet"),
        ])

    static let ledger = ObjectSchema(
        "a ledger", named: "booked-ledger", "Accounts, postings, movements and keys.",
        members: [
            .always("accounts", .each(account), "those that have changed"), .always("postings", .each(posting), "two for each movement"),
            .always("movements", .each(movement), "oldest first"), .always("idempotency", .each(usedKey), "the keys that are known"),
            .always("balanced", .bool, "whether the postings give the balances"),
        ])

    private static let balance = ObjectSchema(
        "a balance", "What an account can spend.",
        members: [
            .always("account", .anyText, "table and key"), .always("balance", .anyText, "in major units"),
            .always("currency", .anyText, "three letters"),
        ])

    static let balances = ObjectSchema(
        "the balances", "What accounts can spend.",
        members: [.always("balances", .each(balance), "the first 200"), .always("more", .bool, "whether there are more")])

    private static let exchanges = FieldSchema.always("exchanges", .list(.count, atLeast: 0), "their numbers in the journal")

    private static let violationMembers: [FieldSchema] = [
        .always("expected", .anyText, "what a right client does"), .always("seen", .anyText, "what this one did"),
        .always("headline", .anyText, "both in one line"), exchanges,
        .always("requirement", .anyText, "what a right client does, without where that comes from"),
        .sometimes("source", .anyText, "where it comes from, such as `RFC 6750 §3.1`"),
        .always("requests", .each(RequestKeys.schema), "those exchanges, each with its method, path and operation"),
    ]

    private static let violation = ObjectSchema("a violation", "What a client did wrong.", members: violationMembers)

    private static let doubt = ObjectSchema(
        "a doubt", "What the journal does not show.",
        members: violationMembers + [
            .always("reason", .anyText, "why it does not"), .always("do", .anyText, "what to do to see it"),
        ])

    private static let judged = ObjectSchema(
        "a judged rule", "A rule of the judge, and what it says.",
        members: [
            .always("id", .anyText, "its id"), .always("level", .one(of: ContractCase.Level.self), "how much it demands"),
            .always("why", .anyText, "what it is for"), .always("trigger", .anyText, "when it applies"),
            .always("met", .count, "how often it applied"), .always("verdict", .one(of: Verdict.self), "what it says of the client"),
            .always("violations", .each(violation), "what was wrong"), .always("cannot_tell", .each(doubt), "what cannot be told"),
            .always("timeline", .texts, "what happened, line by line"),
            .always("timeline_left_out", .count, "how many lines are left out of the middle"),
        ])

    static let verdict = ObjectSchema(
        "a verdict", "The judge's verdict on a journal.",
        members: [
            .always("session", .anyText, "the session's id"), .always("bank", .anyText, "its bank"),
            .always("exchanges", .count, "how many were judged"), .always("under_way", .count, "how many have not ended"),
            .always("dropped", .count, "how many are no longer there"),
            .always("through", .map(keys: "proxies", .count), "how many came through each proxy"),
            .sometimes("outage", .object(SessionShapes.effect), "the effect of the session's outage; absent if it affected no request"),
            .always("rules", .each(judged), "the rules"),
        ])
}
