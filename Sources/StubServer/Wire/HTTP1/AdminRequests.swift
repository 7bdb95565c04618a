package import BankModel
package import NIOCore
package import NIOHTTP1

/// Rejects invalid, long and slow requests to the admin API, each after the requests ahead of it are answered.
package final class AdminRequests: ChannelDuplexHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    private let decoder: RequestDecoder
    private let configuration: ServerConfiguration
    /// The headers of every rejection.
    private let headers: [JournalEntry.Header]
    /// The number of whole requests that are not answered yet.
    private var unanswered = 0
    /// The bytes of the body that is being read.
    private var bodyBytes = 0
    private var rejection: WireRejection?

    /// - Parameter decoder: the source of its parts.
    private init(_ decoder: RequestDecoder, _ configuration: ServerConfiguration, _ headers: [JournalEntry.Header]) {
        self.decoder = decoder
        self.configuration = configuration
        self.headers = headers
    }

    /// The handlers that read a connection's requests as the bank's port does, with the same limits and timers, and write the answers, in
    /// pipeline order.
    ///
    /// - Parameters:
    ///   - configuration: the server's, which has the times.
    ///   - headers: the headers that every rejection gets.
    package static func handlers(_ configuration: ServerConfiguration, headers: [JournalEntry.Header] = []) -> [any ChannelHandler] {
        let decoder = RequestDecoder(WireLimits.decoder)
        let requests = AdminRequests(decoder, configuration, headers)
        let socket = SocketHandler(
            longest: .nanoseconds(configuration.idleTimeout.nanoseconds), times: configuration.partTimes,
            drain: .nanoseconds(configuration.drain.nanoseconds))
        socket.incomplete = { [weak requests] in requests?.incomplete }
        return [socket, HTTPResponseEncoder(), ByteToMessageHandler(decoder), requests]
    }

    /// The part of a request for whose rest the connection waits; nil for none.
    private var incomplete: IncompletePart? {
        // While answers are owed nothing is read.
        guard decoder.isMidRequest, unanswered == 0, rejection == nil else { return nil }
        return decoder.isMidHead ? .head(decoder.requestNumber) : .body(decoder.requestNumber)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard rejection == nil else { return }
        let part = unwrapInboundIn(data)
        decoder.saw(part)
        switch part {
        case .head(let head): return begin(head, context)
        case .body(let piece):
            bodyBytes += piece.readableBytes
            if bodyBytes > WireLimits.bodyBytes { return reject(.tooLarge, context) }
        case .end: unanswered += 1
        }
        context.fireChannelRead(data)
    }

    private func begin(_ sent: HTTPRequestHead, _ context: ChannelHandlerContext) {
        var head = sent
        // The host of a target in absolute form overrides `Host` (RFC 9112 §3.2.2).
        let target = WireRejection.originForm(of: head.uri)
        if target != head.uri, head.headers["Host"].count == 1 {
            head.headers.replaceOrAdd(name: "Host", value: WireRejection.authority(of: head.uri))
        }
        head.uri = target
        if let rejection = WireRejection(head) { return reject(rejection, context) }
        bodyBytes = 0
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let slow as SlowPart:
            guard let limit = configuration.partTimes.limit(of: slow.part) else { return }
            let isHead = if case .head = slow.part { true } else { false }
            reject(.slow(isHead ? "head" : "body", limit), context)
        case is Silence:
            if incomplete != nil {
                reject(.tooSlow(configuration.idleTimeout), context)
            } else if unanswered == 0 {
                context.close(promise: nil)
            }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as HTTPParserError: reject(WireRejection(error), context)
        case let rejection as WireRejection: reject(rejection, context)
        default: context.fireErrorCaught(error)
        }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        context.write(data, promise: promise)
        guard case .end = part else { return }
        unanswered -= 1
        sendRejection(context)
    }

    private func reject(_ rejection: WireRejection, _ context: ChannelHandlerContext) {
        guard self.rejection == nil else { return }
        decoder.stop()
        self.rejection = rejection
        sendRejection(context)
    }

    private func sendRejection(_ context: ChannelHandlerContext) {
        guard let rejection, unanswered == 0 else { return }
        let body = ByteBuffer(bytes: rejection.body)
        var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: rejection.status))
        for header in rejection.headers + headers { head.headers.add(name: header.name, value: header.value) }
        head.headers.add(name: "Content-Length", value: String(body.readableBytes))
        head.headers.add(name: "Connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // Later bytes are drained: a close with unread bytes would be a reset, and could overtake the response.
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        channel.eventLoop.scheduleTask(in: .nanoseconds(configuration.drain.nanoseconds)) { channel.close(promise: nil) }
    }
}
