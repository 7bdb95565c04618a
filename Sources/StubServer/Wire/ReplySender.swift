import BankCore
import BankEngine
import BankModel
import Faults
import NIOCore

/// The reply to one request. Every reply is sent as a plan, carried out by the connection's one writer.
enum ReplyPlan {
    /// A whole, rendered reply of HTTP/1.1, after which the connection stays. The session has recorded the receipt of these bytes,
    /// and corrects it if they cannot be written.
    case rendered(RenderedReply, seq: Int, of: BankSession)
    /// The steps of an exchange; nothing leaves before its ``Delivery/durable`` ticket is done.
    case steps(Delivery, of: BankSession)
    /// A reply without a session.
    case own(OwnReply)
}

/// A reply without a session: a refusal, or the answer to a preflight.
struct OwnReply {
    var sending: Sending
    let date: String

    /// Refuses a request.
    ///
    /// - Parameter endsConnection: whether the connection ends after it, as for a request of HTTP/1.1 whose end is not known.
    init(_ refusal: WireRefusal, date: String, endsConnection: Bool) {
        sending = Sending(status: refusal.status, headers: refusal.headers, body: refusal.body)
        if endsConnection { sending.steps.append(.close) }
        self.date = date
    }

    /// Answers a preflight.
    ///
    /// - Parameter asked: the headers that the browser wants to send.
    init(preflightFor asked: String?, date: String) {
        sending = Sending(status: 204, headers: Preflight.headers(asked: asked), body: [], mayHaveBody: false)
        self.date = date
    }
}

/// Carries out what ``ReplyStateMachine`` decides for one reply, and has the session record what was really sent.
///
/// It lives on its connection's event loop, from the answer to the last byte.
final class ReplySender {
    private let sink: any ReplySink
    /// Called when the exchange no longer needs the connection.
    private let whenOver: () -> Void
    private var reply: Source
    private var machine: ReplyStateMachine
    private var timer: Scheduled<Void>?
    /// The held exchange that calls back when it is released or dropped.
    private var watched: HeldExchanges.Held?

    /// The origin of the reply.
    private enum Source {
        case exchange(Delivery, BankSession)
        case own(OwnReply)

        var sending: Sending {
            switch self {
            case .exchange(let delivery, _): delivery.sending
            case .own(let reply): reply.sending
            }
        }
    }

    init(_ delivery: Delivery, of session: BankSession, to sink: any ReplySink, whenOver: @escaping () -> Void) {
        self.sink = sink
        self.whenOver = whenOver
        reply = .exchange(delivery, session)
        machine = ReplyStateMachine(joinsWhole: sink.writesWhole)
        begin(delivery, session)
        if delivery.endsConnection { sink.endWithExchange() }
    }

    init(_ own: OwnReply, to sink: any ReplySink, whenOver: @escaping () -> Void) {
        self.sink = sink
        self.whenOver = whenOver
        reply = .own(own)
        machine = ReplyStateMachine(joinsWhole: sink.writesWhole)
        machine.begin(own.sending)
    }

    /// Carries out actions until one takes time, or all are done.
    func run() {
        while let action = machine.next(isLast: sink.isLast) { carryOut(action) }
    }

    /// The connection is gone: nothing more can be sent.
    func clientGone() { if let action = machine.clientGone() { carryOut(action) } }

    /// The client has shut its side.
    func inputClosed() { if let action = machine.inputClosed() { carryOut(action) } }

    private func carryOut(_ action: ReplyStateMachine.Action) {
        switch action {
        case .execute: execute()
        case .write(let piece): write(piece)
        case .wait(let duration):
            sink.flush()
            let bound = NIOLoopBound(self, eventLoop: sink.loop)
            timer = sink.loop.scheduleTask(in: .nanoseconds(duration.nanoseconds)) { bound.value.timeIsUp() }
        case .rest: sink.flush()
        case .goAway(let code, let last): _ = sink.end(.goaway(code, last: last, staysOpen: true))
        case .end(let ending):
            stop()
            let bound = NIOLoopBound(self, eventLoop: sink.loop)
            sink.end(ending).whenComplete { bound.value.ended((try? $0.get()) ?? ReplyEnd(.clientGone)) }
        case .keep:
            stop()
            ended(sink.keep())
        }
    }

    // MARK: the exchange

    /// Begins to send a session's reply, as soon as its data is on disk.
    private func begin(_ delivery: Delivery, _ session: BankSession) {
        var delivery = delivery
        let ticket = delivery.durable
        delivery.durable = nil
        reply = .exchange(delivery, session)
        machine.begin(delivery.sending, waitingFor: ticket == nil ? nil : .disk)
        watch(delivery.held)
        let bound = NIOLoopBound(self, eventLoop: sink.loop)
        let loop = sink.loop
        ticket?.whenDone { result in loop.execute { bound.value.decided(isOnDisk: (try? result.get()) != nil) } }
    }

    private func execute() {
        guard case .exchange(let delivery, let session) = reply else { return }
        let bound = NIOLoopBound(self, eventLoop: sink.loop)
        let loop = sink.loop
        if session.forward(delivery, { reply in loop.execute { bound.value.proceed(with: reply) } }) {
            return machine.awaitUpstream()
        }
        begin(session.proceed(delivery), session)
    }

    /// Continues with the reply of a real bank.
    private func proceed(with forwarded: Reply) {
        guard !machine.isOver, case .exchange(let delivery, let session) = reply else { return }
        begin(session.proceed(delivery, with: forwarded), session)
        run()
    }

    /// - Parameter isOnDisk: false if the data that the reply shows could not be stored: an error is sent instead.
    private func decided(isOnDisk: Bool) {
        if !isOnDisk, case .exchange(let delivery, let session) = reply {
            let refused = session.refuse(delivery)
            reply = .exchange(refused, session)
            machine.begin(refused.sending)
        }
        machine.isOnDisk()
        run()
    }

    /// Continues when the held exchange is released or dropped.
    private func watch(_ held: HeldExchanges.Held?) {
        guard let held, held !== watched else { return }
        watched = held
        if case .released = held.ending { machine.released() }
        let bound = NIOLoopBound(self, eventLoop: sink.loop)
        let loop = sink.loop
        held.whenEnded { ending in loop.execute { bound.value.heldEnded(ending) } }
    }

    private func heldEnded(_ ending: HeldExchanges.Ending) {
        switch ending {
        case .dropped: if let action = machine.dropped() { carryOut(action) }
        case .released:
            timer?.cancel()
            machine.released()
            run()
        }
    }

    private func timeIsUp() {
        machine.timeIsUp()
        run()
    }

    // MARK: writing

    private func write(_ piece: ReplyStateMachine.Piece) {
        let promise = sink.loop.makePromise(of: Void.self)
        let bytes = sink.write(outgoing(piece), promise: promise)
        let bound = NIOLoopBound(self, eventLoop: sink.loop)
        promise.futureResult.whenComplete { result in bound.value.written(bytes, result) }
    }

    private func outgoing(_ piece: ReplyStateMachine.Piece) -> ReplyPiece {
        switch piece {
        case .head(let endsReply, let closes): .head(head(closes: closes), endsReply: endsReply)
        case .whole(let closes): .whole(head(closes: closes), body: reply.sending.body)
        case .halfHead(let closes): .halfHead(head(closes: closes))
        case .raw(let bytes): .raw(ByteBuffer(bytes: bytes))
        case .interim(let status, let headers): .interim(status, headers)
        case .again(let closes): .again(head(closes: closes), body: reply.sending.mayHaveBody ? reply.sending.body : [])
        case .body(let range, let endsReply): .body(ByteBuffer(bytes: reply.sending.body[range]), endsReply: endsReply)
        }
    }

    private func head(closes: Bool) -> OutgoingHead {
        let sending = reply.sending
        let length: Int? =
            switch sending.framing {
            case .length(let length): length ?? sending.body.count
            case .chunked: nil
            }
        var head = OutgoingHead(
            status: sending.status, headers: sending.headers, length: length, date: "", requestID: "", closes: closes)
        switch reply {
        case .exchange(let delivery, _):
            head.date = delivery.date
            head.requestIDName = delivery.requestIDName
            head.requestID = delivery.requestID
        case .own(let reply): head.date = reply.date
        }
        return head
    }

    private func written(_ bytes: WrittenBytes, _ result: Result<Void, any Error>) {
        switch result {
        case .success: machine.wrote(bytes)
        case .failure: machine.lost(bytes)
        }
        completeIfDone()
    }

    // MARK: the end

    /// Ends the writing and frees the connection, which may answer its next request at once.
    private func stop() {
        timer?.cancel()
        timer = nil
        sink.flush()
        whenOver()
    }

    private func ended(_ end: ReplyEnd) {
        machine.ended(end)
        completeIfDone()
    }

    private func completeIfDone() {
        guard let receipt = machine.complete(), case .exchange(let delivery, let session) = reply else { return }
        delivery.held?.forget()
        session.complete(delivery, receipt, status: receipt.headBytes > 0 ? delivery.sending.status : nil)
    }
}
