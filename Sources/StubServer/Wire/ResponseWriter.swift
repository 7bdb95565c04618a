import BankEngine
import BankModel
import Faults
import NIOCore

/// The destination of a response: a connection of HTTP/1.1, or a stream of HTTP/2. It writes steps and knows no faults.
protocol ResponseWriter: AnyObject {
    var loop: any EventLoop { get }

    /// Whether the connection ends after this exchange in any case.
    var isLast: Bool { get }

    /// Ends the connection with this exchange, and announces it to the client.
    func endWithExchange()

    /// Writes a step that has bytes: a head or half of one, a part of the body, raw bytes, an interim response, the response once more. HTTP/2
    /// has no half heads and no bytes outside of frames: it writes none.
    ///
    /// - Parameters:
    ///   - closes: whether a head announces the end of the connection.
    ///   - endsResponse: whether nothing of the response follows.
    ///   - promise: completes when the operating system has accepted the bytes.
    /// - Returns: how many bytes were put into its buffers; of a head of HTTP/2, which is compressed, those of the fields' names
    ///   and values.
    func write(_ step: WireStep, of plan: ResponsePlan, closes: Bool, endsResponse: Bool, promise: EventLoopPromise<Void>) -> SentBytes

    /// Sends everything that was written.
    func flush()

    func didFail(_ error: any Error)

    /// The operating system has accepted a session's whole response, of that many bytes.
    func didSend(_ bytes: Int, seq: Int, of session: BankSession)

    /// Ends the exchange; the connection stays for the next one.
    ///
    /// - Returns: whether it did stay.
    func keep() -> ResponseEnd

    /// Ends the exchange on the wire, and with it the connection or stream.
    ///
    /// - Returns: how it ended.
    func end(_ ending: ResponseEnding) -> EventLoopFuture<ResponseEnd>
}

/// How many bytes one write has put into its buffer.
struct SentBytes: Sendable, Equatable {
    var head = 0
    var body = 0
    /// Those that are not part of the response.
    var raw = 0
}

extension OutgoingResponse {
    /// The value of `Content-Length`; nil if the body is chunked.
    var announcedLength: Int? {
        switch framing {
        case .length(let length): length ?? body.count
        case .chunked: nil
        }
    }
}

/// How an exchange has ended on the wire.
struct ResponseEnd: Sendable, Equatable {
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
enum ResponseEnding: Sendable, Equatable {
    case close
    /// After a whole response whose request may not have ended.
    case endRequest
    case reset
    case resetStream(HTTP2Code)
    case goaway(HTTP2Code, last: WireStep.LastStream, staysOpen: Bool)
    /// The client has gone away: nothing more is sent.
    case gone
}
