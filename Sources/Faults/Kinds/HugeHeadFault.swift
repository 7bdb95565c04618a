package import BankModel

/// A header block of a given size, in one line or many.
package struct HugeHeadFault: ExchangeFault {
    package static let kind = "huge-head"
    package static let about = "sends a header block of this size"
    package static let effects: Set<FaultEffect> = []
    package static let example = #"{"bytes": 200000, "lines": 1}"#
    package static let fields: [any AnyField] = [bytes, lines]
    package let point = FaultPoint.head

    private static let bytes = Field(
        required: "bytes", .int(in: 64...(16 << 20)), "the size of the block, in bytes; on HTTP/2 at most 14,000")
    private static let lines = Field("lines", .int(in: 1...10_000), default: 1, "the number of header lines, each of at least 32 bytes")

    private static let mostInOneFrame = 14_000

    let bytes: Int
    let lines: Int

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let bytes = fields[Self.bytes]
        let lines = fields[Self.lines]
        guard let bytes, let lines else { return nil }
        guard bytes / lines >= 32 else {
            complaints.add(
                found: "\(lines) lines in \(bytes) bytes", expected: "at least 32 bytes a line", at: fields.node.position)
            return nil
        }
        self.bytes = bytes
        self.lines = lines
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        // SwiftNIO writes a head as one frame, and a frame is at most so long (RFC 9113 §4.2).
        guard context.wireProtocol != .h2 || bytes <= HugeHeadFault.mostInOneFrame else {
            throw NotApplied("found \(bytes) bytes, expected at most \(HugeHeadFault.mostInOneFrame) on HTTP/2")
        }
        for line in 1...lines {
            let name = "X-Filler-\(line)"
            let size = bytes / lines + (line <= bytes % lines ? 1 : 0)
            // Name, ": ", value and the line's end make up the size.
            outgoing.headers.append(JournalEntry.Header(name, String(repeating: "x", count: size - name.utf8.count - 4)))
        }
    }

    package var settings: JSON { .object(JSONObject([Self.bytes.member(bytes), Self.lines.member(lines)])) }
}
