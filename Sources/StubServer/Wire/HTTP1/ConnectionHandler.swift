import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

/// One HTTP/1.1 connection: carries out what ``ConnectionStateMachine`` decides, has sessions answer, and writes their responses.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let context: WireContext
    private let dispatch: RequestDispatch
    let loop: any EventLoop
    let socket: SocketHandler
    let decoder: RequestDecoder
    /// Nil while the handler is in no pipeline.
    var channel: ChannelHandlerContext?
    var state = ConnectionStateMachine()
    /// The sender of the current response; nil if there is none.
    var sender: ResponseSender?
    private var incompleteCount: IncompleteCount
    /// The requests answered since the loop last had a turn for others.
    private var answered = 0

    /// - Parameter decoder: the source of its parts.
    init(_ context: WireContext, line: WireLine, channel: any Channel, socket: SocketHandler, decoder: RequestDecoder) {
        self.context = context
        dispatch = RequestDispatch(context: context, connection: ChannelConnection(channel), line: line)
        incompleteCount = IncompleteCount(in: context.incompleteRequests)
        loop = channel.eventLoop
        self.socket = socket
        self.decoder = decoder
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
        incompleteCount.set(decoder.incompleteBytes, by: self, on: channel.eventLoop) { handler, rejection in
            if handler.decoder.incompleteBytes > 0 { handler.rejectIncomplete(rejection) }
        }
        channel.fireChannelReadComplete()
    }

    func read(context channel: ChannelHandlerContext) {
        if state.mayRead(isWritable: channel.channel.isWritable) { channel.read() }
    }

    func channelWritabilityChanged(context channel: ChannelHandlerContext) {
        answerWaiting(channel)
        channel.fireChannelWritabilityChanged()
    }

    /// Answers the requests that wait, and reads on when none is left.
    func answerWaiting(_ channel: ChannelHandlerContext) {
        guard advance(channel) else { return }
        if state.resumesReading(isWritable: channel.channel.isWritable) { channel.read() }
    }

    /// Carries out actions until none is left. After every ``mostAtOnce`` requests it goes on in the next tick, so that a client with
    /// thousands of pipelined requests does not keep the loop from the others.
    ///
    /// - Returns: false if that is being done further up the stack, or later.
    @discardableResult
    private func advance(_ channel: ChannelHandlerContext) -> Bool {
        guard answered < ConnectionHandler.mostAtOnce, state.beginsAdvance() else { return false }
        var early: (plan: ResponsePlan, session: BankSession)?
        while answered < ConnectionHandler.mostAtOnce {
            let action = state.next(
                isWritable: channel.channel.isWritable, mono: context.clock.monotonic(),
                answersEarly: { head, mono in
                    early = dispatch.answerEarly(ReceivedRequest(head, mono: mono))
                    return early != nil
                })
            switch action {
            case nil: return true
            case .answerEarly: if let early { send(early.plan, of: early.session) }
            case .answer:
                answered += 1
                carryOut(action, channel)
            default: carryOut(action, channel)
            }
        }
        state.endsAdvance()
        loop.assumeIsolated().execute {
            self.answered = 0
            if let channel = self.channel { self.answerWaiting(channel) }
        }
        return false
    }

    private static let mostAtOnce = 64

    /// The part of a request for whose rest the connection waits; nil for none.
    var incomplete: IncompletePart? {
        if state.isIdle, decoder.isMidHead { return .head(decoder.requestNumber) }
        return state.isMidBody && decoder.isMidRequest ? .body(decoder.requestNumber) : nil
    }

    // MARK: events

    func userInboundEventTriggered(context channel: ChannelHandlerContext, event: Any) {
        let isMidRequest = decoder.isMidRequest
        switch event {
        case let close as CloseWhenIdle: carryOut(state.closeWhenIdle(drains: close.drains, isMidRequest: isMidRequest), channel)
        case is Silence: carryOut(state.silence(isMidRequest: isMidRequest, .tooSlow(context.configuration.idleTimeout)), channel)
        case let slow as SlowPart: reject(slow, channel)
        case ChannelEvent.inputClosed:
            let action = state.inputClosed()
            sender?.inputClosed()
            if action == nil { answerWaiting(channel) } else { carryOut(action, channel) }
        default: channel.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context channel: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as HTTPParserError: rejectIncomplete(WireRejection(error))
        case let rejection as WireRejection: rejectIncomplete(rejection)
        default: carryOut(state.failed(), channel)
        }
    }

    func channelInactive(context channel: ChannelHandlerContext) {
        state.isGone()
        recordIncomplete()
        stopReading()
        sender?.clientGone()
        channel.fireChannelInactive()
    }

    private func reject(_ slow: SlowPart, _ channel: ChannelHandlerContext) {
        guard let limit = context.configuration.partTimes.limit(of: slow.part) else { return }
        switch slow.part {
        case .head: rejectIncomplete(.slow("head", limit))
        case .body: carryOut(state.silence(isMidRequest: true, .slow("body", limit)), channel)
        }
    }

    /// Rejects an incomplete request once those before it are answered.
    private func rejectIncomplete(_ rejection: WireRejection) {
        guard let channel else { return }
        state.found(rejection)
        decoder.stop()
        answerWaiting(channel)
    }

    // MARK: actions

    func carryOut(_ action: ConnectionStateMachine.Action?, _ channel: ChannelHandlerContext) {
        if case .reject(let rejection) = action, channel.channel.isActive { recordIncomplete(rejection) } else { recordIncomplete() }
        switch action {
        case nil: break
        // Its response is made where it was decided on.
        case .answerEarly: break
        case .sendContinue: channel.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        case .answer(let head, let body, let mono): answer(ReceivedRequest(head, body: body, mono: mono))
        case .reject(let rejection): reject(rejection)
        case .shut: flushAll(channel)
        case .sendFIN(let drains): sendFIN(drains: drains, channel)
        case .closeWhenAcknowledged: socket.closeWhenTaken(on: channel.eventLoop)
        case .close: channel.close(promise: nil)
        }
    }

    /// Rejects an invalid or oversized request, and ends the connection.
    func reject(_ rejection: WireRejection) {
        decoder.stop()
        send(ResponsePlan(rejection, date: context.clock.now().httpDate, endsConnection: true))
    }

    /// Stops reading, and ends the count of an incomplete request.
    func stopReading() {
        decoder.stop()
        incompleteCount.end(by: self)
    }
}

extension ConnectionHandler {
    /// Answers a complete request.
    private func answer(_ request: ReceivedRequest) {
        do throws(WireRejection) {
            let (plan, session) = try dispatch.answer(request)
            send(plan, of: session)
        } catch { reject(error) }
    }

    /// Has the session of a request whose rest will not come record it.
    private func recordIncomplete(_ rejection: WireRejection? = nil) {
        guard let request = state.takeAbandoned() else { return }
        dispatch.recordIncomplete(ReceivedRequest(request.head, body: request.body, mono: request.mono), rejection)
    }
}

extension ReceivedRequest {
    fileprivate init(_ head: HTTPRequestHead, body: [UInt8] = [], mono: Int64) {
        self.init(
            method: head.method.rawValue, target: head.uri, authority: head.headers.first(name: "Host"),
            headers: head.headers.map { JournalEntry.Header($0.name, $0.value) }, body: body, mono: mono)
    }
}
