package import BankModel
package import NIOCore
package import NIOHTTP1

/// Refuses invalid requests to the admin API, each after the requests ahead of it are answered.
package final class AdminRequests: ChannelDuplexHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    private let decoder: RequestDecoder
    private let drain: TimeAmount
    /// The headers of every refusal.
    private let headers: [JournalEntry.Header]
    private var unanswered = 0
    private var refusal: WireRefusal?

    /// - Parameter decoder: the source of its parts.
    private init(_ decoder: RequestDecoder, _ drain: TimeAmount, _ headers: [JournalEntry.Header]) {
        self.decoder = decoder
        self.drain = drain
        self.headers = headers
    }

    /// The handlers that read a connection's requests as the bank's port does, and write the answers, in pipeline order.
    ///
    /// - Parameters:
    ///   - drain: how long a connection is drained after its FIN.
    ///   - headers: the headers that every refusal gets.
    package static func handlers(drain: Duration, headers: [JournalEntry.Header] = []) -> [any ChannelHandler] {
        let decoder = RequestDecoder(WireLimits.decoder)
        return [
            HTTPResponseEncoder(), ByteToMessageHandler(decoder), AdminRequests(decoder, .nanoseconds(drain.nanoseconds), headers),
        ]
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard refusal == nil else { return }
        let part = unwrapInboundIn(data)
        decoder.saw(part)
        guard case .head(var head) = part else { return context.fireChannelRead(data) }
        // The host of a target in absolute form overrides `Host` (RFC 9112 §3.2.2).
        let target = WireRefusal.originForm(of: head.uri)
        if target != head.uri, head.headers["Host"].count == 1 {
            head.headers.replaceOrAdd(name: "Host", value: WireRefusal.authority(of: head.uri))
        }
        head.uri = target
        if let refusal = WireRefusal(head) { return refuse(refusal, context) }
        unanswered += 1
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as HTTPParserError: refuse(WireRefusal(error), context)
        case is RequestLineError: refuse(.spaces, context)
        default: context.fireErrorCaught(error)
        }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        context.write(data, promise: promise)
        guard case .end = part else { return }
        unanswered -= 1
        sendRefusal(context)
    }

    private func refuse(_ refusal: WireRefusal, _ context: ChannelHandlerContext) {
        decoder.stop()
        self.refusal = refusal
        sendRefusal(context)
    }

    private func sendRefusal(_ context: ChannelHandlerContext) {
        guard let refusal, unanswered == 0 else { return }
        let body = ByteBuffer(bytes: refusal.body)
        var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: refusal.status))
        for header in refusal.headers + headers { head.headers.add(name: header.name, value: header.value) }
        head.headers.add(name: "Content-Length", value: String(body.readableBytes))
        head.headers.add(name: "Connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // Later bytes are drained: a close with unread bytes would be a reset, and could overtake the answer.
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        channel.eventLoop.scheduleTask(in: drain) { channel.close(promise: nil) }
    }
}
