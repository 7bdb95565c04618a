import BankCore
import BankModel

/// The keys of `rate_limit`, in a dialect and in an operation.
enum RateLimitKeys {
    static let requests = Field(required: "requests", .int(in: 1...1_000_000), "the number of requests of a window")
    static let within = Field(
        required: "within", .wholeSeconds,
        "the length of a window, in whole seconds of the session's clock; it begins with its first request")
    static let per = Field(
        "per", .choice(of: RateLimit.Grouping.self), default: .token,
        "the requests that are counted together: those with one token, those of one customer, or those to one operation")
    static let headers = Field(
        "headers", .choice(of: RateLimit.HeaderStyle.self),
        "the headers of every response: `RateLimit` and `RateLimit-Policy` (`ietf`), `X-RateLimit-…` (`x`), or none; without it `ietf`, "
            + "in an operation as in the dialect's limit")

    static let schema = ObjectSchema(
        "rate_limit", "A limit for requests. Requests beyond it get `rate-limited` until the window ends.",
        fields: [requests, within, per, headers], example: "{requests: 100, within: 1m, per: customer, headers: x}")
}

extension Format<Duration> {
    /// A duration that a header can give in whole seconds.
    fileprivate static var wholeSeconds: Format {
        Format(
            .text(TextSchema("a duration in whole seconds such as `30s`, `1m` or `1h`", pattern: "[0-9]+(ms|s|m|h|d)")),
            read: { node, complaints in
                guard let duration = node.duration(complaints) else { return nil }
                guard duration.components.attoseconds == 0, duration >= .seconds(1) else {
                    return node.wrong(complaints, "at least 1s, in whole seconds")
                }
                return duration
            }, write: { .string($0.shortText) })
    }
}
