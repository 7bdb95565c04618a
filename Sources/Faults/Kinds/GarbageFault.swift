package import BankModel

/// Bytes that are not HTTP in place of a response, then FIN.
package struct GarbageFault: ExchangeFault {
    package static let kind = "garbage"
    package static let about = "sends random bytes that are not HTTP, or the text `bytes`, then closes the connection (FIN)"
    package static let effects: Set<FaultEffect> = []
    package static let example = #"{"random": 64}"#
    package static let carriers: Set<WireProtocol> = [.h1, .h1s]
    package static let fields: [any AnyField] = [bytes, random]
    package static let rules: [KeyRule] = [.atMostOne([bytes.key, random.key])]
    package let point = FaultPoint.head

    private static let bytes = Field("bytes", .text(), "the bytes to send, as text")
    private static let random = Field(
        "random", .int(in: 1...(1 << 20)), "the number of random bytes; by default 64")

    /// The content that must not be sent.
    enum Content: Sendable {
        case bytes([UInt8])
        /// A number of random bytes, from the decision's own seed.
        case random(Int)
    }

    let content: Content

    package init?(_ fields: Fields, _ complaints: Complaints) {
        switch (fields[Self.bytes], fields[Self.random]) {
        case (let text?, nil): content = .bytes(Array(text.utf8))
        case (nil, let count?): content = .random(count)
        case (nil, nil): content = .random(64)
        default:
            complaints.add(found: "`bytes` and `random`", expected: "one of them", at: fields.node.position)
            return nil
        }
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) {
        var random = context.random
        let bytes: [UInt8] =
            switch content {
            case .bytes(let bytes): bytes
            // The first byte is above ASCII: whatever follows is not a status line.
            case .random(let count): (0..<count).map { UInt8(truncatingIfNeeded: random.next()) | ($0 == 0 ? 0x80 : 0) }
            }
        outgoing.replaceAll([.raw(bytes), .close])
    }

    package var settings: JSON {
        switch content {
        case .bytes(let bytes): .object(JSONObject([Self.bytes.member(String(decoding: bytes, as: UTF8.self))]))
        case .random(let count): .object(JSONObject([Self.random.member(count)]))
        }
    }
}
