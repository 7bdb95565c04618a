package import NIOCore
import Platform

/// Lets a listener wait where the process may open no more files, until some have been closed.
///
/// A client that connects meanwhile waits in the kernel's queue. Without this the listener asks again at once, for ever: a loop is busy
/// with nothing else.
package final class AcceptPause: ChannelInboundHandler, Sendable {
    package typealias InboundIn = any Channel

    /// Between two attempts.
    static let time = TimeAmount.milliseconds(50)

    package init() {}

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.scheduleTask(in: AcceptPause.time) { try channel.syncOptions?.setOption(.autoRead, value: true) }
    }
}
