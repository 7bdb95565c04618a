import NIOCore

/// How exchanges end, and connections.
extension ConnectionHandler {
    /// An exchange is over and the connection stays: the next one waiting is taken.
    func finish(keepAlive: Bool, _ channel: ChannelHandlerContext) {
        guard keepAlive, !closesWhenIdle else { return shut(channel) }
        phase = .idle
        goOn(channel)
    }

    /// Writes bytes; they leave at the end of this round of reading, or at once outside one.
    func write(_ bytes: ByteBuffer, flush: Bool, _ channel: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        channel.write(wrapOutboundOut(bytes), promise: promise)
        if flush { channel.flush() } else { needsFlush = true }
    }

    /// FIN: everything written leaves, writing is shut down, what still comes is drained, then the connection is closed.
    ///
    /// - Parameter drains: without it the connection is closed as soon as the FIN was taken.
    func shut(_ channel: ChannelHandlerContext, drains: Bool = true) {
        stopReading()
        let bound = NIOLoopBound((handler: self, channel: channel), eventLoop: channel.eventLoop)
        allSent(channel).whenComplete { _ in
            let (handler, channel) = bound.value
            guard !handler.isInputClosed else { return channel.close(promise: nil) }
            // TLS forgets the promise of a first closing at a second one.
            guard !handler.hasSentAll else { return }
            handler.hasSentAll = true
            let loop = channel.eventLoop
            let isTaken = drains ? nil : loop.makePromise(of: Void.self)
            isTaken?.futureResult.whenComplete { _ in bound.value.handler.socket.closeWhenTaken(on: loop) }
            channel.close(mode: .output, promise: isTaken)
            channel.read()
            if drains { loop.scheduleTask(in: handler.socket.drain) { bound.value.handler.socket.close() } }
        }
    }

    func shutIfOpen() {
        guard let channel, channel.channel.isActive else { return }
        shut(channel)
    }

    /// RST: the connection is gone once everything written has left, or after the time for draining.
    ///
    /// - Returns: how many bytes the send queue still held, and how many were not even given to the kernel.
    func reset(_ channel: ChannelHandlerContext) -> EventLoopFuture<(unsent: Int, unwritten: Int)> {
        stopReading()
        let sent = channel.eventLoop.makePromise(of: Void.self)
        let limit = channel.eventLoop.scheduleTask(in: socket.drain) { sent.succeed() }
        allSent(channel).whenComplete { _ in
            limit.cancel()
            sent.succeed()
        }
        let bound = NIOLoopBound(socket, eventLoop: channel.eventLoop)
        let loop = channel.eventLoop
        return sent.futureResult.flatMap { bound.value.reset(on: loop) }
    }

    /// Nothing more is read or answered.
    func stopReading() {
        phase = .closing
        waiting.removeAll()
        decoder.stop()
        if isHalf { context.halves.release(self) }
        isHalf = false
    }

    /// Done when everything written so far is the kernel's, or never will be.
    private func allSent(_ channel: ChannelHandlerContext) -> EventLoopFuture<Void> {
        let sent = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
        return sent.futureResult
    }
}
