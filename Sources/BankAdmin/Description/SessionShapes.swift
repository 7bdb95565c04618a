import BankCore
import BankModel
import Contracts
import Faults

/// The responses of calls that show and change a session.
enum SessionShapes {
    private static let members: [FieldSchema] = [
        .always("id", .anyText, "its id, part of its address"), .always("bank", .anyText, "its bank"),
        .always("base_url", .anyText, "the base URL for the bank's paths"),
        .sometimes("port", .integer(1...65535), "its separate port, if it has one"),
        .always("seed", .count, "the seed for all random values"),
        .always("now", .moment, "the instant of its clock"), .always("exchanges", .count, "the number of exchanges so far"),
        .always("rules", .count, "the number of rules"), .sometimes("outage", .anyText, "the running outage"),
        .sometimes("labels", .map(keys: "labels", .anyText), "its labels"),
        .sometimes("ttl", .anyText, "the time after which it is removed if unused, if one was set"),
    ]

    static let session = ObjectSchema("a session", "A session.", members: members)

    static let made = ObjectSchema(
        "a created session", named: "made-session", "A session, and its token.",
        members: members + [.sometimes("token", .anyText, "the session's admin token, if the server requires one; returned only once")])

    static let sessions = ObjectSchema(
        "sessions", "The sessions, including the default sessions.", members: [.always("sessions", .each(session), "the sessions")])

    static let clock = ObjectSchema(
        "a clock", "A session's clock.",
        members: [
            .always("now", .moment, "the current instant"),
            .always("mode", .one(of: VirtualClock.Mode.self), "whether the clock runs or is frozen"),
            .always("skew", .anyText, "the error of the `Date` header"),
        ])

    private static let listedToken = ObjectSchema(
        "a listed token", "A token without its text.",
        members: [
            .always("id", .anyText, "such as `token#1`"),
            .always(
                "kind", .words(["access", "refresh", "code"]), "whether it is an access token, a refresh token or an authorization code"),
            .always("login", .anyText, "the customer"), .always("scopes", .texts, "its scopes"),
            .always("expires_at", .moment, "when it expires, by the session clock"),
            .always("state", .words(["live", "expired", "used", "revoked"]), "whether it is valid"),
        ])

    static let tokens = ObjectSchema(
        "the tokens", "The tokens of a session.", members: [.always("tokens", .each(listedToken), "oldest first")])

    static let issued = ObjectSchema(
        "issued tokens", "An access token, and the refresh token that belongs to it.",
        members: [
            .always("id", .anyText, "the id of the access token"), .always("token", .anyText, "its text; returned only once"),
            .sometimes("refresh_token", .anyText, "the text of the refresh token, if the bank has any"),
            .always("expires_at", .moment, "when it expires, by the session clock"),
        ])

    private static let attempt: [FieldSchema] = [
        .always("number", .count, "its number, from 1"), .always("client", .anyText, "the id of the client"),
        .always("redirect_uri", .anyText, "the client's address"), .always("scopes", .texts, "the scopes that it asks for"),
        .always("state", .one(of: Authorization.Stage.self), "whether it was pushed, is pending, or how it ended"),
        .sometimes("login", .anyText, "the customer who approved"),
        .always("expires_at", .moment, "when the page or the pushed request ends, by the session clock"),
    ]

    static let authorizations = ObjectSchema(
        "the authorizations", "The attempts to sign in on the bank's page.",
        members: [
            .always("authorizations", .each(ObjectSchema("an authorization", "An attempt to sign in.", members: attempt)), "oldest first")
        ])

    /// Those of an event's result too: a consent that was revoked does not expire.
    static let consentMembers: [FieldSchema] = [
        .always("id", .anyText, "its id; of an account table and key"),
        .always(
            "state", .words(Movement.State.allCases.map(\.rawValue) + ["closed"] + ConsentState.allCases.map(\.rawValue)),
            "of a movement, an account or a consent; an accepted movement is settled or rejected later, and one in pending-authorisation "
                + "waits for a second person"),
        .sometimes("table", .anyText, "the table of the consent"), .sometimes("login", .anyText, "the customer who has authorised it"),
        .sometimes("accounts", .texts, "the accounts that it covers"), .sometimes("permissions", .texts, "what it permits"),
    ]

    private static let consent = ObjectSchema(
        "a consent", "A consent.",
        members: consentMembers + [.sometimes("expires_at", .moment, "when it expires, by the session clock")])

    static let consents = ObjectSchema(
        "the consents", "The consents of a session.",
        members: [.always("consents", .each(consent), "oldest first")])

    static let decided = ObjectSchema(
        "a decided authorization", "An attempt to sign in that has ended.",
        members: attempt + [
            .sometimes("redirect", .anyText, "the address that the app gets, with the code or the error; absent after `abandon`")
        ])

    static let challenge = ObjectSchema(
        "a challenge", "A request that a customer must confirm.",
        members: [
            .always("number", .count, "its number, from 1"), .always("id", .anyText, "its id, as the client gets it"),
            .always("kind", .one(of: ChallengeKind.self), "how it is answered"), .always("login", .anyText, "the customer"),
            .always("operation", .anyText, "the operation that was requested"),
            .always("state", .one(of: Challenge.Stage.self), "whether it is pending, or how it ended"),
            .sometimes("code", .anyText, "the correct code of an `otp` challenge"),
            .always("wrong_codes", .count, "the number of wrong codes so far"),
            .always("expires_at", .moment, "when it expires, by the session clock"),
        ])

    static let challenges = ObjectSchema(
        "the challenges", "The challenges of a session.", members: [.always("challenges", .each(challenge), "oldest first")])

    private static let armed = ObjectSchema(
        "a rule with its counts", "A rule as it was set, with its id and counts; secrets in it are redacted.",
        members: [.always("id", .anyText, "its id")] + Rule.schema.fields
            + [
                .always("matched", .count, "the number of requests that matched it"),
                .always("fired", .count, "the number of requests it was applied to"),
            ])

    static let rules = ObjectSchema(
        "the rules", "The rules of a session.",
        members: [
            .always("faults", .each(armed), "in the order in which they are matched"),
            .always("held", .count, "the number of requests and connections that rules hold"),
        ])

    static let rule = ObjectSchema("a rule that was set", "A rule that was set.", members: [.always("id", .anyText, "its id")])

    static let released = ObjectSchema(
        "a release", "The result of a release.", members: [.always("released", .count, "the number of released requests and connections")])

    static let outage = ObjectSchema(
        "an outage", "The status of an outage.",
        members: [
            .always("name", .anyText, "its name"), .always("running", .bool, "whether it is running"),
            .sometimes("left_ms", .count, "the remaining time in milliseconds, if it has an end"),
            .always("clock", .one(of: Plan.Clock.self), "the clock that it follows"), .sometimes("seed", .count, "its seed"),
            .always("rules", .each(armed), "its rules"), .always("skipped", .texts, "the rules that cannot apply here"),
            .always("began_at", .moment, "when it was started, by the session clock"),
            .always("phases", .each(phase), "when its rules begin and end"),
            .sometimes("effect", OutageEffect.format.schema, "what the journal shows of the app; absent if no rule was applied"),
        ])

    private static let phase = ObjectSchema(
        "a phase", "A part of an outage, from the beginning of the outage.",
        members: [
            .always("from_ms", .count, "when it begins, in milliseconds"),
            .sometimes("until_ms", .count, "when it ends; absent if it goes on until the outage is stopped"),
        ])

    static let started = ObjectSchema(
        "a started outage", "An outage that was started.",
        members: [
            .always("name", .anyText, "its name"), .sometimes("seed", .count, "its seed"),
        ] + Plan.schema.fields.filter { $0.key == "entries" } + [
            .always("skipped", .texts, "the rules that cannot apply here"), .always("rules", .texts, "the ids of its rules"),
        ])
}
