import NIOCore
import NIOHTTP1

/// A part of a response that a real API sends.
enum ProviderPart: Sendable {
    case head(HTTPResponseHead)
    case bytes([UInt8])
    case end
    case failed(ProviderFailure)
}

/// One exchange with a real API on a new connection: the response is read only as fast as its parts are asked for.
final class ProviderExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var parts = CircularBuffer<ProviderPart>()
    private var waiting: EventLoopPromise<ProviderPart?>?
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Whether the end of the response, or a failure, was received.
    private var isOver = false

    /// The next part, once it is there; nil if it does not come within the time, and then later.
    func next(within limit: TimeAmount, on loop: any EventLoop) -> EventLoopFuture<ProviderPart?> {
        if let part = parts.popFirst() { return loop.makeSucceededFuture(part) }
        guard !isOver, let context else { return loop.makeSucceededFuture(.failed(.cut(isReset: false))) }
        let promise = loop.makePromise(of: ProviderPart?.self)
        waiting = promise
        timer = loop.assumeIsolated().scheduleTask(in: limit) { self.give(nil) }
        context.read()
        return promise.futureResult
    }

    /// Ends the connection.
    func close() {
        isOver = true
        give(.failed(.cut(isReset: false)))
        context?.close(promise: nil)
    }

    private func receive(_ part: ProviderPart) {
        guard !isOver else { return }
        switch part {
        case .head, .bytes: break
        case .end, .failed: isOver = true
        }
        if waiting == nil { parts.append(part) } else { give(part) }
        if isOver { context?.close(promise: nil) }
    }

    private func give(_ part: ProviderPart?) {
        timer?.cancel()
        timer = nil
        let promise = waiting
        waiting = nil
        promise?.succeed(part)
    }

    // MARK: the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        receive(.failed(.cut(isReset: false)))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): receive(.head(head))
        case .body(let bytes): receive(.bytes(Array(bytes.readableBytesView)))
        case .end: receive(.end)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // What was read may be less than a part.
        if waiting != nil { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) { receive(.failed(.cut(isReset: false))) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { receive(.failed(ProviderFailure(ofOpen: error))) }
}
