import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHTTP1

/// One HTTP/1.1 connection: reads requests one after another, lets their session answer, and writes what the answer says.
///
/// Requests that arrive while one is being answered wait in order (pipelining), and reading stops meanwhile.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What the connection is doing.
    enum Phase {
        case idle
        /// A head is read, its body is not.
        case reading(HTTPRequestHead, [UInt8], mono: Int64)
        /// The answer is held or being written.
        case answering
        /// Nothing more is read or answered.
        case closing
    }

    let context: WireContext
    let line: WireLine
    let places: ConnectionPlaces
    let socket: SocketHandler
    let decoder: RequestDecoder
    let round: RequestRound
    /// Set while it stands in a pipeline.
    var channel: ChannelHandlerContext?
    /// The exchange that is being answered the long way.
    var sender: ReplySender?
    var phase = Phase.idle
    var waiting = CircularBuffer<HTTPServerRequestPart>()
    var closesWhenIdle = false
    /// The client speaks HTTP/1.0 and asked to keep the connection: it must be told that it is kept (RFC 9112 §C.2.2).
    var tellsThatItIsKept = false
    /// Writing is shut down, after everything that was to be sent.
    var hasSentAll = false
    /// True between a request's first byte and its last: silence then is a half request.
    var isMidRequest = false
    /// What is no HTTP any more: refused once the requests before it are answered.
    private var trouble: WireRefusal?
    /// The client has shut down writing.
    private(set) var isInputClosed = false
    private var isTaking = false
    /// Bytes of a request that has not ended are counted.
    var isHalf = false
    private var wantsRead = false
    /// The request that was read is answered at the end of this round.
    var isInRound = false
    var needsFlush = false
    var memo: RequestMemo?
    /// The last request that was answered, so that the next one like it need not be taken apart.
    var lastRequest: LastRequest?

    /// What was found out about a request.
    final class LastRequest {
        let uri: String
        let headers: HTTPHeaders
        let session: BankSession
        let target: String
        let authorization: String?

        init(uri: String, headers: HTTPHeaders, session: BankSession, target: String, authorization: String?) {
            (self.uri, self.headers, self.session) = (uri, headers, session)
            (self.target, self.authorization) = (target, authorization)
        }
    }

    /// - Parameter decoder: whose parts it gets.
    init(_ context: WireContext, line: WireLine, places: ConnectionPlaces, socket: SocketHandler, decoder: RequestDecoder) {
        (self.context, self.line, self.places, self.socket, self.decoder) = (context, line, places, socket, decoder)
        round = context.rounds.round(of: places.loop)
    }

    func handlerAdded(context channel: ChannelHandlerContext) { self.channel = channel }

    func handlerRemoved(context channel: ChannelHandlerContext) {
        self.channel = nil
        sender = nil
    }

    // MARK: reading

    func channelRead(context channel: ChannelHandlerContext, data: NIOAny) {
        if case .closing = phase { return }
        let part = unwrapInboundIn(data)
        decoder.saw(part)
        waiting.append(part)
        takeWaiting(channel)
    }

    func channelReadComplete(context channel: ChannelHandlerContext) {
        flushWritten(channel)
        holdHalf(channel)
        channel.fireChannelReadComplete()
    }

    /// Reads on only when there is nothing left to answer and the client takes what it is sent.
    func read(context channel: ChannelHandlerContext) {
        if case .answering = phase, !isInRound {
            wantsRead = true
        } else if !channel.channel.isWritable || !waiting.isEmpty {
            wantsRead = true
        } else {
            channel.read()
        }
    }

    func channelWritabilityChanged(context channel: ChannelHandlerContext) {
        goOn(channel)
        channel.fireChannelWritabilityChanged()
    }

    /// Answers what waits, and reads on when there is no more of it.
    func goOn(_ channel: ChannelHandlerContext) {
        guard !isTaking else { return }
        takeWaiting(channel)
        flushWritten(channel)
        guard wantsRead, channel.channel.isWritable, waiting.isEmpty else { return }
        if case .answering = phase { return }
        wantsRead = false
        channel.read()
    }

    /// Takes what waits until a request is being answered, or the client does not read its replies.
    private func takeWaiting(_ channel: ChannelHandlerContext) {
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        while !waiting.isEmpty, canTake(channel) { take(waiting.removeFirst(), channel) }
        guard waiting.isEmpty, canTake(channel) else { return }
        if let trouble {
            refuse(trouble, channel)
        } else if isInputClosed {
            shut(channel)
        }
    }

    /// Has the bytes of a request that has not ended counted with those of all connections.
    private func holdHalf(_ channel: ChannelHandlerContext) {
        let bytes = decoder.halfBytes
        guard bytes > 0 || isHalf else { return }
        isHalf = bytes > 0
        guard isHalf else { return context.halves.release(self) }
        context.halves.hold(bytes, by: self, on: channel.eventLoop) { handler in
            guard let channel = handler.channel, handler.decoder.halfBytes > 0 else { return }
            handler.refuseHalf(.halfRequests(handler.context.halves.limit), channel)
        }
    }

    /// Whether a head has begun, has not ended, and is what is waited for.
    var awaitsHead: Bool { if case .idle = phase { decoder.isMidHead } else { false } }

    private func canTake(_ channel: ChannelHandlerContext) -> Bool {
        switch phase {
        case .idle: channel.channel.isWritable
        case .reading: true
        case .answering, .closing: false
        }
    }

    private func flushWritten(_ channel: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        channel.flush()
    }

    private func take(_ part: HTTPServerRequestPart, _ channel: ChannelHandlerContext) {
        switch part {
        case .head(let head): begin(head, channel)
        case .body(var bytes):
            guard case .reading(let head, var body, let mono) = phase else { return }
            phase = .idle
            let read = bytes.readBytes(length: bytes.readableBytes) ?? []
            if body.isEmpty { body = read } else { body += read }
            if body.count > WireLimits.bodyBytes {
                refuse(.tooLarge, channel)
            } else {
                phase = .reading(head, body, mono: mono)
            }
        case .end:
            guard case .reading(let head, let body, let mono) = phase else { return }
            isMidRequest = false
            phase = .answering
            answer(head, body, mono, channel)
        }
    }

    private func begin(_ received: HTTPRequestHead, _ channel: ChannelHandlerContext) {
        isMidRequest = true
        var head = received
        head.uri = WireRefusal.originForm(of: received.uri)
        let mono = context.clock.monotonic()
        if let refusal = WireRefusal(head) { return refuse(refusal, channel) }
        // HTTP/1.0 knows no reply before the reply (RFC 9110 §15.2).
        if head.version.minor > 0, head.headers.first(name: "Expect") != nil {
            channel.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
        tellsThatItIsKept = head.version.minor == 0 && head.isKeepAlive
        phase = .reading(head, [], mono: mono)
    }

    // MARK: events

    func userInboundEventTriggered(context channel: ChannelHandlerContext, event: Any) {
        switch event {
        case let close as CloseWhenIdle:
            closesWhenIdle = true
            if case .idle = phase, !isMidRequest {
                shut(channel, drains: close.drains)
            } else if hasSentAll, !close.drains {
                socket.closeWhenTaken(on: channel.eventLoop)
            }
        case ChannelEvent.inputClosed:
            isInputClosed = true
            sender?.inputClosed()
            if hasSentAll { channel.close(promise: nil) } else { goOn(channel) }
        case is Silence: silence(channel)
        case is SlowHead: refuseHalf(.slowHead(context.headTime), channel)
        default: channel.fireUserInboundEventTriggered(event)
        }
    }

    /// Nothing was read for the longest time we wait.
    private func silence(_ channel: ChannelHandlerContext) {
        switch phase {
        case .idle where !isMidRequest: shut(channel)
        case .idle, .reading: refuse(.tooSlow(context.idle), channel)
        case .answering: break
        case .closing: channel.close(promise: nil)
        }
    }

    func errorCaught(context channel: ChannelHandlerContext, error: any Error) {
        switch (error, phase) {
        case (_, .closing): break
        // What follows bytes that are no HTTP is none either.
        case _ where trouble != nil: break
        case (let error as HTTPParserError, _): refuseHalf(WireRefusal(error), channel)
        case (is RequestLineError, _): refuseHalf(.spaces, channel)
        default: channel.close(promise: nil)
        }
    }

    func channelInactive(context channel: ChannelHandlerContext) {
        places.leave()
        stopReading()
        sender?.clientGone()
        channel.fireChannelInactive()
    }

    /// Refuses what has come of a request once those before it are answered.
    private func refuseHalf(_ refusal: WireRefusal, _ channel: ChannelHandlerContext) {
        trouble = refusal
        decoder.stop()
        goOn(channel)
    }

    /// Refuses what is no request of HTTP/1.1, or too much of one, and ends the connection.
    func refuse(_ refusal: WireRefusal, _ channel: ChannelHandlerContext) {
        phase = .answering
        write(refusal.bytes(date: context.clock.now().httpDate), flush: true, channel, promise: nil)
        shut(channel)
    }
}
