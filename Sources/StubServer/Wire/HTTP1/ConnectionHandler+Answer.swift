import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHTTP1

extension ConnectionHandler {
    /// Answers a request that was read to its end.
    func answer(_ head: HTTPRequestHead, _ body: [UInt8], _ mono: Int64, _ channel: ChannelHandlerContext) {
        guard let found = lastRequest.flatMap({ $0.isSame(as: head) ? $0 : nil }) ?? takeApart(head, channel) else { return }
        let session = found.session
        let place = places.place(in: session, channel.channel)
        if head.method == .GET, body.isEmpty, head.isKeepAlive, !tellsThatItIsKept, answerFromCache(head, found, place, mono, channel) {
            return
        }
        if !head.isKeepAlive { closesWhenIdle = true }
        isInRound = true
        round.add(
            WireRequest(
                method: head.method.rawValue, target: found.target, headers: head.headers.map { JournalEntry.Header($0.name, $0.value) },
                body: body, connection: place.number, requestOnConnection: place.requests, mono: mono, line: line, sentTarget: head.uri,
                authority: head.headers.first(name: "Host"),
                atOnce: closesWhenIdle || tellsThatItIsKept ? nil : WireRequest.AtOnce(allowedOrigin: context.cors)),
            to: session, for: self)
    }

    /// Takes what the session has made of the request, at the end of the round.
    func take(_ delivery: Delivery, of session: BankSession) {
        isInRound = false
        guard let channel, channel.channel.isActive else {
            if delivery.rendered != nil { return session.clientGone(delivery.seq) }
            send(delivery, of: session)
            sender?.clientGone()
            return
        }
        if let rendered = delivery.rendered { return write(rendered, recordedAs: delivery.seq, of: session, channel) }
        send(delivery, of: session)
        if isInputClosed { sender?.inputClosed() }
    }

    /// Carries out a delivery step by step.
    private func send(_ delivery: Delivery, of session: BankSession) {
        let sender = ReplySender(delivery, session, to: self) { [weak self] in self?.sender = nil }
        self.sender = sender
        sender.run()
    }

    /// Writes a reply that was recorded as sent.
    private func write(_ reply: RenderedReply, recordedAs seq: Int, of session: BankSession, _ channel: ChannelHandlerContext) {
        var bytes = channel.channel.allocator.buffer(capacity: reply.count)
        bytes.writeBytes(reply.beginning)
        bytes.writeBytes(reply.tail)
        bytes.writeBytes(reply.body)
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenFailure { _ in session.clientGone(seq) }
        write(bytes, flush: false, channel, promise: promise)
        finish(keepAlive: true, channel)
    }

    /// Finds a request's session; nil if it was answered without one.
    private func takeApart(_ head: HTTPRequestHead, _ channel: ChannelHandlerContext) -> LastRequest? {
        memo = nil
        let authorizations = head.headers["Authorization"]
        if let refusal = WireRefusal(authorizations: authorizations.count) {
            refuse(refusal, channel)
            return nil
        }
        let authorization = authorizations.first
        if context.cors != nil, head.method == .OPTIONS, head.headers.contains(name: "Access-Control-Request-Method") {
            preflight(head, channel)
            return nil
        }
        let header = head.headers.first(name: "X-Counterfoil-Session")
        if header == nil, let last = lastRequest, last.isChosen(by: head.uri, authorization) {
            // The same but for a header that chooses nothing, such as a key.
            let found = LastRequest(
                uri: last.uri, headers: head.headers, session: last.session, target: last.target, authorization: authorization)
            lastRequest = found
            return found
        }
        switch context.choice.choose(head.uri, header: header, authorization: authorization) {
        case .refused(let status, let detail):
            refuse(WireRefusal(status: status, detail: detail), channel)
            return nil
        case .chosen(let session, let target):
            if head.method == .TRACE, let refusal = WireRefusal(traceOf: session.methods(at: target)) {
                refuse(refusal, channel)
                return nil
            }
            let found = LastRequest(uri: head.uri, headers: head.headers, session: session, target: target, authorization: authorization)
            // Any other may be removed and made anew between two requests.
            lastRequest = context.choice.isLasting(session) ? found : nil
            return found
        }
    }

    /// The hot path: a read that was rendered before.
    private func answerFromCache(
        _ head: HTTPRequestHead, _ found: LastRequest, _ place: (number: Int, requests: Int), _ mono: Int64,
        _ channel: ChannelHandlerContext
    ) -> Bool {
        let session = found.session
        let delivery = session.read(
            &memo, target: found.target, headers: { head.headers.map { JournalEntry.Header($0.name, $0.value) } },
            authorization: found.authorization, connection: place.number, requestOnConnection: place.requests, line: line,
            mono: mono, allowedOrigin: context.cors)
        guard let delivery else { return false }
        write(delivery.reply, recordedAs: delivery.seq, of: session, channel)
        return true
    }

    /// A browser asks whether it may send.
    private func preflight(_ head: HTTPRequestHead, _ channel: ChannelHandlerContext) {
        var buffer = ByteBuffer()
        let asked = head.headers.first(name: "Access-Control-Request-Headers")
        ResponseHead.write(status: 204, headers: Preflight.headers(asked: asked), bodyBytes: 0, to: &buffer)
        ResponseHead.finish(
            .init(
                date: context.clock.now().httpDate, requestID: "", allowedOrigin: context.cors, closes: !head.isKeepAlive,
                tellsThatItIsKept: tellsThatItIsKept), to: &buffer)
        write(buffer, flush: true, channel, promise: nil)
        finish(keepAlive: head.isKeepAlive, channel)
    }
}

extension ConnectionHandler.LastRequest {
    /// Whether a request without a header of ours is for the same session and target.
    fileprivate func isChosen(by uri: String, _ authorization: String?) -> Bool {
        self.uri == uri && self.authorization == authorization && !headers.contains(name: "X-Counterfoil-Session")
    }

    /// Whether the request is the same, line by line: cheaper than equality of headers, which sorts.
    fileprivate func isSame(as head: HTTPRequestHead) -> Bool {
        uri == head.uri && headers.count == head.headers.count
            && zip(headers, head.headers).allSatisfy { $0.name == $1.name && $0.value == $1.value }
    }
}
