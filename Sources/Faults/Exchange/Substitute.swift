package import BankModel

/// Another response in place of the bank's; nothing is executed.
package enum Substitute: Sendable, Hashable {
    /// The dialect's own response of that name.
    case dialect(DialectResponseName, retryAfter: RetryAfter?)
    /// The response with which the operation rejects inside a success.
    case businessFailure
    case custom(CustomResponse)
    case redirect(RedirectTarget, status: Int, retryAfter: RetryAfter?)
}

/// A response given in a fault's settings.
package struct CustomResponse: Sendable, Hashable {
    package var status: Int
    package var headers: [JournalEntry.Header]
    package var body: [UInt8]
    package var retryAfter: RetryAfter?
    /// Whether something between the bank and the client sends it, such as a captive portal: without the headers of the bank's dialect.
    package var isForeign = false
}

package enum RedirectTarget: Sendable, Hashable {
    /// To itself.
    case loop
    /// To the same operation under another address: the query gets ``mark``, which the bank ignores.
    case sameHost
    /// The same address by another of its names: `localhost` for 127.0.0.1, and the other way round.
    case otherHost
    /// From https to http.
    case downgrade
    case url(String)

    /// The query parameter of an address to which ``sameHost`` has redirected a client.
    package static let mark = "counterfoil-redirected=1"

    /// A query without ``mark`` at its end, and whether it had one.
    package static func unmarked(_ query: String) -> (query: String?, isMarked: Bool) {
        guard query.hasSuffix(mark) else { return (query, false) }
        let rest = query.dropLast(mark.count)
        if rest.isEmpty { return (nil, true) }
        return rest.hasSuffix("&") ? (String(rest.dropLast()), true) : (query, false)
    }
}

/// When a client may retry: seconds, sent as such or as a date (RFC 9110 §10.2.3).
package struct RetryAfter: Sendable, Hashable {
    package var seconds: Int
    package var asDate: Bool

    /// Reads `2` or `{http-date: 2}`.
    package init?(_ node: Node, _ complaints: Complaints) {
        if case .mapping = node.content {
            let fields = Fields(node, of: Self.dateSchema, complaints)
            let seconds = fields[Self.date]
            fields.finish()
            guard let seconds else { return nil }
            self.seconds = seconds
            asDate = true
        } else {
            guard let seconds = node.int(in: 0...Int.max, complaints) else { return nil }
            self.seconds = seconds
            asDate = false
        }
    }

    /// The header's value at an instant of the machine's clock: a client waits in real time.
    package func value(at now: Instant) -> String { asDate ? (now + .seconds(min(seconds, 1 << 31))).httpDate : String(seconds) }

    /// The key `retry_after` of the kinds that answer.
    static let field = Field("retry_after", format, "the header `Retry-After`")

    private static let format = Format(
        .anyOf([.integer(0...Int.max), .object(dateSchema)]), read: { RetryAfter($0, $1) }, write: { $0.json })

    private static let dateSchema = ObjectSchema("retry_after", "`Retry-After` as a date (RFC 9110 §10.2.3).", fields: [date])
    private static let date = Field(required: "http-date", .int(in: 0...Int.max), "the number of seconds from now")

    package var json: JSON { asDate ? ["http-date": .int(seconds)] : .int(seconds) }
}
