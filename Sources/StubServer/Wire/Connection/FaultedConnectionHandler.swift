import BankEngine
import BankModel
import Faults
import NIOCore

/// Applies a rule at `connect` or `tls` to a connection, before any HTTP.
final class FaultedConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let faulted: FaultedConnection
    private let session: BankSession
    private let drain: TimeAmount
    /// Sets the connection up as without the rule.
    private let next: (any Channel) throws -> Void
    private var isComplete = false
    private var hasBegun = false
    private var isShut = false
    /// Data read before the wait began, for the handlers that follow it.
    private var early: [NIOAny] = []

    /// - Parameters:
    ///   - drain: how long the connection is drained after its FIN.
    ///   - next: sets the connection up as without the rule.
    init(_ faulted: FaultedConnection, _ session: BankSession, drain: TimeAmount, next: @escaping (any Channel) throws -> Void) {
        self.faulted = faulted
        self.session = session
        self.drain = drain
        self.next = next
    }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { begin(context) } }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard !hasBegun else { return }
        hasBegun = true
        switch faulted.effect {
        case .close: shut(context)
        case .reset: reset(context)
        case .silence: whenReleased(context) { handler, context, _ in handler.shut(context) }
        case .wait(let wait):
            whenReleased(context) { handler, context, ending in
                if case .released = ending { handler.leave(context) } else { handler.shut(context) }
            }
            guard case .duration(let duration) = wait else { return }
            let held = faulted.held
            context.eventLoop.scheduleTask(in: .nanoseconds(duration.nanoseconds)) { held?.end(.released) }
        case .abortHandshake, .refuse, .bandwidth, .handshake: break
        }
    }

    /// Aborts a handshake at its first message, buffers data that comes before a wait, and discards any other.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch faulted.effect {
        case .abortHandshake: if !isShut { shut(context) }
        case .wait: early.append(data)
        default: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            if !isShut { complete(.clientGone) }
            context.close(promise: nil)
        // The idle timeout does not apply: a rule ends its own wait, and the drain time ends a connection after FIN.
        case is Silence: break
        case is CloseWhenIdle: if !isShut { shut(context) }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        complete(.clientGone)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: ends

    private func whenReleased(
        _ context: ChannelHandlerContext, _ act: @escaping (FaultedConnectionHandler, ChannelHandlerContext, HeldExchanges.Ending) -> Void
    ) {
        let bound = NIOLoopBound((handler: self, context: context, act: act), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        faulted.held?.whenEnded { ending in
            loop.execute {
                guard !bound.value.handler.isComplete else { return }
                bound.value.act(bound.value.handler, bound.value.context, ending)
            }
        }
    }

    /// Sends FIN, then drains the input.
    private func shut(_ context: ChannelHandlerContext) {
        isShut = true
        complete(.fin)
        let channel = context.channel
        context.close(mode: .output, promise: nil)
        // Unread bytes are drained: a close with unread bytes would be a reset.
        channel.setOption(.autoRead, value: true).whenComplete { _ in channel.read() }
        channel.eventLoop.scheduleTask(in: drain) { channel.close(promise: nil) }
    }

    private func reset(_ context: ChannelHandlerContext) {
        complete(.rst)
        context.eventLoop.assumeIsolated().scheduleTask(in: WireLimits.beforeReset) {
            context.abort()
            context.close(promise: nil)
        }
    }

    /// Continues the connection after a wait, as any other.
    private func leave(_ context: ChannelHandlerContext) {
        complete(.kept)
        let channel = context.channel
        do {
            try next(channel)
            for data in early { context.fireChannelRead(data) }
            if !early.isEmpty { context.fireChannelReadComplete() }
            early = []
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            channel.setOption(.autoRead, value: true).whenComplete { _ in channel.read() }
        } catch {
            context.close(promise: nil)
        }
    }

    private func complete(_ end: Receipt.End) {
        guard !isComplete else { return }
        isComplete = true
        faulted.held?.forget()
        session.complete(faulted, end)
    }
}
