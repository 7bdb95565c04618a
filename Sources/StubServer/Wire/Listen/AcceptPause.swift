import NIOCore
import Platform

/// Pauses a listener while the process may open no more files.
///
/// A client that connects meanwhile waits in the kernel's queue. Without the pause the listener would retry at once, for ever, and
/// occupy its event loop.
final class AcceptPause: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel

    /// The time between two attempts.
    static let time = TimeAmount.milliseconds(50)

    init() {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.scheduleTask(in: AcceptPause.time) { try channel.syncOptions?.setOption(.autoRead, value: true) }
    }
}
