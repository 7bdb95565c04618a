import BankCore
import BankEngine
import BankModel
import Faults
import NIOCore

/// Carries out the steps of one exchange, at their times, and writes down what was really sent.
///
/// It lives on its connection's event loop, from the answer to the last byte.
final class ReplySender {
    private let session: BankSession
    private let sink: any ReplySink
    /// Called when the exchange needs no more of the connection.
    private let whenOver: () -> Void
    private var delivery: Delivery
    private var steps: ArraySlice<WireStep>
    private var receipt = Receipt(end: .kept)
    /// Writes of which it is not known yet whether they have left.
    private var underway = 0
    private var isAnyWriteLost = false
    /// Bytes of the body in writes that failed: part of them may have left before.
    private var lostBody = 0
    private var ended: ReplyEnd?
    /// No step is to be carried out any more.
    private var isOver = false
    private var isComplete = false
    private var timer: Scheduled<Void>?
    /// Silent until released: a client that shuts its side is gone.
    private var isSilent = false
    /// It is not known yet whether what it shows is on the disk.
    private var isUndecided = false
    /// Its ending was told to this.
    private var watched: HeldExchanges.Held?

    init(_ delivery: Delivery, _ session: BankSession, to sink: any ReplySink, whenOver: @escaping () -> Void) {
        (self.delivery, self.session, self.sink, self.whenOver) = (delivery, session, sink, whenOver)
        steps = delivery.sending.steps[...]
        if delivery.endsConnection { sink.endWithExchange() }
    }

    /// Carries out steps until one takes time, or all are done.
    func run() {
        watch()
        while !isOver {
            if waitsForDisk() { return }
            guard let step = steps.popFirst() else { return sink.isLast ? end(.close) : keep() }
            switch step {
            case .execute:
                let (sender, loop) = (NIOLoopBound(self, eventLoop: sink.loop), sink.loop)
                isUndecided = session.forward(delivery) { reply in loop.execute { sender.value.proceed(with: reply) } }
                if isUndecided { return }
                delivery = session.proceed(delivery)
                steps = delivery.sending.steps[...]
                watch()
            case .head:
                let head = head
                if isWhole {
                    let body = delivery.sending.body
                    steps = []
                    count { (head: sink.writeWhole(head, body: body, promise: $0), body: body.count, raw: 0) }
                } else {
                    count { (head: sink.writeHead(head, endsReply: !hasBodyLeft && isOrderly, promise: $0), body: 0, raw: 0) }
                }
            case .halfHead:
                let head = head
                count { (head: sink.writeHalfHead(head, promise: $0), body: 0, raw: 0) }
            case .raw(let bytes): count { (head: 0, body: 0, raw: sink.writeRaw(ByteBuffer(bytes: bytes), promise: $0)) }
            case .body: if mayWriteBody { write(0..<delivery.sending.body.count) }
            case .part(let range): if mayWriteBody { write(range) }
            case .trickle(let range, let piece, let every, let rule):
                guard mayWriteBody, !range.isEmpty else { continue }
                let cut = isReleased ? range.upperBound : min(range.upperBound, range.lowerBound + piece)
                if cut < range.upperBound {
                    steps =
                        [.pause(.duration(every), rule: rule), .trickle(cut..<range.upperBound, piece: piece, every: every, rule: rule)]
                        + steps
                }
                write(range.lowerBound..<cut)
            case .pause(let wait, _): if pause(wait) { return }
            case .hold: if hold() { return }
            case .close: end(.close)
            case .reset: end(.reset)
            case .resetStream(let code): end(.resetStream(code))
            case .goaway(let code, let last, let staysOpen):
                guard staysOpen else {
                    end(.goaway(code, last: last, staysOpen: false))
                    continue
                }
                _ = sink.end(.goaway(code, last: last, staysOpen: true))
            }
        }
    }

    /// Goes on with what a real bank has answered.
    func proceed(with reply: Reply) {
        isUndecided = false
        guard !isOver else { return }
        delivery = session.proceed(delivery, with: reply)
        steps = delivery.sending.steps[...]
        run()
    }

    /// The connection is gone: nothing more can be sent.
    func clientGone() {
        guard !isOver else { return }
        end(.gone)
    }

    /// The client has shut its side; whoever only keeps silent need not go on.
    func inputClosed() { if isSilent { end(.gone) } }

    // MARK: steps

    private var head: OutgoingHead {
        let sending = delivery.sending
        let length: Int? =
            switch sending.framing {
            case .length(let length): length ?? sending.body.count
            case .chunked: nil
            }
        return OutgoingHead(
            status: sending.status, headers: sending.headers, length: length, date: delivery.date,
            requestIDName: delivery.requestIDName, requestID: delivery.requestID, closes: !isOrderly || sink.isLast)
    }

    /// Whether nothing is left but a small body, as nearly always: it goes with the head.
    private var isWhole: Bool {
        guard sink.writesWhole, steps.count == 1, case .body? = steps.first else { return false }
        return mayWriteBody && delivery.sending.body.count <= WireLimits.wholeBytes
    }

    /// Whether the connection stays once all steps are done.
    private var isOrderly: Bool {
        !steps.contains { step in
            switch step {
            case .close, .reset, .resetStream, .goaway: true
            default: false
            }
        }
    }

    private var mayWriteBody: Bool { delivery.sending.mayHaveBody && !delivery.sending.body.isEmpty }

    private var hasBodyLeft: Bool {
        mayWriteBody
            && steps.contains { step in
                switch step {
                case .body, .part, .trickle: true
                default: false
                }
            }
    }

    /// Writes that part of the body, in pieces: what a peer does not take is then known by the piece.
    private func write(_ range: Range<Int>) {
        let ends = !hasBodyLeft && isOrderly
        var start = range.lowerBound
        while start < range.upperBound {
            let piece = start..<min(range.upperBound, start + WireLimits.pieceBytes)
            let bytes = ByteBuffer(bytes: delivery.sending.body[piece])
            count { promise in
                sink.writeBody(bytes, endsReply: ends && piece.upperBound == range.upperBound, promise: promise)
                return (head: 0, body: piece.count, raw: 0)
            }
            start = piece.upperBound
        }
    }

    /// Counts what a write has really sent, once it has.
    private func count(_ write: (EventLoopPromise<Void>) -> (head: Int, body: Int, raw: Int)) {
        let promise = sink.loop.makePromise(of: Void.self)
        underway += 1
        let bytes = write(promise)
        let bound = NIOLoopBound(self, eventLoop: sink.loop)
        promise.futureResult.whenComplete { result in
            let sender = bound.value
            sender.underway -= 1
            switch result {
            case .success:
                sender.receipt.headBytes += bytes.head
                sender.receipt.bodyBytes += bytes.body
                sender.receipt.rawBytes += bytes.raw
            case .failure:
                sender.isAnyWriteLost = true
                sender.lostBody += bytes.body
            }
            sender.completeIfDone()
        }
    }

    // MARK: waiting

    /// Nobody hears of a command before it is on the disk.
    ///
    /// - Returns: false if there is nothing to wait for.
    private func waitsForDisk() -> Bool {
        guard let ticket = delivery.durable else { return isUndecided }
        delivery.durable = nil
        isUndecided = true
        let bound = NIOLoopBound(self, eventLoop: sink.loop)
        let loop = sink.loop
        ticket.whenDone { result in loop.execute { bound.value.decided((try? result.get()) != nil) } }
        return true
    }

    private func decided(_ isKept: Bool) {
        isUndecided = false
        if !isKept {
            delivery = session.refuse(delivery)
            steps = delivery.sending.steps[...]
        }
        if !isOver { run() }
    }

    private var isReleased: Bool { if case .released = delivery.held?.ending { true } else { false } }

    /// Hears when what is held is let go.
    private func watch() {
        guard let held = delivery.held, held !== watched else { return }
        watched = held
        let bound = NIOLoopBound(self, eventLoop: sink.loop)
        let loop = sink.loop
        held.whenEnded { ending in loop.execute { bound.value.heldEnded(ending) } }
    }

    private func heldEnded(_ ending: HeldExchanges.Ending) {
        guard !isOver else { return }
        switch ending {
        case .dropped: end(.close)
        case .released where timer != nil || isSilent || waitsForRelease: resume()
        case .released: break
        }
    }

    /// - Returns: false if there is nothing to wait for.
    private func pause(_ wait: Wait) -> Bool {
        if isReleased { return false }
        sink.flush()
        switch wait {
        case .released: waitsForRelease = true
        case .duration(let duration):
            let bound = NIOLoopBound(self, eventLoop: sink.loop)
            timer = sink.loop.scheduleTask(in: .nanoseconds(duration.nanoseconds)) { bound.value.resume() }
        }
        return true
    }

    private var waitsForRelease = false

    private func hold() -> Bool {
        if isReleased { return false }
        sink.flush()
        isSilent = true
        return true
    }

    private func resume() {
        timer?.cancel()
        (timer, isSilent, waitsForRelease) = (nil, false, false)
        run()
    }

    // MARK: the end

    private func end(_ ending: ReplyEnding) {
        stop()
        let bound = NIOLoopBound(self, eventLoop: sink.loop)
        sink.end(ending).whenComplete { result in
            bound.value.ended = (try? result.get()) ?? ReplyEnd(.clientGone)
            bound.value.completeIfDone()
        }
    }

    private func keep() {
        stop()
        ended = sink.keep()
        completeIfDone()
    }

    /// Nothing more is to be written. The connection hears of it first: it may have its next request answered at once.
    private func stop() {
        isOver = true
        timer?.cancel()
        (timer, isSilent) = (nil, false)
        sink.flush()
        whenOver()
    }

    private func completeIfDone() {
        guard let ended, underway == 0, !isComplete else { return }
        isComplete = true
        delivery.held?.forget()
        receipt.unsent = ended.unsent
        if let unwritten = ended.unwritten { receipt.bodyBytes += max(0, lostBody - unwritten) }
        receipt.end = ended.end == .kept && isAnyWriteLost ? .clientGone : ended.end
        session.complete(delivery, receipt, status: receipt.headBytes > 0 ? delivery.sending.status : nil)
    }
}
