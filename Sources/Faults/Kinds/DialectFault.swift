package import BankModel

/// The dialect's own response of a name from the closed list, though the session's state gives no reason for it. Nothing is
/// executed.
package struct DialectFault: ExchangeFault {
    package static let kind = "dialect"
    package static let about = "sends the dialect's response of this name"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"name": "rate-limited", "retry_after": 1}"#
    package static let fields: [any AnyField] = [name, RetryAfter.field]
    package let point = FaultPoint.request

    private static let name = Field(required: "name", .choice(of: DialectResponseName.self), "one of the responses that every dialect has")

    package let name: DialectResponseName
    let retryAfter: RetryAfter?

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let name = fields[Self.name]
        retryAfter = fields[RetryAfter.field]
        guard let name else { return nil }
        self.name = name
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) {
        outgoing.answer(.dialect(name, retryAfter: retryAfter))
    }

    package var settings: JSON {
        var object = JSONObject([Self.name.member(name)])
        object.set(RetryAfter.field, retryAfter)
        return .object(object)
    }
}
