package import BankModel

/// The right body under a wrong name, such as JSON as `text/html`.
package struct ContentTypeFault: ExchangeFault {
    package static let kind = "content-type"
    package static let about = "sends the right body with a wrong media type"
    package static let effects: Set<FaultEffect> = [.wholeResponse]
    package static let example = #"{"value": "text/html"}"#
    package static let fields: [any AnyField] = [value]
    package let point = FaultPoint.head

    private static let value = Field(required: "value", .text("a media type such as text/html"), "the header `Content-Type`")

    let value: String

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let text = fields[Self.value], let node = fields.node(of: Self.value),
            JournalEntry.Header(checking: "Content-Type", text, at: node.position, complaints) != nil
        else { return nil }
        value = text
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.setHeader("Content-Type", value) }

    package var settings: JSON { .object(JSONObject([Self.value.member(value)])) }
}
