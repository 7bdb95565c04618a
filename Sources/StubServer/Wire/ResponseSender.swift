import BankCore
import BankEngine
import BankModel
import Faults
import NIOCore

/// Carries out what ``ResponseStateMachine`` decides for one response, and has the session record what was really sent.
///
/// It lives on its connection's event loop, from the start of the response to its last byte.
final class ResponseSender {
    private let writer: any ResponseWriter
    /// Called when the exchange no longer needs the connection.
    private let whenOver: () -> Void
    private var plan: ResponsePlan
    /// The session that answered; nil for a response without one.
    private let session: BankSession?
    private var machine = ResponseStateMachine()
    private var isInputClosed = false
    private var timer: Scheduled<Void>?
    /// Waits for a real bank; cancelled at the end, as the event loop may end soon after.
    private var waiting: Task<Void, Never>?
    /// The held exchange that calls back when it is released or dropped.
    private var watched: HeldExchanges.Held?

    init(_ plan: ResponsePlan, of session: BankSession?, to writer: any ResponseWriter, whenOver: @escaping () -> Void) {
        self.writer = writer
        self.whenOver = whenOver
        self.plan = plan
        self.session = session
        begin(plan)
        if plan.endsConnection { writer.endWithExchange() }
    }

    /// Carries out actions until one takes time, or all are done.
    func run() {
        while let action = machine.next(isLast: writer.isLast) { carryOut(action) }
    }

    /// The connection is gone: nothing more can be sent.
    func clientGone() { if let action = machine.clientGone() { carryOut(action) } }

    /// The client has shut its side.
    func inputClosed() {
        isInputClosed = true
        if let action = machine.inputClosed(isEndless: plan.rest?.isEndless ?? false) { carryOut(action) }
    }

    private func carryOut(_ action: ResponseStateMachine.Action) {
        switch action {
        case .execute: execute()
        case .write(let step, let closes, let endsResponse): write(step, closes: closes, endsResponse: endsResponse)
        case .wait(let duration):
            writer.flush()
            timer = writer.loop.assumeIsolated().scheduleTask(in: .nanoseconds(duration.nanoseconds)) { self.timeIsUp() }
        case .waitForEvent: writer.flush()
        case .readPiece: readPiece()
        case .goAway(let code, let last): _ = writer.end(.goaway(code, last: last, staysOpen: true))
        case .end(let ending):
            stop()
            writer.end(ending).assumeIsolated().whenComplete { self.ended((try? $0.get()) ?? ResponseEnd(.clientGone)) }
        case .keep:
            stop()
            ended(writer.keep())
        }
    }

    // MARK: the exchange

    /// Begins to send a response, as soon as its data is on disk.
    private func begin(_ next: ResponsePlan) {
        plan = next
        machine.begin(next.outgoing, waitingFor: next.durable == nil ? nil : .disk)
        // Whether the body has an end is known only now, if a fault has delayed the request.
        if isInputClosed { inputClosed() }
        watch(next.held)
        let bound = NIOLoopBound(self, eventLoop: writer.loop)
        let loop = writer.loop
        next.durable?.whenDone { result in loop.execute { bound.value.decided(result) } }
    }

    private func execute() {
        guard let session else { return }
        let bound = NIOLoopBound(self, eventLoop: writer.loop)
        let loop = writer.loop
        waiting = session.forward(plan) { response in loop.execute { bound.value.proceed(with: response) } }
        if waiting != nil { return machine.awaitUpstream() }
        begin(session.proceed(plan))
    }

    /// Continues with the response of a real bank.
    private func proceed(with forwarded: UpstreamResponse) {
        guard !machine.isOver, let session else {
            forwarded.rest?.cancel()
            return
        }
        begin(session.proceed(plan, with: forwarded))
        run()
    }

    /// Asks the real bank, or the stream of events, for the next piece of the body.
    private func readPiece() {
        guard let rest = plan.rest else { return }
        let bound = NIOLoopBound(self, eventLoop: writer.loop)
        let loop = writer.loop
        waiting = Task {
            let piece = await rest.next()
            guard !Task.isCancelled else { return }
            loop.execute {
                let sender = bound.value
                if case .cut = piece { sender.session?.noteCut(sender.plan.seq) }
                sender.machine.received(piece)
                sender.run()
            }
        }
    }

    /// Sends the response once the data that it shows is on disk. If the data could not be stored an error is sent instead; if that is unknown,
    /// neither would be true: the connection ends without a byte.
    private func decided(_ result: Result<Void, StoreError>) {
        if case .failure(let error) = result, let session {
            plan = session.reject(plan)
            if case .unknown = error {
                if let action = machine.dropped() { carryOut(action) }
                return
            }
            machine.begin(plan.outgoing)
        }
        machine.becameDurable()
        run()
    }

    /// Continues when the held exchange is released or dropped.
    private func watch(_ held: HeldExchanges.Held?) {
        guard let held, held !== watched else { return }
        watched = held
        if case .released = held.ending { machine.released() }
        let bound = NIOLoopBound(self, eventLoop: writer.loop)
        let loop = writer.loop
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

    private func write(_ step: WireStep, closes: Bool, endsResponse: Bool) {
        let promise = writer.loop.makePromise(of: Void.self)
        let bytes = writer.write(step, of: plan, closes: closes, endsResponse: endsResponse, promise: promise)
        promise.futureResult.assumeIsolated().whenComplete { result in self.written(bytes, result) }
        // TLS completes the writes of one flush together: a receipt is true to the piece only if each piece has its own. The last piece
        // leaves with the end of the response: a stream of HTTP/2 is over with it.
        switch step {
        case .part where !endsResponse, .piece where !endsResponse: writer.flush()
        default: break
        }
    }

    private func written(_ bytes: SentBytes, _ result: Result<Void, any Error>) {
        switch result {
        case .success: if machine.wrote(bytes) { run() }
        case .failure(let error):
            writer.didFail(error)
            machine.lost(bytes)
        }
        completeIfDone()
    }

    // MARK: the end

    /// Ends the writing and frees the connection, which may answer its next request at once.
    private func stop() {
        timer?.cancel()
        timer = nil
        waiting?.cancel()
        plan.rest?.cancel()
        writer.flush()
        whenOver()
    }

    private func ended(_ end: ResponseEnd) {
        machine.ended(end)
        completeIfDone()
    }

    private func completeIfDone() {
        guard let receipt = machine.complete(), let session else { return }
        plan.held?.forget()
        session.complete(plan, receipt, status: receipt.headBytes > 0 ? plan.outgoing.status : nil)
        let bytes = receipt.headBytes + receipt.bodyBytes + receipt.rawBytes
        switch receipt.end {
        case .kept, .fin, .goaway, .streamReset: writer.didSend(bytes, seq: plan.seq, of: session)
        case .rst, .tlsAlert, .held, .clientGone, .incomplete: break
        }
    }
}
