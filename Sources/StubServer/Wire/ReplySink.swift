import BankModel
import Faults
import NIOCore

/// Where a reply goes: a connection of HTTP/1.1, or a stream of HTTP/2. It writes what it is told and knows no fault.
protocol ReplySink: AnyObject {
    var loop: any EventLoop { get }

    /// True if the connection ends after this exchange whatever happens.
    var isLast: Bool { get }

    /// Has the connection end with this exchange, and the client told so.
    func endWithExchange()

    /// Writes the status line and headers.
    ///
    /// - Parameter endsReply: no body follows.
    /// - Returns: how many bytes that are; on HTTP/2, where they are compressed, those of the fields' names and values.
    func writeHead(_ head: OutgoingHead, endsReply: Bool, promise: EventLoopPromise<Void>) -> Int

    /// Whether a small reply is better written at once.
    var writesWhole: Bool { get }

    /// Writes a whole reply.
    ///
    /// - Returns: how many bytes the head is.
    func writeWhole(_ head: OutgoingHead, body: [UInt8], promise: EventLoopPromise<Void>) -> Int

    /// Writes the status line and half of the first header's name.
    func writeHalfHead(_ head: OutgoingHead, promise: EventLoopPromise<Void>) -> Int

    /// Writes bytes of the body.
    func writeBody(_ bytes: ByteBuffer, endsReply: Bool, promise: EventLoopPromise<Void>)

    /// Writes bytes that are no part of a reply.
    ///
    /// - Returns: how many.
    func writeRaw(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>) -> Int

    /// Lets everything leave that was written.
    func flush()

    /// The exchange is over, and the connection stays for the next one.
    ///
    /// - Returns: whether it did stay.
    func keep() -> ReplyEnd

    /// Ends the exchange on the wire, and with it the connection or stream.
    ///
    /// - Returns: how it ended.
    func end(_ ending: ReplyEnding) -> EventLoopFuture<ReplyEnd>
}

/// A status line and headers that are to be sent.
struct OutgoingHead {
    var status: Int
    var headers: [JournalEntry.Header]
    /// What `Content-Length` says; nil: the body is chunked.
    var length: Int?
    var date: String
    var requestIDName: String?
    var requestID: String
    /// Says `Connection: close`.
    var closes: Bool
}

/// How an exchange has ended on the wire.
struct ReplyEnd: Sendable {
    let end: Receipt.End
    /// Bytes that the kernel's send queue still held.
    var unsent = 0
    /// Bytes that were not even given to the kernel; nil where that is not known.
    var unwritten: Int?

    init(_ end: Receipt.End, unsent: Int = 0, unwritten: Int? = nil) { (self.end, self.unsent, self.unwritten) = (end, unsent, unwritten) }
}

/// How an exchange is to end on the wire.
enum ReplyEnding: Sendable {
    case close
    case reset
    case resetStream(HTTP2Code)
    case goaway(HTTP2Code, last: WireStep.LastStream, staysOpen: Bool)
    /// The client has gone away: nothing more is sent.
    case gone
}
