import BankEngine
import Faults
import NIOCore
import Platform

/// The event that nothing was read for the idle timeout.
struct Silence: Sendable {}

/// The event that a head has exceeded its time limit, even if bytes kept arriving.
struct SlowHead: Sendable {}

/// The event that a connection must close at once, whatever it carries.
struct CloseNow: Sendable {}

/// The handler next to the socket, below TLS: it times reads, measures the send queue, and can reset.
///
/// Each connection has one timer, scheduled again only when it fires: a read costs one look at the clock.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let longest: TimeAmount
    private let headTime: TimeAmount?
    let drain: TimeAmount
    private var lastRead = NIODeadline.now()
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Whether a request's head has begun and not ended; true until the protocol is known.
    var awaitsHead: () -> Bool = { true }
    /// Runs while a head, or a handshake or preface before the first one, is incomplete.
    private var headTimer: Scheduled<Void>?

    /// - Parameters:
    ///   - longest: the idle timeout.
    ///   - head: the time limit for a whole head; nil for none.
    ///   - drain: how long the peer has to acknowledge the bytes before an end.
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

    /// Closes at the socket: TLS neither sends `close_notify` nor waits for the client's.
    func close() { context?.close(promise: nil) }

    /// Closes as soon as the peer has acknowledged everything, FIN included, or after the drain time.
    ///
    /// - Parameter loop: the connection's.
    func closeWhenTaken(on loop: any EventLoop) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        taken(on: loop).whenComplete { _ in bound.value.close() }
    }

    /// Sends RST once the peer has acknowledged everything that was written, or after the drain time.
    ///
    /// The kernel discards unsent bytes when a connection is reset: without the wait, a reset behind a megabyte had delivered an
    /// eighth of it.
    ///
    /// - Parameter loop: the connection's.
    /// - Returns: how many bytes the send queue still held, and how many had not reached the kernel.
    func reset(on loop: any EventLoop) -> EventLoopFuture<(unsent: Int, unwritten: Int)> {
        guard let context else { return loop.makeSucceededFuture((0, 0)) }
        let bound = NIOLoopBound(context, eventLoop: loop)
        let handler = NIOLoopBound(self, eventLoop: loop)
        return taken(on: loop).flatMap { unsent in
            let socket = bound.value.channel as? any SocketOptionProvider
            let isSet = socket?.setSoLinger(StreamSocket.lingerOfReset) ?? loop.makeSucceededVoidFuture()
            return isSet.recover { _ in }.map {
                // The close is at the socket, not at the pipeline's end: TLS would send `close_notify` first.
                let unwritten = try? bound.value.channel.syncOptions?.getOption(.bufferedWritableBytes)
                if unsent > 0 {
                    // The unsent bytes are counted: a client that begins to read now must get no more of them.
                    handler.value.close()
                } else {
                    // The receipt is recorded first: a client that has seen the RST finds it in the journal.
                    loop.execute { handler.value.close() }
                }
                return (unsent, unwritten ?? 0)
            }
        }
    }

    /// Completes when a write has reached the kernel or failed, or after the drain time.
    func sent(_ write: EventLoopFuture<Void>) -> EventLoopFuture<Void> {
        let sent = write.eventLoop.makePromise(of: Void.self)
        let limit = write.eventLoop.scheduleTask(in: drain) { sent.succeed() }
        write.whenComplete { _ in
            limit.cancel()
            sent.succeed()
        }
        return sent.futureResult
    }

    /// Completes when the peer has acknowledged everything that was written, or after the drain time.
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

    /// The bytes that the kernel has not yet sent, or that are not yet acknowledged.
    private static func unsent(_ context: ChannelHandlerContext) -> Int {
        let count = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            StreamSocket(descriptor: socket).unsentBytes
        }
        return count ?? 0
    }
}
