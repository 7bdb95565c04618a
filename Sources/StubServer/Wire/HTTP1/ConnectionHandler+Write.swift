import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHTTP1

/// The writer of HTTP/1.1: sends every response of a connection, and ends it.
extension ConnectionHandler: ResponseWriter {
    /// Sends a response.
    ///
    /// - Parameter session: the session that answered; nil for none.
    func send(_ plan: ResponsePlan, of session: BankSession? = nil) {
        let sender = ResponseSender(plan, of: session, to: self) { [weak self] in self?.sender = nil }
        self.sender = sender
        sender.run()
        guard let channel, channel.channel.isActive else { return sender.clientGone() }
        if state.isInputClosed { sender.inputClosed() }
    }

    // MARK: a response

    var isLast: Bool { state.isLastExchange }

    func endWithExchange() { state.endWithExchange() }

    func write(
        _ step: WireStep, of plan: ResponsePlan, closes: Bool, endsResponse: Bool, promise: EventLoopPromise<Void>
    ) -> SentBytes {
        var sent = SentBytes()
        var bytes = ByteBuffer()
        let outgoing = plan.outgoing
        switch step {
        case .head:
            // HTTP/1.0 knows no chunks: the end of the connection is the body's (RFC 9112 §6.1 and §6.3).
            let endsBody = state.isOld && outgoing.framing == .chunked && (outgoing.steps.contains(.restOfBody) || !outgoing.mayHaveBody)
            if endsBody { state.endWithExchange() }
            bytes = head(of: plan, closes: closes || endsBody, endsBody: endsBody)
            sent.head = bytes.readableBytes
        case .halfHead:
            let name = outgoing.headers.first?.name ?? "Content-Type"
            bytes.writeString(ResponseHead.line(outgoing.status) + name.prefix(max(1, name.count / 2)))
            sent.head = bytes.readableBytes
        case .part(let range):
            bytes.writeBytes(outgoing.body[range])
            sent.body = bytes.readableBytes
        case .piece(let piece):
            bytes = outgoing.framing == .chunked && !state.isOld ? ResponseHead.chunk(piece) : ByteBuffer(bytes: piece)
            sent.body = piece.count
            sent.raw = bytes.readableBytes - piece.count
        case .raw(let raw):
            bytes.writeBytes(raw)
            sent.raw = bytes.readableBytes
        case .interim(let status, let headers):
            bytes = ResponseHead.interim(status, headers)
            sent.raw = bytes.readableBytes
        case .again:
            bytes = head(of: plan, closes: closes)
            if outgoing.mayHaveBody { bytes.writeBytes(outgoing.body) }
            sent.raw = bytes.readableBytes
        case .execute, .body, .restOfBody, .trickle, .pause, .hold, .endRequest, .close, .reset, .resetStream, .goaway: break
        }
        put(bytes, promise)
        return sent
    }

    /// - Parameter endsBody: whether the end of the connection is the end of the body.
    private func head(of plan: ResponsePlan, closes: Bool, endsBody: Bool = false) -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: 512)
        ResponseHead.write(
            status: plan.outgoing.status, headers: plan.outgoing.headers, bodyBytes: plan.outgoing.announcedLength, isChunked: !endsBody,
            to: &bytes)
        ResponseHead.finish(
            .init(
                date: plan.date, requestIDName: plan.requestIDName, requestID: plan.requestID,
                allowedOrigin: context.configuration.corsOrigin,
                closes: closes, announcesKeepAlive: state.persistence == .staysAndSaysSo), to: &bytes)
        return bytes
    }

    private func put(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>) {
        guard let channel else { return promise.fail(ChannelError.ioOnClosedChannel) }
        channel.write(wrapOutboundOut(bytes), promise: promise)
    }

    func flush() { channel?.flush() }

    func didFail(_ error: any Error) { socket.note(error) }

    func didSend(_ bytes: Int, seq: Int, of session: BankSession) { socket.didSend(bytes, seq: seq, of: session) }

    // MARK: the exchange's end

    func keep() -> ResponseEnd {
        guard let channel, channel.channel.isActive else { return ResponseEnd(.clientGone) }
        if let action = state.responded() { carryOut(action, channel) } else { answerWaiting(channel) }
        return ResponseEnd(.kept)
    }

    func end(_ ending: ResponseEnding) -> EventLoopFuture<ResponseEnd> {
        guard let channel, channel.channel.isActive else { return loop.makeSucceededFuture(ResponseEnd(.clientGone)) }
        switch ending {
        // `resetStream` and `goaway` exist in HTTP/2 only: such faults never come here.
        case .close, .endRequest, .resetStream, .goaway:
            // It is recorded first: a client that has seen the FIN can read of it.
            loop.assumeIsolated().execute { self.shutIfOpen() }
            return loop.makeSucceededFuture(ResponseEnd(.fin))
        case .reset: return reset(channel).map { ResponseEnd(.rst, unsent: $0.unsent, unwritten: $0.unwritten) }
        case .gone:
            socket.close()
            return loop.makeSucceededFuture(ResponseEnd(.clientGone))
        }
    }

    // MARK: the connection's end

    private func shutIfOpen() {
        guard let channel, channel.channel.isActive else { return }
        carryOut(state.shut(), channel)
    }

    /// Ends the connection once the kernel has everything that was written.
    func flushAll(_ channel: ChannelHandlerContext) {
        stopReading()
        allSent(channel).assumeIsolated().whenComplete { _ in self.carryOut(self.state.allIsSent(), channel) }
    }

    /// Sends FIN, drains the input, then closes the connection.
    ///
    /// - Parameter drains: if false, the connection is closed as soon as the client has acknowledged the FIN.
    func sendFIN(drains: Bool, _ channel: ChannelHandlerContext) {
        let loop = channel.eventLoop
        let isTaken = drains ? nil : loop.makePromise(of: Void.self)
        isTaken?.futureResult.assumeIsolated().whenComplete { [socket] _ in socket.closeWhenTaken(on: loop) }
        channel.close(mode: .output, promise: isTaken)
        channel.read()
        if drains { loop.assumeIsolated().scheduleTask(in: socket.drain) { [socket] in socket.close() } }
    }

    /// Sends RST once everything written has left, or after the drain time.
    ///
    /// - Returns: how many bytes the send queue still held, and how many had not reached the kernel.
    private func reset(_ channel: ChannelHandlerContext) -> EventLoopFuture<(unsent: Int, unwritten: Int)> {
        state.stop()
        stopReading()
        let loop = channel.eventLoop
        return socket.sent(allSent(channel)).assumeIsolated().flatMap { [socket] in socket.reset(on: loop) }.nonisolated()
    }

    /// Completes when the kernel has everything written so far, or never will.
    private func allSent(_ channel: ChannelHandlerContext) -> EventLoopFuture<Void> {
        let sent = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
        return sent.futureResult
    }
}
