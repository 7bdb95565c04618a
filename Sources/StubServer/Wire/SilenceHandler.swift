import NIOCore

/// Tells a connection that nothing was read for too long.
struct Silence: Sendable {}

/// Sees bytes come before they are a request, so that silence after them is known to be half a request.
///
/// One timer a connection, set anew only when it goes off: a read costs a look at the clock.
final class SilenceHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ConnectionHandler
    private let longest: TimeAmount
    private var lastRead = NIODeadline.now()
    private var timer: Scheduled<Void>?

    init(_ connection: ConnectionHandler, longest: TimeAmount) { (self.connection, self.longest) = (connection, longest) }

    func channelActive(context: ChannelHandlerContext) {
        lastRead = .now()
        schedule(at: lastRead + longest, context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastRead = .now()
        connection.isMidRequest = true
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    private func schedule(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: deadline) { bound.value.handler.look(bound.value.context) }
    }

    private func look(_ context: ChannelHandlerContext) {
        let due = lastRead + longest
        if due <= .now() {
            context.fireUserInboundEventTriggered(Silence())
            schedule(at: .now() + longest, context)
        } else {
            schedule(at: due, context)
        }
    }
}
