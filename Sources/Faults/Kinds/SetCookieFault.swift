package import BankModel

/// The right response, and a cookie beside it (RFC 6265 §4.1).
package struct SetCookieFault: ExchangeFault {
    package static let kind = "set-cookie"
    package static let about = "sends the correct response with a header `Set-Cookie`"
    package static let effects: Set<FaultEffect> = [.wholeResponse]
    package static let example = #"{"name": "session", "value": "n3k7", "attributes": "Path=/; HttpOnly"}"#
    package static let fields: [any AnyField] = [name, value, attributes]
    package let point = FaultPoint.head

    private static let name = Field("name", .text("a cookie's name"), default: "session", "the cookie's name")
    private static let value = Field("value", .text("a cookie's value"), default: "n3k7", "the cookie's value")
    private static let attributes = Field(
        "attributes", .text("attributes such as Path=/; HttpOnly"),
        "the text after the value and a semicolon; it need not be a valid attribute")

    let cookieName: String
    let cookieValue: String
    let cookieAttributes: String?

    package init?(_ fields: Fields, _ complaints: Complaints) {
        cookieName = fields[Self.name] ?? "session"
        cookieValue = fields[Self.value] ?? "n3k7"
        cookieAttributes = fields[Self.attributes]
        let position = (fields.node(of: Self.value) ?? fields.node(of: Self.attributes) ?? fields.node).position
        let isName =
            JournalEntry.Header(checking: cookieName, "", at: fields.node(of: Self.name)?.position ?? position, Complaints()) != nil
        guard isName else {
            complaints.add(
                found: "the cookie's name `\(cookieName)`", expected: "a token (RFC 9110 §5.6.2), such as session",
                at: fields.node(of: Self.name)?.position ?? position)
            return nil
        }
        guard JournalEntry.Header(checking: "Set-Cookie", line, at: position, complaints) != nil else { return nil }
    }

    /// The header's value.
    private var line: String { "\(cookieName)=\(cookieValue)" + (cookieAttributes.map { "; " + $0 } ?? "") }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) {
        outgoing.headers.append(JournalEntry.Header("Set-Cookie", line))
    }

    package var settings: JSON {
        var object = JSONObject([Self.name.member(cookieName), Self.value.member(cookieValue)])
        object.set(Self.attributes, cookieAttributes)
        return .object(object)
    }
}
