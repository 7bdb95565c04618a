import BankModel
import Faults
import NIOCore
import NIOHTTP1

extension ConnectionHandler: ReplySink {
    var loop: any EventLoop { places.loop }

    var isLast: Bool { closesWhenIdle }

    func endWithExchange() { closesWhenIdle = true }

    var writesWhole: Bool { true }

    func writeHead(_ head: OutgoingHead, endsReply: Bool, promise: EventLoopPromise<Void>) -> Int {
        let bytes = bytes(of: head, with: 0)
        put(bytes, promise)
        return bytes.readableBytes
    }

    func writeWhole(_ head: OutgoingHead, body: [UInt8], promise: EventLoopPromise<Void>) -> Int {
        var bytes = bytes(of: head, with: body.count)
        let headBytes = bytes.readableBytes
        bytes.writeBytes(body)
        put(bytes, promise)
        return headBytes
    }

    /// The head, and room for so many bytes of the body.
    private func bytes(of head: OutgoingHead, with bodyBytes: Int) -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: 512 + bodyBytes)
        ResponseHead.write(status: head.status, headers: head.headers, bodyBytes: head.length, to: &bytes)
        ResponseHead.finish(
            .init(
                date: head.date, requestIDName: head.requestIDName, requestID: head.requestID, allowedOrigin: context.cors,
                closes: head.closes, tellsThatItIsKept: tellsThatItIsKept), to: &bytes)
        return bytes
    }

    func writeHalfHead(_ head: OutgoingHead, promise: EventLoopPromise<Void>) -> Int {
        let name = head.headers.first?.name ?? "Content-Type"
        let line = "HTTP/1.1 \(head.status) \(HTTPResponseStatus(statusCode: head.status).reasonPhrase)\r\n"
        let bytes = ByteBuffer(string: line + name.prefix(max(1, name.count / 2)))
        put(bytes, promise)
        return bytes.readableBytes
    }

    func writeBody(_ bytes: ByteBuffer, endsReply: Bool, promise: EventLoopPromise<Void>) { put(bytes, promise) }

    func writeRaw(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>) -> Int {
        put(bytes, promise)
        return bytes.readableBytes
    }

    func flush() { channel?.flush() }

    func keep() -> ReplyEnd {
        guard let channel, channel.channel.isActive else { return ReplyEnd(.clientGone) }
        finish(keepAlive: true, channel)
        return ReplyEnd(.kept)
    }

    func end(_ ending: ReplyEnding) -> EventLoopFuture<ReplyEnd> {
        guard let channel, channel.channel.isActive else { return loop.makeSucceededFuture(ReplyEnd(.clientGone)) }
        switch ending {
        // Only streams can be reset and only HTTP/2 says goodbye: such faults never come here.
        case .close, .resetStream, .goaway:
            let bound = NIOLoopBound(self, eventLoop: loop)
            // It is written down first: whoever has seen the FIN can read of it.
            loop.execute { bound.value.shutIfOpen() }
            return loop.makeSucceededFuture(ReplyEnd(.fin))
        case .reset: return reset(channel).map { ReplyEnd(.rst, unsent: $0.unsent, unwritten: $0.unwritten) }
        case .gone:
            socket.close()
            return loop.makeSucceededFuture(ReplyEnd(.clientGone))
        }
    }

    private func put(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>) {
        guard let channel else { return promise.fail(ChannelError.ioOnClosedChannel) }
        channel.write(wrapOutboundOut(bytes), promise: promise)
    }
}
