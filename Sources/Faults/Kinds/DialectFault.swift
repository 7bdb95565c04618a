package import BankModel

/// The dialect's own reply of a name from the closed list, though the session's state gives no reason for it. Nothing is
/// executed.
package struct DialectFault: ExchangeFault {
    package static let kind = "dialect"
    package static let about = "the dialect's own reply of that name"
    package static let example = #"{"name": "rate-limited", "retry_after": 1}"#
    package let point = FaultPoint.request

    package let name: DialectReplyName
    let retryAfter: RetryAfter?

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let name = fields.required("name")?.choice(of: DialectReplyName.self, complaints)
        retryAfter = fields["retry_after"].flatMap { RetryAfter($0, complaints) }
        guard let name else { return nil }
        self.name = name
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.answer(.dialect(name, retryAfter: retryAfter)) }

    package var settings: JSON {
        var object = JSONObject([("name", .string(name.rawValue))])
        object["retry_after"] = retryAfter?.json
        return .object(object)
    }
}
