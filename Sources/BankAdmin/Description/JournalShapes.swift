import BankModel
import Contracts

/// The responses of calls that show what happened in a session.
enum JournalShapes {
    private static let faultMembers: [FieldSchema] = [
        .always("rule", .anyText, "the rule's id"), .always("kind", .anyText, "the kind of fault"),
        .always("point", .anyText, "the point at which it acts"), .always("applied", .bool, "whether it was applied"),
        .always("reason", .orNull(.anyText), "the reason if it was not applied"),
    ]

    private static let onePart = ObjectSchema("one of several faults", "One of the faults of an exchange.", members: faultMembers)

    private static let fault = ObjectSchema(
        "a fault of an exchange", "The fault that determined an exchange.",
        members: faultMembers + [.sometimes("all", .each(onePart), "all faults, if there were several")])

    private static let receipt = ObjectSchema(
        "a receipt", "The bytes written to the socket.",
        members: [
            .always("head_bytes", .count, "of the status line and headers"), .always("body_bytes", .count, "of the body"),
            .always("raw_bytes", .count, "of neither"),
            .always("unsent", .count, "bytes that were not acknowledged when the connection ended"),
            .sometimes("reset", .bool, "true if the client reset the connection after the response, which it may not have read"),
            .always("end", .one(of: Receipt.End.self), "how the connection ended or continued"),
        ])

    private static let headers = Schema.list(.list(.anyText, atLeast: 2), atLeast: 0)

    private static let nearMiss = ObjectSchema(
        "a near miss", "An operation that a request nearly matched.",
        members: [
            .always("operation", .anyText, "its name"), .always("wants", .anyText, "its method and path"),
            .always("reasons", .texts, "the reasons why it did not match"),
        ])

    private static let curl = ObjectSchema(
        "a curl line", "The command that repeats a request.",
        members: [.always("line", .anyText, "for a POSIX shell"), .always("left_out", .texts, "the parts that it does not send")])

    private static let near = FieldSchema.always("nearest", .each(nearMiss), "the operations that it nearly matched")

    /// The members that brief entries have too.
    private static let members: [FieldSchema] = [
        .always("seq", .count, "the number of the exchange in the session, from 1"),
        .always("at", .moment, "when the request's head was read, by the session clock"),
        .always("mono_ns", .count, "the same instant by the machine's clock"),
        .always("duration_us", .orNull(.count), "until the last byte of the response; null while it is in progress"),
        .always("connection", .count, "the number of the connection in the session"),
        .always("request_on_connection", .count, "the number of the request on the connection: 1 on a new one"),
        .always("protocol", .one(of: WireProtocol.self), "HTTP/1.1, HTTP/1.1 over TLS, or HTTP/2"),
        .always("tls", .orNull(.anyText), "the TLS version"), .always("host", .orNull(.anyText), "as sent"),
        .always("method", .orNull(.anyText), "as sent; null if no request arrived"), .always("path", .anyText, "as sent"),
        .always("query", .orNull(.anyText), "as sent, without secrets"),
        .always("operation", .orNull(.anyText), "the operation that matched"),
        .always("roles", .texts, "the operation's"), .always("customer", .orNull(.anyText), "the token's"),
        .always("token", .orNull(.anyText), "an id such as `token#1`, `unknown` or `empty`"),
        .always("key", .orNull(.anyText), "the idempotency key"),
        .always("attempt", .orNull(.count), "the number of this request among those with its operation and key (or body)"),
        .always("body_bytes", .count, "of the request"),
        .always("status", .orNull(.count), "null if none was sent"),
        .always("reply", .orNull(.anyText), "the name of the error in the dialect"),
        .always("committed", .bool, "whether the effect was committed to the session's state"),
        .always("replayed", .bool, "whether the response is the one stored for the key"),
        .always("fault", .orNull(.object(fault)), "the fault that determined it"),
        .always("receipt", .orNull(.object(receipt)), "null while it is in progress"),
        .sometimes("traceparent", .anyText, "of the request, if it is valid"),
    ]

    /// The members that brief entries lack.
    private static let content: [(key: String, schema: Schema, help: String)] = [
        ("body_sha256", .anyText, "of the request's body"), ("request_headers", headers, "names and values, without secrets"),
        ("request_body", .anyText, "at most 8 KiB, without secrets"), ("reply_headers", headers, "names and values"),
        ("reply_body", .anyText, "at most 8 KiB"),
    ]

    private static let whole = members + content.map { FieldSchema.always($0.key, $0.schema, $0.help) }

    private static let entry = ObjectSchema(
        "an entry", named: "journal-entry", "An exchange, with headers and bodies unless it is brief.",
        members: members + content.map { FieldSchema.sometimes($0.key, $0.schema, $0.help) })

    static let journal = ObjectSchema(
        "a page of the journal", "Exchanges, oldest first.",
        members: [
            .always("entries", .each(entry), "the exchanges"), .always("revision", .count, "pass it as `revision` to the next call"),
            .always("oldest", .count, "the number of the oldest stored exchange"),
            .always("dropped", .count, "the number of older exchanges that were dropped"),
            .always("next_since", .count, "pass it as `since` to the next call"),
        ])

    static let exchange = ObjectSchema(
        "an exchange", "An exchange, and a command that repeats it.",
        members: whole + [.always("curl", .object(curl), "the command that repeats it"), near])

    static let unmatched = ObjectSchema(
        "the unmatched requests", "Requests that matched no operation.",
        members: [.always("entries", .each(ObjectSchema("an unmatched request", members: whole + [near])), "the exchanges")])

    static let archive = ObjectSchema(
        "an archive", named: "http-archive", "An HTTP archive: HAR 1.2.",
        members: [
            .always(
                "log",
                .object(
                    ObjectSchema(
                        "the log of an archive",
                        members: [
                            .always("version", .words(["1.2"]), "of HAR"),
                            .always("creator", .map(keys: "names", .anyText), "this program"),
                            .always("entries", .list(.map(keys: "names", .any), atLeast: 0), "as defined by HAR 1.2"),
                        ])), "all of it")
        ])
}
