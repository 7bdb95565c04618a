import NIOCore

/// Limits a connection to a number of bytes a second, each way. It is next to the socket, so that handshakes are slow too.
final class BandwidthHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The bytes written at once.
    private let piece: Int
    /// The time that a piece takes.
    private let pause: TimeAmount

    private var queue: [Outgoing] = []
    private var isPausing = false
    private var mayReadAt = NIODeadline.now()

    private enum Outgoing {
        case bytes(ByteBuffer, EventLoopPromise<Void>?)
        case end(CloseMode, EventLoopPromise<Void>?)
    }

    init(bytesPerSecond rate: Int) {
        // One piece each 20 ms; below 50 bytes a second, one byte at a time.
        piece = max(1, rate / 50)
        pause = rate >= 50 ? .milliseconds(20) : .nanoseconds(1_000_000_000 / Int64(rate))
    }

    // MARK: reading

    func read(context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        guard mayReadAt > now else { return context.read() }
        context.eventLoop.assumeIsolated().scheduleTask(deadline: mayReadAt) { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        mayReadAt = max(mayReadAt, .now()) + .nanoseconds(pause.nanoseconds * Int64(count) / Int64(piece))
        context.fireChannelRead(data)
    }

    // MARK: writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        queue.append(.bytes(unwrapOutboundIn(data), promise))
    }

    func flush(context: ChannelHandlerContext) { writeNext(context) }

    /// Queues a FIN or a close behind the bytes that are still to be written.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        queue.append(.end(mode, promise))
        writeNext(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        for outgoing in queue {
            switch outgoing {
            case .bytes(_, let promise): promise?.fail(ChannelError.ioOnClosedChannel)
            case .end(_, let promise): promise?.succeed()
            }
        }
        queue.removeAll()
        context.fireChannelInactive()
    }

    /// Writes a piece, and goes on after its time.
    private func writeNext(_ context: ChannelHandlerContext) {
        guard !isPausing else { return }
        var room = piece
        queue: while room > 0, let first = queue.first {
            switch first {
            case .end where room < piece: break queue
            case .end(let mode, let promise):
                queue.removeFirst()
                context.close(mode: mode, promise: promise)
            case .bytes(var bytes, let promise):
                let slice = bytes.readSlice(length: min(room, bytes.readableBytes)) ?? ByteBuffer()
                room -= slice.readableBytes
                let isAll = bytes.readableBytes == 0
                if isAll { queue.removeFirst() } else { queue[0] = .bytes(bytes, promise) }
                context.write(wrapOutboundOut(slice), promise: isAll ? promise : nil)
            }
        }
        context.flush()
        if room < piece { wait(context) }
    }

    private func wait(_ context: ChannelHandlerContext) {
        isPausing = true
        context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
            self.isPausing = false
            self.writeNext(context)
        }
    }
}
