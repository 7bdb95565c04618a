import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

/// One HTTP/1.1 connection: carries out what ``ConnectionStateMachine`` decides, has sessions answer, and writes their replies.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let context: WireContext
    let line: WireLine
    let places: ConnectionPlaces
    let socket: SocketHandler
    let decoder: RequestDecoder
    let round: RequestRound
    /// Nil unless it stands in a pipeline.
    var channel: ChannelHandlerContext?
    var state = ConnectionStateMachine()
    /// What sends the reply at hand, if that takes steps.
    var sender: ReplySender?
    var last = LastRequest()

    /// - Parameter decoder: whose parts it gets.
    init(_ context: WireContext, line: WireLine, places: ConnectionPlaces, socket: SocketHandler, decoder: RequestDecoder) {
        self.context = context
        self.line = line
        self.places = places
        self.socket = socket
        self.decoder = decoder
        round = context.rounds.round(of: places.loop)
    }

    func handlerAdded(context channel: ChannelHandlerContext) { self.channel = channel }

    func handlerRemoved(context channel: ChannelHandlerContext) {
        self.channel = nil
        sender = nil
    }

    // MARK: reading

    func channelRead(context channel: ChannelHandlerContext, data: NIOAny) {
        if state.isClosing { return }
        let part = unwrapInboundIn(data)
        decoder.saw(part)
        state.received(part)
        advance(channel)
    }

    func channelReadComplete(context channel: ChannelHandlerContext) {
        if state.takesFlush() { channel.flush() }
        countHalf(channel)
        channel.fireChannelReadComplete()
    }

    func read(context channel: ChannelHandlerContext) {
        if state.mayRead(isWritable: channel.channel.isWritable) { channel.read() }
    }

    func channelWritabilityChanged(context channel: ChannelHandlerContext) {
        goOn(channel)
        channel.fireChannelWritabilityChanged()
    }

    /// Answers what waits, and reads on when nothing is left of it.
    func goOn(_ channel: ChannelHandlerContext) {
        guard advance(channel) else { return }
        if state.takesFlush() { channel.flush() }
        if state.resumesReading(isWritable: channel.channel.isWritable) { channel.read() }
    }

    /// Carries out actions until none is left.
    ///
    /// - Returns: false if that is being done further up the stack.
    @discardableResult
    private func advance(_ channel: ChannelHandlerContext) -> Bool {
        guard state.beginsAdvance() else { return false }
        while let action = state.next(isWritable: channel.channel.isWritable, mono: context.clock.monotonic()) {
            carryOut(action, channel)
        }
        return true
    }

    /// Has the bytes of a request that has not ended counted with those of all connections.
    private func countHalf(_ channel: ChannelHandlerContext) {
        switch state.countsHalf(decoder.halfBytes) {
        case nil: break
        case .release: context.halves.release(self)
        case .hold(let bytes):
            context.halves.hold(bytes, by: self, on: channel.eventLoop) { handler in
                guard handler.decoder.halfBytes > 0 else { return }
                handler.refuseHalf(.halfRequests(handler.context.halves.limit))
            }
        }
    }

    /// Whether a head has begun, has not ended, and is what is waited for.
    var awaitsHead: Bool { state.isIdle && decoder.isMidHead }

    // MARK: events

    func userInboundEventTriggered(context channel: ChannelHandlerContext, event: Any) {
        let isMidRequest = decoder.isMidRequest
        switch event {
        case let close as CloseWhenIdle: carryOut(state.closeWhenIdle(drains: close.drains, isMidRequest: isMidRequest), channel)
        case is Silence: carryOut(state.silence(isMidRequest: isMidRequest, .tooSlow(context.idle)), channel)
        case is SlowHead: refuseHalf(.slowHead(context.headTime))
        case ChannelEvent.inputClosed:
            let action = state.inputClosed()
            sender?.inputClosed()
            if action == nil { goOn(channel) } else { carryOut(action, channel) }
        default: channel.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context channel: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as HTTPParserError: refuseHalf(WireRefusal(error))
        case is RequestLineError: refuseHalf(.spaces)
        default: carryOut(state.failed(), channel)
        }
    }

    func channelInactive(context channel: ChannelHandlerContext) {
        places.leave()
        state.isGone()
        stopReading()
        sender?.clientGone()
        channel.fireChannelInactive()
    }

    /// Refuses what has come of a request once those before it are answered.
    private func refuseHalf(_ refusal: WireRefusal) {
        guard let channel else { return }
        state.found(refusal)
        decoder.stop()
        goOn(channel)
    }

    // MARK: actions

    func carryOut(_ action: ConnectionStateMachine.Action?, _ channel: ChannelHandlerContext) {
        switch action {
        case nil: break
        case .sayContinue: channel.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        case .answer(let head, let body, let mono): answer(head, body, mono, channel)
        case .refuse(let refusal): refuse(refusal)
        case .shut: flushAll(channel)
        case .sendFIN(let drains): sendFIN(drains: drains, channel)
        case .closeWhenAcknowledged: socket.closeWhenTaken(on: channel.eventLoop)
        case .close: channel.close(promise: nil)
        }
    }

    /// Refuses what is no request of HTTP/1.1, or too much of one, and ends the connection.
    func refuse(_ refusal: WireRefusal) {
        decoder.stop()
        send(.own(OwnReply(refusal, date: context.clock.now().httpDate, endsConnection: true)))
    }

    /// Reads nothing more, and counts nothing of what was read.
    func stopReading() {
        decoder.stop()
        if case .release = state.countsHalf(0) { context.halves.release(self) }
    }
}
