import BankEngine
import BankModel
import Faults
import NIOCore
import Platform

/// The event that nothing was read for the idle timeout.
struct Silence: Sendable {}

/// The part of a request that has begun and not ended, with the request's number on its connection.
enum IncompletePart: Hashable, Sendable {
    /// A head, or a handshake or preface before the first one.
    case head(Int)
    /// A body with its framing.
    case body(Int)
}

/// The event that a part of a request has exceeded its time limit, even if bytes kept arriving.
struct SlowPart: Sendable { let part: IncompletePart }

/// The total time for each part of a request; nil for no limit.
struct PartTimes: Sendable {
    let head: TimeAmount?
    let body: TimeAmount?

    static let unlimited = PartTimes(head: nil, body: nil)

    func limit(of part: IncompletePart) -> TimeAmount? {
        switch part {
        case .head: head
        case .body: body
        }
    }
}

extension ServerConfiguration {
    /// The time limits for the parts of requests.
    var partTimes: PartTimes {
        PartTimes(head: .nanoseconds(headTimeout.nanoseconds), body: .nanoseconds(bodyTimeout.nanoseconds))
    }
}

/// The event that a connection must close at once, whatever it carries.
struct CloseNow: Sendable {}

/// The handler next to the socket, below TLS: it times reads, measures the send queue, and can reset.
///
/// The timer of silence is scheduled again only when it expires: a read only reads the clock.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The bytes of TLS's own last record (`close_notify`), which belongs to no response.
    private static let farewellBytes = 32

    private let isSecure: Bool
    private let longest: TimeAmount
    let times: PartTimes
    let drain: TimeAmount
    private var lastRead = NIODeadline.now()
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// The responses that the client may not have acknowledged.
    private var sent = SentLog()
    /// The bytes that were not acknowledged when the kernel was last asked. Once the socket is closed it no longer reports them.
    private var unacknowledged = 0
    private var isReset = false
    /// Whether this side closed the socket without waiting for the client.
    private var isClosedHere = false
    /// The part for which the connection waits; nil for none. A head until the protocol is known.
    var incomplete: () -> IncompletePart? = { .head(0) }
    /// The part that is being timed.
    private var timed: (part: IncompletePart, timer: Scheduled<Void>)?

    /// - Parameters:
    ///   - longest: the idle timeout.
    ///   - times: the time limits for parts of requests.
    ///   - drain: how long the peer has to acknowledge the bytes before an end.
    ///   - isSecure: whether TLS is above it.
    init(longest: TimeAmount, times: PartTimes, drain: TimeAmount, isSecure: Bool = false) {
        self.isSecure = isSecure
        self.longest = longest
        self.times = times
        self.drain = drain
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timed?.timer.cancel()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastRead = .now()
        if !sent.isEmpty { sent.keep(last: askUnacknowledged(context)) }
        context.fireChannelRead(data)
        time(incomplete(), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timed?.timer.cancel()
        context.fireChannelInactive()
        // The FIN of a client that ends in order acknowledges all before it.
        let lost = isReset || isClosedHere ? unacknowledged : 0
        sent.lose(isSecure ? max(0, lost - SocketHandler.farewellBytes) : lost, isReset: isReset)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        note(error)
        _ = askUnacknowledged(context)
        context.fireErrorCaught(error)
    }

    /// Notes whether a read or a write failed because the client has reset the connection.
    func note(_ error: any Error) {
        if let code = (error as? IOError)?.errnoCode, [ECONNRESET, EPIPE].contains(code) { isReset = true }
    }

    /// Records that the operating system has accepted a response of that many bytes.
    func didSend(_ bytes: Int, seq: Int, of session: BankSession) {
        guard let context, context.channel.isActive else {
            if isReset { session.amend([(seq, 0)], isReset: true) }
            return
        }
        sent.add(bytes, seq: seq, of: session)
        // A client that resets while a write waits ends the connection before the kernel can be asked.
        sent.keep(last: max(askUnacknowledged(context), 1))
    }

    // MARK: silence

    private func begin(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        lastRead = .now()
        schedule(at: lastRead + longest, context)
    }

    private func schedule(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.look(context) }
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

    // MARK: slow parts

    private func time(_ part: IncompletePart?, _ context: ChannelHandlerContext) {
        guard part != timed?.part else { return }
        timed?.timer.cancel()
        timed = nil
        guard let part, let limit = times.limit(of: part) else { return }
        let timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
            self.timed = nil
            if self.incomplete() == part { context.fireUserInboundEventTriggered(SlowPart(part: part)) }
        }
        timed = (part, timer)
    }

    // MARK: the end

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is CloseNow { close() } else { context.fireUserInboundEventTriggered(event) }
    }

    /// Closes at the socket: TLS neither sends `close_notify` nor waits for the client's.
    ///
    /// - Parameter resets: whether it sends RST.
    func close(resets: Bool = false) {
        guard let context else { return }
        isClosedHere = true
        _ = askUnacknowledged(context)
        if resets { context.abort() }
        context.close(promise: nil)
    }

    /// Closes as soon as the peer has acknowledged everything, FIN included, or after the drain time.
    ///
    /// - Parameter loop: the connection's.
    func closeWhenTaken(on loop: any EventLoop) {
        taken(on: loop).assumeIsolated().whenComplete { _ in self.close() }
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
        return taken(on: loop).assumeIsolated().map { unsent -> (unsent: Int, unwritten: Int) in
            // The close is at the socket, not at the pipeline's end: TLS would send `close_notify` first.
            let unwritten = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
            if unsent > 0 {
                // The unsent bytes are counted: a client that begins to read now must get no more of them.
                self.close(resets: true)
            } else {
                // The receipt is recorded first: a client that has seen the RST finds it in the journal.
                loop.assumeIsolated().execute { self.close(resets: true) }
            }
            return (unsent, unwritten ?? 0)
        }.nonisolated()
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
        let unsent = askUnacknowledged(context)
        guard unsent > 0, .now() < deadline else { return done.succeed(unsent) }
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { self.wait(context, deadline: deadline, done) }
    }

    /// Asks the kernel for the bytes that it has not yet sent, or that are not yet acknowledged; 0 once the socket is closed.
    private func askUnacknowledged(_ context: ChannelHandlerContext) -> Int {
        guard context.channel.isActive else { return 0 }
        unacknowledged = context.withSocket { $0.unsentBytes } ?? 0
        return unacknowledged
    }
}

extension ChannelHandlerContext {
    /// Sends RST and discards what was not sent; the caller closes the channel.
    func abort() { withSocket { $0.abort() } }

    /// Calls `body` with the channel's socket; nil if it has none, as in a test's channel.
    @discardableResult
    fileprivate func withSocket<Result>(_ body: (StreamSocket) -> Result) -> Result? {
        try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { body(StreamSocket(descriptor: $0)) }
    }
}
