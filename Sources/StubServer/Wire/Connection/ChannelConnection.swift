import BankEngine
import BankModel
import NIOCore

/// A connection, as its sessions see it.
struct ChannelConnection: SessionConnection {
    let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    var id: ObjectIdentifier { ObjectIdentifier(channel) }

    func closeNow() { channel.closeNow() }

    func closeWhenIdle(drains: Bool) { channel.pipeline.fireUserInboundEventTriggered(CloseWhenIdle(drains: drains)) }

    func whenClosed(_ body: @escaping @Sendable () -> Void) { channel.closeFuture.whenComplete { _ in body() } }
}

/// Asks a connection to end once it carries no exchange.
package struct CloseWhenIdle: Sendable {
    /// Whether an idle connection is read for a while after its FIN; a busy one always is.
    var drains = true
}

/// The timer of an event loop.
struct LoopTimer: SessionTimer {
    let loop: any EventLoop

    func schedule(after wait: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let call = loop.scheduleTask(in: .nanoseconds(wait.nanoseconds), body)
        return { call.cancel() }
    }
}
