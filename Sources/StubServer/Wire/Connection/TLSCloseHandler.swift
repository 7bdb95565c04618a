import NIOCore
import NIOTLS

/// Follows the TLS handler in the pipeline, and does two kinds of close at the socket that would crash in the TLS handler.
///
/// SwiftNIO SSL 2.37 starts a timer when it is asked to close, and ends the process (`preconditionFailure`) if that fires in a
/// state other than closing. Such a state returns when a connection is closed whole while its output is being closed (a write
/// that fails just then calls us), and when a client continues a handshake that we have given up.
final class TLSCloseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let socket: SocketHandler
    private var hasHandshaken = false
    private var isOutputClosed = false

    /// - Parameter socket: the handler below TLS.
    init(_ socket: SocketHandler) { self.socket = socket }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { hasHandshaken = true }
        context.fireUserInboundEventTriggered(event)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if hasHandshaken, !isOutputClosed {
            if case .output = mode { isOutputClosed = true }
            return context.close(mode: mode, promise: promise)
        }
        if case .all = mode {
            context.channel.closeFuture.cascade(to: promise)
            return socket.close()
        }
        context.close(mode: mode, promise: promise)
    }
}
