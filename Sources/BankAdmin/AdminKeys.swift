import BankCore
package import BankModel
import Faults

/// The keys in the bodies of admin calls.
package enum AdminKeys {
    // MARK: sessions

    static let bank = Field(required: "bank", .text("the name of a served bank"), "the bank")
    static let name = Field("name", .text(), "its name; by default generated")
    static let seed = Field("seed", .seed, "the seed for all random values; by default derived from the server's")
    static let clock = Field(
        "clock", .node(.anyOf([Format<Instant>.instant.schema, .object(clockSchema)])),
        "the start of its clock; a single instant freezes the clock")
    static let listen = Field("listen", .choice(among: ["true", "false", "tls"]), "whether it has a separate port, without TLS or with it")
    static let plan = Field("plan", .text("the name of an outage"), "the outage to start with")
    static let labels = Field("labels", .labels, "labels for selecting it, such as {\"team\": \"ios\"}: at most 16")
    static let timeToLive = Field(
        "ttl", .duration, "the time after which it is removed if unused; by default that of `serve --session-ttl`")
    static let authorize = Field(
        "authorize", .choice(among: ["page", "auto"]), default: "page",
        "`auto`: the sign-in page approves at once if its address has `auto=approve`; for tests without a browser")
    static let challenges = Field(
        "challenges", .choice(of: ChallengePolicy.Setting.self),
        "which kind of challenge confirms payments and reads, or none; by default the bank's setting")
    static let sessionSchema = ObjectSchema(
        "a session", named: "new-session", "A new session.",
        fields: [bank, name, seed, clock, listen, plan, labels, timeToLive, authorize, challenges],
        example: "{\"bank\": \"roundup\", \"clock\": \"2026-01-12T09:00:00Z\"}")

    // MARK: the clock

    static let now = Field("now", .instant, "the current instant")
    static let mode = Field("mode", .choice(of: VirtualClock.Mode.self), "whether the clock runs or is frozen")
    static let skew = Field("skew", .signedDuration, "the error of the `Date` header")
    static let clockSchema = ObjectSchema(
        "a clock", named: "clock-setting", "The settings of a clock.", fields: [now, mode, skew],
        example: "{\"now\": \"2026-01-12T09:00:00Z\", \"mode\": \"frozen\"}")

    static let by = Field(required: "by", .duration, "the duration to advance by")
    static let advanceSchema = ObjectSchema("an advance", "Advances a clock.", fields: [by], example: "{\"by\": \"16m\"}")

    static let idle = Field("idle", .bool, default: true, "only connections without a request, whatever the value")
    static let closeSchema = ObjectSchema("a close", "Closes connections.", fields: [idle])

    // MARK: tokens

    static let login = Field("login", .text("a customer"), "the customer; by default the first")
    static let scopes = Field("scopes", .texts("a scope"), "the scopes of the token; by default all")
    static let lifetime = Field("lifetime", .duration, "its lifetime; by default the bank's")
    static let tokenSchema = ObjectSchema(
        "a token", "A token to issue.", fields: [login, scopes, lifetime],
        example: "{\"login\": \"ava\", \"scopes\": [\"accounts\"], \"lifetime\": \"5m\"}")

    static let decision = Field(
        required: "decision", .choice(of: SignInDecision.self),
        "what the customer does; `cancel` returns to the app without a decision, `abandon` closes the page and returns nothing")
    static let sharedAccounts = Field(
        "accounts", .texts("an account's key"), "the accounts that the customer shares; by default all for which the consent asks")
    static let decisionSchema = ObjectSchema(
        "a decision", named: "sign-in-decision", "The end of an attempt to sign in.", fields: [decision, login, sharedAccounts],
        example: "{\"decision\": \"approve\", \"login\": \"ava\"}")

    static let verdict = Field(
        required: "decision", .choice(of: ChallengeDecision.self), "whether the customer confirms the request in the bank's own app")
    static let verdictSchema = ObjectSchema(
        "a verdict", named: "challenge-decision", "The end of a challenge.", fields: [verdict], example: "{\"decision\": \"approve\"}")

    static let token = Field("token", .text("a token's id, such as `token#1`"), "the token; without it all tokens")
    static let tokenChangeSchema = ObjectSchema("a change of tokens", "The token to change.", fields: [token])

    static let left = Field("scopes", .texts("a scope"), "the scopes to keep; by default none")
    static let downscopeSchema = ObjectSchema(
        "a change of tokens", named: "downscoping", "The token to change, and the scopes to keep.", fields: [token, left])

    // MARK: webhooks

    static let deliveredEvent = Field("event", .text("an event's id"), "the event to send again; by default all that failed")
    static let resendSchema = ObjectSchema(
        "a resend", named: "webhook-resend", "The deliveries to send again.", fields: [deliveredEvent],
        example: "{\"event\": \"evt_1\"}")

    // MARK: outages

    static let outage = Field("name", .text("an outage"), "the name of an outage")
    static let inline = Field("plan", .node(.object(Plan.schema)), "a plan, instead of a name or with one")
    static let length = Field("for", .duration, "the maximum duration; by default until its end")
    static let replace = Field("replace", .bool, default: false, "whether to replace a running outage")
    static let outageSchema = ObjectSchema(
        "an outage", named: "outage-start", "Starts an outage.", fields: [outage, inline, length, seed, replace],
        rules: [.atLeastOne(["name", "plan"])],
        example: "{\"name\": \"brownout\", \"for\": \"5m\"}")

    // MARK: provider states

    static let state = Field(required: "state", .sentence, "the state, as worded in the pact; empty without a state")
    static let parameters = Field("params", .values, default: JSONObject(), "the values of the placeholders in braces")
    static let action = Field(
        "action", .choice(among: ["setup", "teardown"]), default: "setup", "whether the state is set up or torn down")
    static let consumer = Field("consumer", .text(), "the consumer of the pact; ignored")
    static let stateSchema = ObjectSchema(
        "a state change", "A provider state of a pact; the members may also be given in the query.",
        fields: [state, parameters, action, consumer],
        example: "{\"state\": \"customer ava is signed in\", \"action\": \"setup\"}")

    /// The schema of any call's body.
    package static let schema = Schema.anyOf(AdminCall.bodies)
}

extension Format<UInt64> {
    fileprivate static var seed: Format<UInt64> {
        Format<UInt64>(
            .text(TextSchema("a whole number below 2^64")),
            read: { node, complaints -> UInt64? in
                node.scalar.flatMap { UInt64($0) } ?? node.wrong(complaints, "a whole number below 2^64")
            })
    }
}

extension Format<String> {
    /// A text that may be empty.
    fileprivate static var sentence: Format<String> {
        Format<String>(
            .text(TextSchema("a sentence", pattern: ".*")),
            read: { node, complaints -> String? in
                guard let text = node.scalar, !node.isNull else { return node.wrong(complaints, "a sentence") }
                return text
            })
    }
}

extension Format<JSONObject> {
    /// A mapping with any keys and values; null is an empty one.
    fileprivate static var values: Format<JSONObject> {
        Format<JSONObject>(
            .anyOf([.map(keys: "names", .any), .nothing]),
            read: { node, complaints -> JSONObject? in
                node.isNull ? JSONObject() : node.json.object ?? node.wrong(complaints, "a mapping")
            }, write: { .object($0) })
    }
}

extension Format<[String: String]> {
    /// Names and values that are safe in an address, a table and a log.
    static var labels: Format<[String: String]> {
        Format<[String: String]>(
            .map(keys: "labels", .text(TextSchema("1 to 63 of letters, digits, spaces and _.:/@+-", pattern: "[A-Za-z0-9_.:/@+ -]{1,63}"))),
            read: { node, complaints -> [String: String]? in
                guard let members = node.json.object, members.keys.count <= 16 else {
                    return node.wrong(complaints, "at most 16 labels such as {\"team\": \"ios\"}")
                }
                var labels: [String: String] = [:]
                for key in members.keys {
                    guard key.wholeMatch(of: /[a-z0-9_.-]{1,63}/) != nil else {
                        complaints.add(
                            found: "the label `\(key.prefix(70))`", expected: "a name of 1 to 63 of a-z, 0-9 and _.-", at: node.position)
                        return nil
                    }
                    guard let text = members[key]?.string, text.wholeMatch(of: /[A-Za-z0-9_.:\/@+ -]{1,63}/) != nil else {
                        complaints.add(
                            found: "another value of the label `\(key)`", expected: "1 to 63 letters, digits, spaces and _.:/@+-",
                            at: node.position)
                        return nil
                    }
                    labels[key] = text
                }
                return labels
            })
    }
}
