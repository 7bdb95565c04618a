import BankCore
import BankModel
import Faults

/// The replies of calls that show and change a session.
enum SessionShapes {
    private static let members: [FieldSchema] = [
        .always("id", .anyText, "its id, which stands in its address"), .always("bank", .anyText, "its bank"),
        .always("base_url", .anyText, "the address before the bank's paths"),
        .sometimes("port", .integer(1...65535), "its own port, if it has one"), .always("seed", .count, "of everything random in it"),
        .always("now", .moment, "by its clock"), .always("exchanges", .count, "how many it had"),
        .always("rules", .count, "how many are set"), .sometimes("outage", .anyText, "the outage that runs"),
        .sometimes("labels", .map(keys: "labels", .anyText), "what it was made with"),
        .sometimes("ttl", .anyText, "how long it is kept while nobody uses it, if it was made so"),
    ]

    static let session = ObjectSchema("a session", "A session.", members: members)

    static let made = ObjectSchema(
        "a session that was made", named: "made-session", "A session, and its token.",
        members: members + [.sometimes("token", .anyText, "the session's own admin token, if the server demands one; told once")])

    static let sessions = ObjectSchema(
        "sessions", "The sessions, the banks' own ones too.", members: [.always("sessions", .each(session), "the sessions")])

    static let clock = ObjectSchema(
        "a clock", "A session's clock.",
        members: [
            .always("now", .moment, "the instant that it is"), .always("mode", .one(of: VirtualClock.Mode.self), "whether time goes by"),
            .always("skew", .anyText, "how far the bank's clock is from what clients take for the time"),
        ])

    private static let listedToken = ObjectSchema(
        "a listed token", "A token without its text.",
        members: [
            .always("id", .anyText, "such as `token#1`"), .always("kind", .words(["access", "refresh"]), "what it is good for"),
            .always("login", .anyText, "the customer"), .always("scopes", .texts, "what it allows"),
            .always("expires_at", .moment, "by the session's clock"),
            .always("state", .words(["live", "expired", "used", "revoked"]), "whether it is good"),
        ])

    static let tokens = ObjectSchema(
        "the tokens", "The tokens of a session.", members: [.always("tokens", .each(listedToken), "oldest first")])

    static let issued = ObjectSchema(
        "issued tokens", "An access token, and the refresh token that belongs to it.",
        members: [
            .always("id", .anyText, "of the access token"), .always("token", .anyText, "its text; told once"),
            .sometimes("refresh_token", .anyText, "the text of the refresh token, if the bank has any"),
            .always("expires_at", .moment, "by the session's clock"),
        ])

    private static let armed = ObjectSchema(
        "an armed rule", "A rule as it was set, with its id and counts; secrets in it are redacted.",
        members: [.always("id", .anyText, "its id")] + Rule.schema.fields
            + [.always("matched", .count, "how many exchanges it was for"), .always("fired", .count, "how many it struck")])

    static let rules = ObjectSchema(
        "the rules", "The rules of a session.",
        members: [
            .always("faults", .each(armed), "in the order in which they are tried"),
            .always("held", .count, "how many exchanges and connections rules hold"),
        ])

    static let rule = ObjectSchema("a rule that was set", "A rule that was set.", members: [.always("id", .anyText, "its id")])

    static let released = ObjectSchema(
        "a release", "What was released.", members: [.always("released", .count, "how many exchanges and connections")])

    static let outage = ObjectSchema(
        "an outage", "How an outage stands.",
        members: [
            .always("name", .anyText, "its name"), .always("running", .bool, "whether it is not over"),
            .sometimes("left_ms", .count, "how long it still runs, in milliseconds, if it has an end"),
            .always("clock", .one(of: Plan.Clock.self), "by which clock it goes"), .sometimes("seed", .count, "its own seed"),
            .always("rules", .each(armed), "its rules"), .always("skipped", .texts, "the rules that could not strike here"),
            .always("began_at", .moment, "when it was started, by the session's clock"),
            .always("phases", .each(phase), "when rules of it begin and end"),
            .sometimes("effect", .object(effect), "what the journal shows of the app; absent if no rule was applied"),
        ])

    private static let phase = ObjectSchema(
        "a phase", "A part of an outage, from the beginning of the outage.",
        members: [
            .always("from_ms", .count, "when it begins, in milliseconds"),
            .sometimes("until_ms", .count, "when it ends; absent if it goes on until the outage is stopped"),
        ])

    static let effect = ObjectSchema(
        "an effect", "The effect of an outage on the app, as the journal shows it.",
        members: [
            .always("name", .anyText, "the outage's name"),
            .always("affected", .count, "the number of requests and connections to which a rule was applied"),
            .sometimes("without_answer_ms", .count, "the longest time without a successful response, in milliseconds"),
            .sometimes("since", .count, "the exchange that failed first in that time"),
            .sometimes("until", .count, "the exchange that succeeded at its end; absent if none did yet"),
            .sometimes("recovered", .count, "the first exchange after the last affected one that succeeded; absent if none did yet"),
        ])

    static let started = ObjectSchema(
        "a started outage", "An outage that begins.",
        members: [
            .always("name", .anyText, "its name"), .sometimes("seed", .count, "its own seed"),
        ] + Plan.schema.fields.filter { $0.key == "entries" } + [
            .always("skipped", .texts, "the rules that could not strike here"), .always("rules", .texts, "the ids of its rules"),
        ])
}
