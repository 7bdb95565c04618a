import NIOCore
import NIOTLS

/// Stands behind the TLS handler and keeps two kinds of closing from it, which it cannot do without harm: those are done at the
/// socket.
///
/// SwiftNIO SSL 2.37 starts a timer when it is asked to close, and ends the process (`preconditionFailure`) if that goes off in
/// a state that is no closing. Such a state comes back when a connection is closed whole from within the closing of its output
/// (a write that fails just then calls us), and when a client goes on with a handshake that we have given up.
final class TLSCloseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let socket: SocketHandler
    private var hasHandshaken = false
    private var isOutputClosed = false

    /// - Parameter socket: below TLS.
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
