import BankCore
package import BankModel
import Faults

/// The keys in the bodies of admin calls.
package enum AdminKeys {
    // MARK: sessions

    static let bank = Field(required: "bank", .text("a bank that is served"), "the bank")
    static let name = Field("name", .text(), "what it is called; else a name of its own")
    static let seed = Field("seed", .seed, "of everything random; else the server's")
    static let clock = Field(
        "clock", Format<Node>(.anyOf([Format<Instant>.instant.schema, .object(clockSchema)]), read: { node, _ in node }),
        "where its clock begins; an instant alone is a clock that stands")
    static let listen = Field(
        "listen", Format<Node>(.words(["true", "false", "tls"]), read: { node, _ in node }),
        "whether it has a port of its own, in clear text or under TLS")
    static let plan = Field("plan", .text("the name of an outage"), "the outage that it begins with")
    static let labels = Field("labels", .labels, "texts to find it by, such as {\"team\": \"ios\"}: at most 16")
    static let timeToLive = Field("ttl", .duration, "how long it is kept while nobody uses it; else as `serve --session-ttl` says")
    static let sessionSchema = ObjectSchema(
        "a session", named: "new-session", "A new session.", fields: [bank, name, seed, clock, listen, plan, labels, timeToLive],
        example: "{\"bank\": \"roundup\", \"clock\": \"2026-01-12T09:00:00Z\"}")

    // MARK: the clock

    static let now = Field("now", .instant, "the instant that it is")
    static let mode = Field("mode", .choice(of: VirtualClock.Mode.self), "whether time goes by")
    static let skew = Field("skew", .signedDuration, "how far the bank's clock is from what clients take for the time")
    static let clockSchema = ObjectSchema(
        "a clock", named: "clock-setting", "How a clock is set.", fields: [now, mode, skew],
        example: "{\"now\": \"2026-01-12T09:00:00Z\", \"mode\": \"frozen\"}")

    static let by = Field(required: "by", .duration, "how far")
    static let advanceSchema = ObjectSchema("an advance", "Moves a clock on.", fields: [by], example: "{\"by\": \"16m\"}")

    static let idle = Field("idle", .bool, default: true, "only those that carry no request; there is no other way")
    static let closeSchema = ObjectSchema("a close", "Closes connections.", fields: [idle])

    // MARK: tokens

    static let login = Field("login", .text("a customer"), "for whom; else the first customer")
    static let scopes = Field("scopes", .texts, "what it allows; else all")
    static let lifetime = Field("lifetime", .duration, "how long it is good; else as the bank says")
    static let tokenSchema = ObjectSchema(
        "a token", "A token that is issued.", fields: [login, scopes, lifetime],
        example: "{\"login\": \"ava\", \"scopes\": [\"accounts\"], \"lifetime\": \"5m\"}")

    static let token = Field("token", .text("a token's id, such as `token#1`"), "the one that is meant; without it all")
    static let tokenChangeSchema = ObjectSchema("a change of tokens", "Which token.", fields: [token])

    static let left = Field("scopes", .texts, "what is left to it; else nothing")
    static let downscopeSchema = ObjectSchema(
        "a change of tokens", named: "downscoping", "Which token, and what is left to it.", fields: [token, left])

    // MARK: outages

    static let outage = Field("name", .text("an outage"), "the outage of that name")
    static let inline = Field(
        "plan", Format<Node>(.object(Plan.schema), read: { node, _ in node }), "a plan, in place of a name or under it")
    static let length = Field("for", .duration, "how long it runs at most; else to its end")
    static let replace = Field("replace", .bool, default: false, "whether it takes the place of one that runs")
    static let outageSchema = ObjectSchema(
        "an outage", named: "outage-start", "Starts an outage.", fields: [outage, inline, length, seed, replace],
        rules: [.atLeastOne(["name", "plan"])],
        example: "{\"name\": \"brownout\", \"for\": \"5m\"}")

    // MARK: provider states

    static let state = Field(required: "state", .sentence, "what is so, in the words of the pact; empty without a state")
    static let parameters = Field("params", .values, default: JSONObject(), "the values of the words in braces")
    static let action = Field("action", .choice(among: ["setup", "teardown"]), default: "setup", "whether it begins or is over")
    static let consumer = Field("consumer", .text(), "whose pact it is; not looked at")
    static let stateSchema = ObjectSchema(
        "a state change", "A provider state of a pact; the same may stand in the query.", fields: [state, parameters, action, consumer],
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

extension Format<[String]> {
    /// A list of texts; reports and leaves out values that are no text.
    fileprivate static var texts: Format<[String]> {
        Format<[String]>(.list(.text(TextSchema("a scope")), atLeast: 0), read: { $0.texts($1) })
    }
}
