package import BankModel

/// A header of the response stands twice, as after two proxies that each add it (RFC 9110 §5.3).
package struct RepeatedHeaderFault: ExchangeFault {
    package static let kind = "repeated-header"
    package static let about = "a header of the response stands twice"
    package static let effects: Set<FaultEffect> = [.wholeResponse]
    package static let example = #"{"name": "Content-Type"}"#
    package static let fields: [any AnyField] = [name]
    package let point = FaultPoint.head

    private static let name = Field(required: "name", .text("the name of a header such as Content-Type"), "the header that stands twice")

    let name: String

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let text = fields[Self.name], let node = fields.node(of: Self.name),
            JournalEntry.Header(checking: text, "", at: node.place, complaints) != nil
        else { return nil }
        name = text
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) {
        sending.headers += sending.headers.filter { $0.name.lowercased() == name.lowercased() }
    }

    package var settings: JSON { .object(JSONObject([Self.name.member(name)])) }
}
