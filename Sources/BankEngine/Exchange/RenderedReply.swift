package import BankModel

/// Encodes a plain reply's head for the wire, whose format the engine does not know.
///
/// A receipt counts exactly these bytes, and the wire writes no others.
package protocol ReplyRenderer: Sendable {
    /// The part of the head that is the same for every request: the status line and the headers.
    ///
    /// - Parameter bodyBytes: the length of the body that the head announces.
    func beginning(status: Int, headers: [JournalEntry.Header], bodyBytes: Int) -> [UInt8]

    /// The rest of the head, up to the empty line.
    func rest(_ tail: ReplyTail) -> [UInt8]
}

/// The headers that differ from reply to reply.
package struct ReplyTail: Sendable {
    /// The header `Date`.
    package let date: String
    /// The dialect's header for a request's id; nil if it has none.
    package let requestIDName: String?
    package let requestID: String
    /// The header `Access-Control-Allow-Origin`; nil if CORS is off.
    package let allowedOrigin: String?
}

/// A whole reply as bytes, in three pieces that are written in order.
package struct RenderedReply: Sendable {
    /// Status line and headers.
    package let beginning: [UInt8]
    /// The rest of the head.
    package let tail: [UInt8]
    package let body: [UInt8]

    /// Bodies up to this size are sent together with their head.
    package static let largestBody = 4096

    init(beginning: [UInt8], _ tail: ReplyTail, body: [UInt8], by renderer: any ReplyRenderer) {
        self.beginning = beginning
        self.tail = renderer.rest(tail)
        self.body = body
    }

    /// The number of bytes written.
    package var count: Int { beginning.count + tail.count + body.count }

    /// The receipt of a reply that was sent whole on a connection that stays open.
    var receipt: Receipt { Receipt(headBytes: beginning.count + tail.count, bodyBytes: body.count, end: .kept) }
}
