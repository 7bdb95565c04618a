#if HTTP2
import NIOCore

/// Detects, between the socket and NIO's HTTP/2, whether NIO has ended the connection for an error (RFC 9113 §5.4.1).
///
/// NIO fires the same errors for a stream that it has reset and for a connection that it ends with GOAWAY.
final class GoAwayObserver: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A GOAWAY with an error has gone out.
    private(set) var hasReportedError = false

    /// The head of a GOAWAY frame of 8 bytes: no flags, stream 0 (RFC 9113 §6.8).
    private static let head: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0]
    /// The offset of the error code: behind the head and the last stream's id of 4 bytes.
    private static let codeOffset = 13

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // NIO writes each frame by itself, so a buffer begins with a frame, or is the data of one.
        let frame = unwrapOutboundIn(data)
        if frame.readableBytes == GoAwayObserver.codeOffset + 4,
            frame.getBytes(at: frame.readerIndex, length: GoAwayObserver.head.count) == GoAwayObserver.head,
            frame.getInteger(at: frame.readerIndex + GoAwayObserver.codeOffset, as: UInt32.self) != 0
        {
            hasReportedError = true
        }
        context.write(data, promise: promise)
    }
}
#endif
