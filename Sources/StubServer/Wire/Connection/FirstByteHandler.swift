import NIOCore

/// Detects by the first byte whether a client begins a TLS handshake, and sets the connection up for TLS or clear text.
///
/// A handshake begins with a record of type 22 (RFC 8446 §5.1); no method of HTTP begins with that byte.
final class FirstByteHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let handshake: UInt8 = 22

    /// Adds the handlers that follow this one.
    private let negotiate: (any Channel, _ isHandshake: Bool) throws -> Void
    private var isNegotiated = false

    init(_ negotiate: @escaping (any Channel, _ isHandshake: Bool) throws -> Void) { self.negotiate = negotiate }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        let isFirst = !isNegotiated
        if isFirst {
            guard let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return }
            isNegotiated = true
            do { try negotiate(context.channel, first == FirstByteHandler.handshake) } catch { return context.close(promise: nil) }
        }
        context.fireChannelRead(wrapInboundOut(bytes))
        if isFirst { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        // The client has sent nothing yet.
        case is CloseWhenIdle where !isNegotiated, is Silence where !isNegotiated: context.close(promise: nil)
        case ChannelEvent.inputClosed where !isNegotiated: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isNegotiated { context.fireErrorCaught(error) } else { context.close(promise: nil) }
    }
}
