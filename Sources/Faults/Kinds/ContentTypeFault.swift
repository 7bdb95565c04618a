package import BankModel

/// The right body under a wrong name, such as JSON as `text/html`.
package struct ContentTypeFault: ExchangeFault {
    package static let kind = "content-type"
    package static let about = "the right body with a wrong media type"
    package static let example = #"{"value": "text/html"}"#
    package let point = FaultPoint.head

    let value: String

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let node = fields.required("value"), let text = node.text(complaints, expected: "a media type such as text/html"),
            JournalEntry.Header(checking: "Content-Type", text, at: node.place, complaints) != nil
        else { return nil }
        value = text
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.setHeader("Content-Type", value) }

    package var settings: JSON { ["value": .string(value)] }
}
