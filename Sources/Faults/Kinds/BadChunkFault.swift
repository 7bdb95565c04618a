package import BankModel

/// A chunked body that is broken (RFC 9112 §7.1): it stops midway, or a chunk's size is not a number.
package struct BadChunkFault: ExchangeFault {
    package static let kind = "bad-chunk"
    package static let about = "sends a chunk that ends midway, or with `size` a malformed chunk size"
    package static let effects: Set<FaultEffect> = [.cutsResponse, .changesContent]
    package static let example = #"{"how": "cut"}"#
    package static let carriers: Set<WireProtocol> = [.h1, .h1s]
    package static let fields: [any AnyField] = [how]
    package let point = FaultPoint.body

    private static let how = Field(required: "how", .choice(of: Way.self), "`cut`: FIN in the middle of a chunk; `size`: a malformed size")

    /// The malformed part.
    package enum Way: String, Sendable, CaseIterable {
        /// FIN in the middle of a chunk.
        case cut
        /// A malformed size.
        case size
    }

    let way: Way

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let way = fields[Self.how] else { return nil }
        self.way = way
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        let count = try outgoing.bodyCount()
        outgoing.framing = .chunked
        switch way {
        case .cut:
            outgoing.replaceBody([.raw(Array("\(String(count, radix: 16))\r\n".utf8)), .part(0..<(count / 2)), .close])
        case .size: outgoing.replaceBody([.raw(Array("zz\r\n".utf8)), .part(0..<count), .close])
        }
    }

    package var settings: JSON { .object(JSONObject([Self.how.member(way)])) }
}
