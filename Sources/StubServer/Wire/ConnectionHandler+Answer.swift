import BankModel
import Faults
import NIOCore
import NIOHTTP1

extension ConnectionHandler {
    /// Answers a request that was read to its end.
    func answer(_ head: HTTPRequestHead, _ body: [UInt8], _ mono: Int64, _ channel: ChannelHandlerContext) {
        var authorization: String?
        var header: String?
        for (name, value) in head.headers {
            switch name.utf8.count {
            case 13 where authorization == nil && name.lowercased() == "authorization": authorization = value
            case 21 where name.lowercased() == "x-counterfoil-session": header = value
            default: break
            }
        }
        if context.cors != nil, head.method == .OPTIONS, head.headers.contains(name: "Access-Control-Request-Method") {
            return preflight(head, channel)
        }
        switch context.choice.choose(head.uri, header: header, authorization: authorization) {
        case .refused(let status, let detail):
            write(WireRefusal(status: status, detail: detail).bytes(date: context.clock.now().httpDate), flush: true, channel, promise: nil)
            shut(channel)
        case .chosen(let session, let target):
            let place = place(in: session, channel)
            if head.method == .GET, body.isEmpty, head.isKeepAlive,
                answerFromCache(head, session, target, authorization, place, mono, channel)
            {
                return
            }
            let delivery = session.handle(
                WireRequest(
                    method: head.method.rawValue, target: target, headers: head.headers.map { JournalEntry.Header($0.name, $0.value) }, body: body,
                    connection: place.number, requestOnConnection: place.requests, mono: mono))
            deliver(delivery, session, isHead: head.method == .HEAD, keepAlive: head.isKeepAlive, channel)
        }
    }

    private func place(in session: BankSession, _ channel: ChannelHandlerContext) -> (number: Int, requests: Int) {
        if let last, last.session === session {
            self.last?.requests += 1
            return (last.number, last.requests + 1)
        }
        if let last { requestsInSession[ObjectIdentifier(last.session)] = last.requests }
        let id = ObjectIdentifier(session)
        let number = numbers[id]?.number ?? session.register(channel.channel)
        numbers[id] = (session, number)
        let requests = requestsInSession[id, default: 0] + 1
        last = (session, number, requests)
        return (number, requests)
    }

    /// The hot path: a read that was rendered before.
    private func answerFromCache(
        _ head: HTTPRequestHead, _ session: BankSession, _ target: String, _ authorization: String?, _ place: (number: Int, requests: Int),
        _ mono: Int64, _ channel: ChannelHandlerContext
    ) -> Bool {
        if memo != nil, !memoHeaders.isSame(as: head.headers) { memo = nil }
        let delivery = session.read(
            &memo, target: target, headers: { head.headers.map { JournalEntry.Header($0.name, $0.value) } }, authorization: authorization,
            connection: place.number, requestOnConnection: place.requests, mono: mono)
        if memo != nil { memoHeaders = head.headers }
        guard var delivery else { return false }
        delivery.tail.allowedOrigin = context.cors
        var bytes = channel.channel.allocator.buffer(capacity: delivery.reply.head.readableBytes + delivery.reply.body.readableBytes + 192)
        var (headBytes, body) = (delivery.reply.head, delivery.reply.body)
        bytes.writeBuffer(&headBytes)
        ResponseHead.finish(delivery.tail, to: &bytes)
        let sent = Receipt(headBytes: bytes.readableBytes, bodyBytes: body.readableBytes, end: .kept)
        bytes.writeBuffer(&body)
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let seq = delivery.seq
        promise.futureResult.whenComplete { result in
            switch result {
            case .success: session.complete(seq, sent, status: 200)
            case .failure: session.complete(seq, Receipt(end: .clientGone), status: nil)
            }
        }
        write(bytes, flush: false, channel, promise: promise)
        finish(keepAlive: true, channel)
        return true
    }

    /// A browser asks whether it may send (CORS preflight, Fetch §3.2.2).
    private func preflight(_ head: HTTPRequestHead, _ channel: ChannelHandlerContext) {
        var buffer = ByteBuffer()
        let asked = head.headers.first(name: "Access-Control-Request-Headers") ?? "Authorization, Content-Type, Idempotency-Key"
        ResponseHead.write(
            status: 204,
            headers: [
                .init("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"), .init("Access-Control-Allow-Headers", asked),
                .init("Access-Control-Max-Age", "600"),
            ], bodyBytes: 0, to: &buffer)
        ResponseHead.finish(
            .init(date: context.clock.now().httpDate, requestID: "", allowedOrigin: context.cors, closes: !head.isKeepAlive), to: &buffer)
        write(buffer, flush: true, channel, promise: nil)
        finish(keepAlive: head.isKeepAlive, channel)
    }
}

extension HTTPHeaders {
    /// Whether the lines are the same, one by one: cheaper than equality, which sorts.
    fileprivate func isSame(as other: HTTPHeaders) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.name == $1.name && $0.value == $1.value }
    }
}
