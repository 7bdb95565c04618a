import NIOCore
import Platform

/// Pauses a listener while its port has as many connections as it may have, or the process may open no more files.
///
/// A client that connects meanwhile waits in the kernel's queue. Without the pause a listener that can open no file would retry at once,
/// forever, and occupy its event loop.
final class AcceptPause: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    /// The time between two attempts.
    static let time = TimeAmount.milliseconds(50)

    /// The maximum number of connections of the port. The last round of accepting may exceed it by a few.
    private let limit: Int
    /// The connections of the port, which gets every accepted one.
    private let connections: ConnectionSet

    init(limit: Int, of connections: ConnectionSet) {
        self.limit = limit
        self.connections = connections
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connections.add(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if connections.count >= limit { pause(context.channel) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        pause(context.channel)
    }

    private func pause(_ listener: any Channel) {
        guard (try? listener.syncOptions?.getOption(.autoRead)) == true else { return }
        try? listener.syncOptions?.setOption(.autoRead, value: false)
        goOnLater(listener)
    }

    private func goOnLater(_ listener: any Channel) {
        listener.eventLoop.scheduleTask(in: AcceptPause.time) {
            guard listener.isActive else { return }
            guard self.connections.count < self.limit else { return self.goOnLater(listener) }
            try listener.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}
