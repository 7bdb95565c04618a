package import NIOCore
import Platform

/// The connections that are open now, so that a server can end with none left.
package final class ConnectionSet: Sendable {
    private let channels = Locked<[ObjectIdentifier: any Channel]>([:])

    package init() {}

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { [weak self] _ in self?.channels.withLock { $0[id] = nil } }
    }

    var count: Int { channels.withLock { $0.count } }

    var all: [any Channel] { channels.withLock { Array($0.values) } }

    /// Closes all of them, whatever they carry.
    func closeAll() {
        for channel in all { channel.closeNow() }
    }

    /// Ends each connection once it carries no exchange; those that still do after `grace` are closed.
    package func drain(grace: TimeAmount) async {
        let open = all
        for channel in open {
            channel.pipeline.fireUserInboundEventTriggered(CloseWhenIdle())
            let deadline = channel.eventLoop.scheduleTask(in: grace) { channel.closeNow() }
            channel.closeFuture.whenComplete { _ in deadline.cancel() }
        }
        for channel in open { _ = try? await channel.closeFuture.get() }
    }
}

extension Channel {
    /// Closes the channel at the socket: TLS does not wait for the client's `close_notify`.
    func closeNow() {
        pipeline.fireUserInboundEventTriggered(CloseNow())
        close(promise: nil)
    }
}
