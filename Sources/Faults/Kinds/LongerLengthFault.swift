package import BankModel

/// The whole body comes, but its Content-Length is larger; then FIN.
package struct LongerLengthFault: ExchangeFault {
    package static let kind = "longer-length"
    package static let about = "sends the whole body with a Content-Length that is too large"
    package static let effects: Set<FaultEffect> = [.cutsResponse, .changesContent]
    package static let example = #"{"by": 100}"#
    package static let fields: [any AnyField] = [by]
    package let point = FaultPoint.body

    private static let by = Field("by", .int(in: 1...(1 << 40)), default: 100, "the number of bytes by which Content-Length is too large")

    let bytes: Int

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let bytes = fields[Self.by] else { return nil }
        self.bytes = bytes
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        let count = try outgoing.bodyCount()
        outgoing.framing = .length(count + bytes)
        outgoing.replaceBody([.part(0..<count), .close])
    }

    package var settings: JSON { .object(JSONObject([Self.by.member(bytes)])) }
}
