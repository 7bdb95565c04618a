import BankModel
import Faults
import NIOCore

/// The destination of a reply: a connection of HTTP/1.1, or a stream of HTTP/2. It writes pieces and knows no faults.
protocol ReplySink: AnyObject {
    var loop: any EventLoop { get }

    /// Whether the connection ends after this exchange in any case.
    var isLast: Bool { get }

    /// Whether a small reply is better written at once.
    var writesWhole: Bool { get }

    /// Ends the connection with this exchange, and says so to the client.
    func endWithExchange()

    /// Writes a piece of a reply.
    ///
    /// - Returns: how many bytes were put into its buffers; of a head of HTTP/2, which is compressed, those of the fields' names
    ///   and values.
    func write(_ piece: ReplyPiece, promise: EventLoopPromise<Void>) -> WrittenBytes

    /// Sends everything that was written.
    func flush()

    /// Ends the exchange; the connection stays for the next one.
    ///
    /// - Returns: whether it did stay.
    func keep() -> ReplyEnd

    /// Ends the exchange on the wire, and with it the connection or stream.
    ///
    /// - Returns: how it ended.
    func end(_ ending: ReplyEnding) -> EventLoopFuture<ReplyEnd>
}

/// A piece of a reply, written at once.
enum ReplyPiece {
    /// The status line and headers; `endsReply` if no body follows.
    case head(OutgoingHead, endsReply: Bool)
    /// The head and all of the body.
    case whole(OutgoingHead, body: [UInt8])
    /// The status line and half of the first header's name. Nothing on HTTP/2, where the fault that asks for it is not applied.
    case halfHead(OutgoingHead)
    /// Bytes of the body.
    case body(ByteBuffer, endsReply: Bool)
    /// Bytes that are no part of a reply. Nothing on HTTP/2.
    case raw(ByteBuffer)
    /// An interim reply, which counts as bytes that are no part of a reply.
    case interim(Int, [JournalEntry.Header])
    /// A reply that counts as bytes that are no part of one. Nothing on HTTP/2.
    case again(OutgoingHead, body: [UInt8])
}

/// A status line and headers that are to be sent.
struct OutgoingHead {
    var status: Int
    var headers: [JournalEntry.Header]
    /// The value of `Content-Length`; nil if the body is chunked.
    var length: Int?
    var date: String
    var requestIDName: String?
    var requestID: String
    /// Says `Connection: close`.
    var closes: Bool
}

/// How an exchange has ended on the wire.
struct ReplyEnd: Sendable, Equatable {
    let end: Receipt.End
    /// Bytes that the kernel's send queue still held.
    let unsent: Int
    /// Bytes that had not reached the kernel; nil if that is not known.
    let unwritten: Int?

    init(_ end: Receipt.End, unsent: Int = 0, unwritten: Int? = nil) {
        self.end = end
        self.unsent = unsent
        self.unwritten = unwritten
    }
}

/// How an exchange is to end on the wire.
enum ReplyEnding: Sendable, Equatable {
    case close
    /// Behind a whole reply whose request may not have ended.
    case endRequest
    case reset
    case resetStream(HTTP2Code)
    case goaway(HTTP2Code, last: WireStep.LastStream, staysOpen: Bool)
    /// The client has gone away: nothing more is sent.
    case gone
}
