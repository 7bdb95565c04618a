import BankCore
import BankModel
import Faults
import NIOCore

extension ConnectionHandler {
    /// Carries out a delivery, now or when its fault says.
    func deliver(_ delivery: Delivery, _ session: BankSession, isHead: Bool, keepAlive: Bool, _ channel: ChannelHandlerContext) {
        guard let after = delivery.after else {
            return send(delivery, session, isHead: isHead, keepAlive: keepAlive, channel)
        }
        let loop = channel.eventLoop
        let bound = NIOLoopBound((handler: self, channel: channel), eventLoop: loop)
        delivery.held?.whenEnded { ending in
            loop.execute {
                let (handler, channel) = bound.value
                if let ticket = delivery.ticket { session.abandon(ticket) }
                guard channel.channel.isActive else { return session.complete(delivery.seq, Receipt(end: .clientGone), status: nil) }
                switch ending {
                case .released: handler.send(delivery, session, isHead: isHead, keepAlive: keepAlive, channel)
                case .dropped:
                    session.complete(delivery.seq, Receipt(end: .fin), status: nil)
                    handler.shut(channel)
                }
            }
        }
        // A client that goes away is no longer held.
        channel.channel.closeFuture.whenComplete { _ in
            guard let held = session.takeHeld(delivery.seq) else { return }
            held.end(.dropped)
        }
        if case .duration(let duration) = after {
            loop.scheduleTask(in: .nanoseconds(duration.nanoseconds)) { session.takeHeld(delivery.seq)?.end(.released) }
        }
    }

    /// Carries out the steps of a delivery, and writes down what was sent.
    func send(_ delivery: Delivery, _ session: BankSession, isHead: Bool, keepAlive: Bool, _ channel: ChannelHandlerContext) {
        var receipt = Receipt(end: .kept)
        var bytes = ByteBuffer()
        let ends = delivery.steps.contains(.close) || delivery.steps.contains(.reset) || !keepAlive || closesWhenIdle
        for step in delivery.steps {
            switch step {
            case .head:
                ResponseHead.write(
                    status: delivery.reply.status, headers: delivery.reply.headers, bodyBytes: delivery.reply.body.count, to: &bytes)
                ResponseHead.finish(
                    .init(
                        date: delivery.date, requestIDName: delivery.requestIDName, requestID: delivery.requestID,
                        allowedOrigin: context.cors,
                        closes: ends), to: &bytes)
                receipt.headBytes = bytes.readableBytes
            case .body where isHead || delivery.reply.status == 204 || delivery.reply.status == 304: break
            case .body:
                receipt.bodyBytes = delivery.reply.body.count
                bytes.writeBytes(delivery.reply.body)
            case .close: receipt.end = .fin
            case .reset: receipt.end = .rst
            }
        }
        if receipt.end == .kept, ends { receipt.end = .fin }
        let status = receipt.headBytes > 0 ? delivery.reply.status : nil
        if bytes.readableBytes > 0 {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            promise.futureResult.whenComplete { [receipt] result in
                switch result {
                case .success: session.complete(delivery.seq, receipt, status: status)
                case .failure: session.complete(delivery.seq, Receipt(end: .clientGone), status: nil)
                }
            }
            write(bytes, flush: true, channel, promise: promise)
        } else {
            session.complete(delivery.seq, receipt, status: status)
        }
        if receipt.end == .rst { reset(channel) } else { finish(keepAlive: !ends, channel) }
    }
}
