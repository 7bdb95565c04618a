#if HTTP2
import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The writer of HTTP/2: sends a stream's response.
extension HTTP2Stream: ResponseWriter {
    /// Sends the response.
    ///
    /// - Parameter session: the session that answered; nil for none.
    func send(_ plan: ResponsePlan, of session: BankSession? = nil) {
        let sender = ResponseSender(plan, of: session, to: self) { [weak self] in self?.sender = nil }
        self.sender = sender
        sender.run()
    }

    // MARK: a response

    var loop: any EventLoop { connection.loop }

    /// The connection stays; the stream ends with its response anyway.
    var isLast: Bool { false }

    func endWithExchange() { connection.endWithStreams() }

    func write(
        _ step: WireStep, of plan: ResponsePlan, closes: Bool, endsResponse: Bool, promise: EventLoopPromise<Void>
    ) -> SentBytes {
        switch step {
        case .head: return SentBytes(head: writeHead(of: plan, endsResponse: endsResponse, promise))
        case .part(let range):
            put(.data(.init(data: .byteBuffer(ByteBuffer(bytes: plan.outgoing.body[range])), endStream: endsResponse)), promise)
            return SentBytes(body: range.count)
        case .piece(let piece):
            put(.data(.init(data: .byteBuffer(ByteBuffer(bytes: piece)), endStream: endsResponse)), promise)
            return SentBytes(body: piece.count)
        case .interim(let status, let headers):
            let fields = HPACKHeaders([(":status", String(status))] + headers.map { ($0.name.lowercased(), $0.value) })
            put(.headers(.init(headers: fields)), promise)
            return SentBytes(raw: fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count })
        // Faults that ask for half heads, and for bytes outside of frames, are not applied on HTTP/2.
        case .halfHead, .raw, .again, .execute, .body, .restOfBody, .trickle, .pause, .hold, .endRequest, .close, .reset, .resetStream,
            .goaway:
            promise.succeed()
            return SentBytes()
        }
    }

    /// - Returns: the bytes of the fields' names and values.
    private func writeHead(of plan: ResponsePlan, endsResponse: Bool, _ promise: EventLoopPromise<Void>) -> Int {
        connection.willRespond()
        let outgoing = plan.outgoing
        var headers = HPACKHeaders([(":status", String(outgoing.status))])
        for header in outgoing.headers where !HTTP2Stream.forbidden.contains(header.name.lowercased()) {
            headers.add(name: header.name.lowercased(), value: header.value)
        }
        if ResponseHead.saysLength(outgoing.status), let length = outgoing.announcedLength {
            headers.add(name: "content-length", value: String(length))
        }
        headers.add(name: "date", value: plan.date)
        if let name = plan.requestIDName { headers.add(name: name.lowercased(), value: plan.requestID) }
        if let origin = connection.context.configuration.corsOrigin {
            headers.add(name: "access-control-allow-origin", value: origin)
            headers.add(name: "vary", value: "Origin")
        }
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard bytes <= WireLimits.pieceBytes - 1024 else {
            // NIO writes a head as one frame and ends the connection if it does not fit: only this stream is reset instead.
            promise.fail(HeadTooLarge(bytes: bytes))
            channel?.writeAndFlush(wrapOutboundOut(.rstStream(.internalError)), promise: nil)
            return bytes
        }
        put(.headers(.init(headers: headers, endStream: endsResponse)), promise)
        return bytes
    }

    func flush() { channel?.flush() }

    func didFail(_ error: any Error) { connection.socket.note(error) }

    func didSend(_ bytes: Int, seq: Int, of session: BankSession) { connection.socket.didSend(bytes, seq: seq, of: session) }

    /// The stream closes by itself when its response has ended; a lost write is reported by its promise. GOAWAY may have been sent before it.
    func keep() -> ResponseEnd {
        hasResponded = true
        if connection.isInputClosed { endIfBlocked() } else { endIfUnread(after: HTTP2Stream.shortWrites) }
        return ResponseEnd(connection.hasSentGoAway ? .goaway : .kept)
    }

    /// Ends a stream whose response can never leave: after its FIN the client can open no more windows (RFC 9113 §6.9). The drain time is
    /// left for the bytes that the windows allow.
    func endIfBlocked() {
        loop.assumeIsolated().scheduleTask(in: connection.socket.drain) { self.channel?.close(promise: nil) }
    }

    /// Ends a stream of whose long response nothing leaves for the idle timeout. All of it is in memory, and a client that opens no window,
    /// but pings, could hold it for ever (RFC 9113 §10.5).
    ///
    /// - Parameter writes: how many writes are worth no timer.
    private func endIfUnread(after writes: Int) {
        let before = openWrites
        guard before > writes, connection.socket.times.body != nil else { return }
        let idle = connection.context.configuration.idleTimeout
        unreadTimer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(idle.nanoseconds)) {
            guard self.openWrites == before else { return self.endIfUnread(after: 0) }
            self.channel?.close(promise: nil)
        }
    }

    /// The writes of a response of one piece, and its head.
    private static let shortWrites = 2

    func end(_ ending: ResponseEnding) -> EventLoopFuture<ResponseEnd> {
        if ending == .endRequest { return endRequest() }
        guard let channel, channel.channel.isActive else { return loop.makeSucceededFuture(ResponseEnd(.clientGone)) }
        switch ending {
        case .close: return resetStream(.internalError)
        case .reset: return resetStream(.cancel)
        case .resetStream(let code): return resetStream(HTTP2ErrorCode(networkCode: code.number))
        case .goaway(let code, let last, let staysOpen):
            connection.goAway(
                HTTP2ErrorCode(networkCode: code.number), last: last == .none ? .rootStream : id, staysOpen: staysOpen)
            return loop.makeSucceededFuture(ResponseEnd(.goaway))
        // Done above.
        case .endRequest: return loop.makeSucceededFuture(keep())
        case .gone:
            channel.close(promise: nil)
            return loop.makeSucceededFuture(ResponseEnd(.clientGone))
        }
    }

    /// Asks the client to stop sending a request that was answered before its end: RST_STREAM with NO_ERROR (RFC 9113 §8.1). A request
    /// that has ended needs no such thing.
    private func endRequest() -> EventLoopFuture<ResponseEnd> {
        guard !hasRequestEnded else { return loop.makeSucceededFuture(keep()) }
        guard hasWrittenBody else { return stopRequest() }
        // NIO discards a body that is behind in its buffers when its stream is reset: it leaves at the end of this tick.
        let bound = NIOLoopBound(self, eventLoop: loop)
        return loop.flatSubmit { bound.value.stopRequest() }
    }

    private func stopRequest() -> EventLoopFuture<ResponseEnd> {
        guard let channel, channel.channel.isActive, !hasRequestEnded else { return loop.makeSucceededFuture(keep()) }
        let sent = loop.makePromise(of: Void.self)
        channel.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: sent)
        // It fails if the request has ended meanwhile, and with it the stream.
        return sent.futureResult.map { ResponseEnd(.streamReset) }.recover { _ in ResponseEnd(.kept) }
    }

    /// Sends RST_STREAM (RFC 9113 §6.4) once everything written is acknowledged, or after the drain time: flow control can delay
    /// writes. It is sent a little after the data: clients discard what they read together with a reset.
    private func resetStream(_ code: HTTP2ErrorCode) -> EventLoopFuture<ResponseEnd> {
        let loop = loop
        return connection.socket.sent(lastWrite).assumeIsolated()
            .flatMap { self.connection.socket.taken(on: loop) }
            .flatMap { _ in loop.scheduleTask(in: self.hasWritten ? WireLimits.beforeStreamReset : .zero) {}.futureResult }
            .map { _ in
                // The receipt is recorded first: a client that has seen the reset finds it in the journal.
                loop.assumeIsolated().execute {
                    self.channel?.writeAndFlush(self.wrapOutboundOut(.rstStream(code)), promise: nil)
                }
                return ResponseEnd(.streamReset)
            }
            .nonisolated()
    }

    private func put(_ payload: HTTP2Frame.FramePayload, _ promise: EventLoopPromise<Void>) {
        guard let channel else { return promise.fail(ChannelError.ioOnClosedChannel) }
        lastWrite = promise.futureResult
        hasWritten = true
        if case .data = payload { hasWrittenBody = true }
        openWrites += 1
        promise.futureResult.assumeIsolated().whenComplete { _ in self.openWrites -= 1 }
        channel.write(wrapOutboundOut(payload), promise: promise)
    }

    /// The connection-specific headers, which HTTP/2 forbids (RFC 9113 §8.2.2).
    private static let forbidden: Set<String> = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
}

/// A head that does not fit one frame of HTTP/2.
struct HeadTooLarge: Error, CustomStringConvertible {
    let bytes: Int

    var description: String { "found a head of \(bytes) bytes, expected at most \(WireLimits.pieceBytes - 1024), one frame of HTTP/2" }
}
#endif
