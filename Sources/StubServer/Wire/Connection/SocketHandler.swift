import BankEngine
import Faults
import NIOCore
import Platform

/// Tells a connection that nothing was read for too long.
struct Silence: Sendable {}

/// Tells a connection that a head has taken too long, however its bytes came.
struct SlowHead: Sendable {}

/// Tells a connection to end at once, whatever it carries.
struct CloseNow: Sendable {}

/// A connection's end at the socket, below TLS: sees bytes come, knows what the send queue holds, and can reset.
///
/// One timer a connection, set anew only when it goes off: a read costs a look at the clock.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let longest: TimeAmount
    private let headTime: TimeAmount?
    let drain: TimeAmount
    private var lastRead = NIODeadline.now()
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Whether a request's head has begun and not ended; true until it is known what is spoken.
    var awaitsHead: () -> Bool = { true }
    /// Runs while a head, or what comes before the first one, has begun and not ended.
    private var headTimer: Scheduled<Void>?

    /// - Parameters:
    ///   - longest: how long nothing may be read.
    ///   - head: how long a head may take in all; nil: as long as it likes.
    ///   - drain: how long the peer has to take what comes before an end.
    init(longest: TimeAmount, head: TimeAmount?, drain: TimeAmount) {
        self.longest = longest
        headTime = head
        self.drain = drain
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        headTimer?.cancel()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastRead = .now()
        context.fireChannelRead(data)
        if awaitsHead() {
            if headTimer == nil, let headTime { scheduleHead(in: headTime, context) }
        } else if let headTimer {
            headTimer.cancel()
            self.headTimer = nil
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        headTimer?.cancel()
        context.fireChannelInactive()
    }

    // MARK: silence

    private func begin(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        lastRead = .now()
        schedule(at: lastRead + longest, context)
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

    private func scheduleHead(in headTime: TimeAmount, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        headTimer = context.eventLoop.scheduleTask(in: headTime) {
            let (handler, context) = bound.value
            handler.headTimer = nil
            if handler.awaitsHead() { context.fireUserInboundEventTriggered(SlowHead()) }
        }
    }

    // MARK: the end

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is CloseNow { context.close(promise: nil) } else { context.fireUserInboundEventTriggered(event) }
    }

    /// Closes from here: TLS does not say goodbye, and does not wait for the client's.
    func close() { context?.close(promise: nil) }

    /// Closes as soon as the peer has taken everything, its FIN too, or after the time for draining.
    ///
    /// - Parameter loop: the connection's.
    func closeWhenTaken(on loop: any EventLoop) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        taken(on: loop).whenComplete { _ in bound.value.close() }
    }

    /// RST: the connection is gone once the peer has taken everything that was written, or after the time for draining.
    ///
    /// The kernel throws away what it has not yet sent when a connection is reset: without waiting, a reset behind a
    /// megabyte had delivered an eighth of it.
    ///
    /// - Parameter loop: the connection's.
    /// - Returns: how many bytes the send queue still held, and how many were not even given to the kernel.
    func reset(on loop: any EventLoop) -> EventLoopFuture<(unsent: Int, unwritten: Int)> {
        guard let context else { return loop.makeSucceededFuture((0, 0)) }
        let bound = NIOLoopBound(context, eventLoop: loop)
        let handler = NIOLoopBound(self, eventLoop: loop)
        return taken(on: loop).flatMap { unsent in
            let socket = bound.value.channel as? any SocketOptionProvider
            let isSet = socket?.setSoLinger(StreamSocket.lingerOfReset) ?? loop.makeSucceededVoidFuture()
            return isSet.recover { _ in }.map {
                // From here, not from the pipeline's end: TLS would say goodbye first.
                let unwritten = try? bound.value.channel.syncOptions?.getOption(.bufferedWritableBytes)
                if unsent > 0 {
                    // The unsent bytes are counted: a client that begins to read now must get no more of them.
                    handler.value.close()
                } else {
                    // It is written down first: whoever has seen it can read of it.
                    loop.execute { handler.value.close() }
                }
                return (unsent, unwritten ?? 0)
            }
        }
    }

    /// Done when the peer has taken everything that was written, or after the time for draining.
    ///
    /// - Returns: how many bytes the send queue still holds.
    func taken(on loop: any EventLoop) -> EventLoopFuture<Int> {
        guard let context else { return loop.makeSucceededFuture(0) }
        let done = loop.makePromise(of: Int.self)
        wait(context, deadline: .now() + drain, done)
        return done.futureResult
    }

    private func wait(_ context: ChannelHandlerContext, deadline: NIODeadline, _ done: EventLoopPromise<Int>) {
        let unsent = context.channel.isActive ? SocketHandler.unsent(context) : 0
        guard unsent > 0, .now() < deadline else { return done.succeed(unsent) }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(1)) {
            bound.value.handler.wait(bound.value.context, deadline: deadline, done)
        }
    }

    /// What the kernel has not yet sent, or sent and not yet seen confirmed.
    private static func unsent(_ context: ChannelHandlerContext) -> Int {
        let count = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            StreamSocket(descriptor: socket).unsentBytes
        }
        return count ?? 0
    }
}
