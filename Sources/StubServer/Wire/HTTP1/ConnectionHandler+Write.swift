import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHTTP1

/// The writer of HTTP/1.1: sends every reply of a connection, and ends it.
extension ConnectionHandler: ReplySink {
    /// Carries out a plan.
    func send(_ plan: ReplyPlan) {
        switch plan {
        case .rendered(let reply, let seq, let session):
            guard let channel, channel.channel.isActive else { return session.clientGone(seq) }
            var bytes = channel.channel.allocator.buffer(capacity: reply.count)
            bytes.writeBytes(reply.beginning)
            bytes.writeBytes(reply.tail)
            bytes.writeBytes(reply.body)
            let promise = channel.eventLoop.makePromise(of: Void.self)
            promise.futureResult.whenFailure { _ in session.clientGone(seq) }
            put(bytes, promise)
            state.wroteWithoutFlush()
            _ = keep()
        case .steps(let delivery, let session):
            run(ReplySender(delivery, of: session, to: self) { [weak self] in self?.sender = nil })
        case .own(let reply):
            run(ReplySender(reply, to: self) { [weak self] in self?.sender = nil })
        }
    }

    private func run(_ sender: ReplySender) {
        state.isAnswering()
        self.sender = sender
        sender.run()
        guard let channel, channel.channel.isActive else { return sender.clientGone() }
        if state.isInputClosed { sender.inputClosed() }
    }

    // MARK: a reply

    var loop: any EventLoop { places.loop }

    var isLast: Bool { state.persistence == .endsWithExchange }

    var writesWhole: Bool { true }

    func endWithExchange() { state.endWithExchange() }

    func write(_ piece: ReplyPiece, promise: EventLoopPromise<Void>) -> WrittenBytes {
        var written = WrittenBytes()
        let bytes: ByteBuffer
        switch piece {
        case .head(let head, _):
            bytes = render(head, roomFor: 0)
            written.head = bytes.readableBytes
        case .whole(let head, let body):
            var both = render(head, roomFor: body.count)
            written.head = both.readableBytes
            written.body = both.writeBytes(body)
            bytes = both
        case .halfHead(let head):
            let name = head.headers.first?.name ?? "Content-Type"
            bytes = ByteBuffer(string: ResponseHead.line(head.status) + name.prefix(max(1, name.count / 2)))
            written.head = bytes.readableBytes
        case .body(let body, _):
            bytes = body
            written.body = bytes.readableBytes
        case .raw(let raw):
            bytes = raw
            written.raw = bytes.readableBytes
        case .interim(let status, let headers):
            bytes = ResponseHead.interim(status, headers)
            written.raw = bytes.readableBytes
        case .again(let head, let body):
            var both = render(head, roomFor: body.count)
            both.writeBytes(body)
            bytes = both
            written.raw = bytes.readableBytes
        }
        put(bytes, promise)
        return written
    }

    /// Renders a head into a buffer with room for `bodyBytes` behind it.
    private func render(_ head: OutgoingHead, roomFor bodyBytes: Int) -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: 512 + bodyBytes)
        ResponseHead.write(status: head.status, headers: head.headers, bodyBytes: head.length, to: &bytes)
        ResponseHead.finish(
            .init(
                date: head.date, requestIDName: head.requestIDName, requestID: head.requestID, allowedOrigin: context.cors,
                closes: head.closes, tellsThatItIsKept: state.persistence == .staysAndSaysSo), to: &bytes)
        return bytes
    }

    private func put(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>) {
        guard let channel else { return promise.fail(ChannelError.ioOnClosedChannel) }
        channel.write(wrapOutboundOut(bytes), promise: promise)
    }

    func flush() { channel?.flush() }

    // MARK: the exchange's end

    func keep() -> ReplyEnd {
        guard let channel, channel.channel.isActive else { return ReplyEnd(.clientGone) }
        if let action = state.replied() { carryOut(action, channel) } else { goOn(channel) }
        return ReplyEnd(.kept)
    }

    func end(_ ending: ReplyEnding) -> EventLoopFuture<ReplyEnd> {
        guard let channel, channel.channel.isActive else { return loop.makeSucceededFuture(ReplyEnd(.clientGone)) }
        switch ending {
        // `resetStream` and `goaway` exist in HTTP/2 only: such faults never come here.
        case .close, .endRequest, .resetStream, .goaway:
            let bound = NIOLoopBound(self, eventLoop: loop)
            // It is recorded first: a client that has seen the FIN can read of it.
            loop.execute { bound.value.shutIfOpen() }
            return loop.makeSucceededFuture(ReplyEnd(.fin))
        case .reset: return reset(channel).map { ReplyEnd(.rst, unsent: $0.unsent, unwritten: $0.unwritten) }
        case .gone:
            socket.close()
            return loop.makeSucceededFuture(ReplyEnd(.clientGone))
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
        let bound = NIOLoopBound((handler: self, channel: channel), eventLoop: channel.eventLoop)
        allSent(channel).whenComplete { _ in
            let (handler, channel) = bound.value
            handler.carryOut(handler.state.allIsSent(), channel)
        }
    }

    /// Sends FIN, drains the input, then closes the connection.
    ///
    /// - Parameter drains: if false, the connection is closed as soon as the client has acknowledged the FIN.
    func sendFIN(drains: Bool, _ channel: ChannelHandlerContext) {
        let loop = channel.eventLoop
        let socket = NIOLoopBound(socket, eventLoop: loop)
        let isTaken = drains ? nil : loop.makePromise(of: Void.self)
        isTaken?.futureResult.whenComplete { _ in socket.value.closeWhenTaken(on: loop) }
        channel.close(mode: .output, promise: isTaken)
        channel.read()
        if drains { loop.scheduleTask(in: self.socket.drain) { socket.value.close() } }
    }

    /// Sends RST once everything written has left, or after the drain time.
    ///
    /// - Returns: how many bytes the send queue still held, and how many had not reached the kernel.
    private func reset(_ channel: ChannelHandlerContext) -> EventLoopFuture<(unsent: Int, unwritten: Int)> {
        state.stop()
        stopReading()
        let bound = NIOLoopBound(socket, eventLoop: channel.eventLoop)
        let loop = channel.eventLoop
        return socket.sent(allSent(channel)).flatMap { bound.value.reset(on: loop) }
    }

    /// Completes when the kernel has everything written so far, or never will.
    private func allSent(_ channel: ChannelHandlerContext) -> EventLoopFuture<Void> {
        let sent = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
        return sent.futureResult
    }
}
