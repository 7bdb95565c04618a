package import BankModel

/// A whole body in one chunk, and trailer fields after it (RFC 9112 §7.1.2). The connection stays open.
package struct TrailersFault: ExchangeFault {
    package static let kind = "trailers"
    package static let about = "sends the whole body in chunks, followed by trailer lines"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .addsTrailers]
    package static let example = #"{"lines": {"Content-Type": "text/html"}}"#
    package static let carriers: Set<WireProtocol> = [.h1, .h1s]
    package static let fields: [any AnyField] = [lines]
    package let point = FaultPoint.body

    private static let lines = Field(required: "lines", .headerLines, "the trailer lines by name, in order")

    private let trailers: [JournalEntry.Header]

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let trailers = fields[Self.lines] else { return nil }
        self.trailers = trailers
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        let count = try outgoing.bodyCount()
        let lines = trailers.map { "\($0.name): \($0.value)\r\n" }.joined()
        outgoing.framing = .chunked
        outgoing.replaceBody([
            .raw(Array("\(String(count, radix: 16))\r\n".utf8)), .part(0..<count), .raw(Array("\r\n0\r\n\(lines)\r\n".utf8)),
        ])
    }

    package var settings: JSON { .object(JSONObject([Self.lines.member(trailers)])) }
}
