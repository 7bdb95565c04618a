import BankEngine
import BankModel
import Faults

/// Decides what is done next for one response: its steps and events go in, actions come out, and in the end a receipt.
///
/// It knows neither connection nor clock: ``ResponseSender`` carries out the actions and reports their results.
struct ResponseStateMachine {
    enum Action: Equatable {
        /// Executes the request; answered by ``begin(_:waitingFor:)``.
        case execute
        /// Writes the bytes of a step; answered by ``wrote(_:)`` or ``lost(_:)``.
        case write(WireStep, closes: Bool = false, endsResponse: Bool = false)
        /// Flushes, and waits that long; answered by ``timeIsUp()``.
        case wait(Duration)
        /// Flushes, and waits for an event.
        case waitForEvent
        /// Asks for the next piece of a body that comes in pieces; answered by ``received(_:)``.
        case readPiece
        /// Announces the end of an HTTP/2 connection that stays open.
        case goAway(HTTP2Code, last: WireStep.LastStream)
        /// Ends the exchange, and with it the connection or stream; answered by ``ended(_:)``.
        case end(ResponseEnding)
        /// Ends the exchange; the connection stays. Answered by ``ended(_:)``.
        case keep
    }

    /// The event that a response waits for.
    enum Pause: Equatable {
        /// The data that it shows is not on disk yet.
        case disk
        /// A real bank has not answered yet, or the next piece of the body has not come.
        case upstream
        /// The client has not taken what was written.
        case client
        case time
        case release
        /// As `release`, but a client that shuts its side is gone.
        case silence
    }

    private enum Phase: Equatable {
        case running
        case paused(Pause)
        /// No step is carried out any more.
        case ending
        case ended(ResponseEnd)
        case complete
    }

    private var phase = Phase.running
    private var steps: ArraySlice<WireStep> = []
    private var bodyCount = 0
    /// The exchange was released: nothing waits any more.
    private var isReleased = false
    /// The client has shut its side, and the body would have no end: it is not begun.
    private var isAbandoned = false
    private var receipt = Receipt(end: .kept)
    /// Writes that have neither left nor failed.
    private var pendingWrites = 0
    /// How much of the body is in writes that failed: part of it may have left before. Nil if none failed.
    private var lostBody: Int?

    /// Whether no step is carried out any more.
    var isOver: Bool {
        switch phase {
        case .running, .paused: false
        case .ending, .ended, .complete: true
        }
    }

    // MARK: steps

    /// Replaces the remaining steps by those of `outgoing`.
    ///
    /// - Parameter pause: the event that the first of them waits for; nil if none.
    mutating func begin(_ outgoing: OutgoingResponse, waitingFor pause: Pause? = nil) {
        guard !isOver else { return }
        steps = outgoing.steps[...]
        bodyCount = outgoing.mayHaveBody ? outgoing.body.count : 0
        phase = pause.map { .paused($0) } ?? .running
    }

    /// The request was handed to a real bank.
    mutating func awaitUpstream() { if phase == .running { phase = .paused(.upstream) } }

    /// The data that the response shows is on disk.
    mutating func becameDurable() { if phase == .paused(.disk) { phase = .running } }

    /// The next action; nil if there is none before another event.
    ///
    /// - Parameter isLast: whether the connection ends after this exchange whatever its steps are.
    mutating func next(isLast: Bool) -> Action? {
        while phase == .running {
            guard let step = steps.popFirst() else {
                phase = .ending
                return isLast ? .end(.close) : .keep
            }
            if let action = action(for: step, isLast: isLast) { return action }
        }
        return nil
    }

    private mutating func action(for step: WireStep, isLast: Bool) -> Action? {
        switch step {
        case .execute: return .execute
        case .head: return write(step, closes: isLast || endsConnection, endsResponse: endsResponse)
        case .halfHead: return write(step, closes: isLast || endsConnection)
        case .raw, .interim: return write(step)
        case .piece: return write(step, endsResponse: endsResponse)
        case .restOfBody:
            if isAbandoned { return end(.gone) }
            // A client that reads slowly makes the bank send slowly.
            if pendingWrites > 0 { steps = [.restOfBody] + steps }
            phase = .paused(pendingWrites > 0 ? .client : .upstream)
            return pendingWrites > 0 ? .waitForEvent : .readPiece
        case .again: return write(step, closes: isLast)
        case .body: return body(0..<bodyCount)
        case .part(let range): return body(range)
        case .trickle(let range, let piece, let every, let rule):
            guard bodyCount > 0, !range.isEmpty else { return nil }
            let cut = isReleased ? range.upperBound : min(range.upperBound, range.lowerBound + piece)
            if cut < range.upperBound {
                let rest = WireStep.trickle(cut..<range.upperBound, piece: piece, every: every, rule: rule)
                steps = [.pause(.duration(every), rule: rule), rest] + steps
            }
            return body(range.lowerBound..<cut)
        case .pause(.duration(let duration), _): return pause(.time, .wait(duration))
        case .pause(.released, _): return pause(.release, .waitForEvent)
        case .hold: return pause(.silence, .waitForEvent)
        case .endRequest: return end(.endRequest)
        case .close: return end(.close)
        case .reset: return end(.reset)
        case .resetStream(let code): return end(.resetStream(code))
        case .goaway(let code, let last, let staysOpen):
            return staysOpen ? .goAway(code, last: last) : end(.goaway(code, last: last, staysOpen: false))
        }
    }

    /// Writes a range of the body in pieces, so that the bytes a peer did not read are known to the piece.
    private mutating func body(_ range: Range<Int>) -> Action? {
        guard bodyCount > 0, !range.isEmpty else { return nil }
        let cut = min(range.upperBound, range.lowerBound + WireLimits.pieceBytes)
        if cut < range.upperBound { steps = [.part(cut..<range.upperBound)] + steps }
        return write(.part(range.lowerBound..<cut), endsResponse: endsResponse)
    }

    private mutating func write(_ step: WireStep, closes: Bool = false, endsResponse: Bool = false) -> Action {
        pendingWrites += 1
        return .write(step, closes: closes, endsResponse: endsResponse)
    }

    private mutating func pause(_ pause: Pause, _ action: Action) -> Action? {
        if isReleased { return nil }
        phase = .paused(pause)
        return action
    }

    private mutating func end(_ ending: ResponseEnding) -> Action {
        phase = .ending
        return .end(ending)
    }

    /// Whether HTTP/1.1 ends the connection after the response.
    private var endsConnection: Bool { !isOrderly || steps.contains(.endRequest) }

    /// Whether the response ends in good order once all steps are done.
    private var isOrderly: Bool {
        !steps.contains { step in
            switch step {
            case .close, .reset, .resetStream, .goaway: true
            default: false
            }
        }
    }

    /// Whether nothing of the response follows what is written now, and the response ends in good order.
    private var endsResponse: Bool {
        let hasBodyLeft = steps.contains { step in
            switch step {
            case .body, .part, .trickle: bodyCount > 0
            case .restOfBody, .piece: true
            default: false
            }
        }
        return !hasBodyLeft && isOrderly
    }

    // MARK: events

    /// A real bank has sent the next piece of the body, or ended it.
    mutating func received(_ piece: UpstreamPiece) {
        guard phase == .paused(.upstream) else { return }
        phase = .running
        switch piece {
        case .bytes(let bytes):
            let cuts = stride(from: 0, to: bytes.count, by: WireLimits.pieceBytes)
            steps = cuts.map { .piece(Array(bytes[$0..<min($0 + WireLimits.pieceBytes, bytes.count)])) } + [.restOfBody] + steps
        case .end: steps = [.piece([])] + steps
        case .cut(let isReset): steps = [isReset ? .reset : .close]
        }
    }

    mutating func timeIsUp() { if phase == .paused(.time) { phase = .running } }

    /// The held exchange was released: nothing waits from now on.
    mutating func released() {
        isReleased = true
        switch phase {
        case .paused(.time), .paused(.release), .paused(.silence): phase = .running
        default: break
        }
    }

    /// Nothing more is sent: the rule or the session of a held exchange is gone, or whether its data is on disk is unknown.
    mutating func dropped() -> Action? { isOver ? nil : end(.close) }

    /// The connection is gone: nothing more can be sent.
    mutating func clientGone() -> Action? { isOver ? nil : end(.gone) }

    /// The client has shut its side; a response that sends nothing any more, or has no end, can end: at once, or when its body begins.
    ///
    /// - Parameter isEndless: whether the body has no end of its own.
    mutating func inputClosed(isEndless: Bool = false) -> Action? {
        isAbandoned = isEndless
        return switch phase {
        case .paused(.silence): end(.gone)
        case .paused(.upstream), .paused(.client): isEndless ? end(.gone) : nil
        default: nil
        }
    }

    /// A write has left.
    ///
    /// - Returns: whether the response waited for that, and goes on.
    @discardableResult
    mutating func wrote(_ bytes: SentBytes) -> Bool {
        pendingWrites -= 1
        receipt.headBytes += bytes.head
        receipt.bodyBytes += bytes.body
        receipt.rawBytes += bytes.raw
        guard pendingWrites == 0, phase == .paused(.client) else { return false }
        phase = .running
        return true
    }

    /// A write has failed.
    mutating func lost(_ bytes: SentBytes) {
        pendingWrites -= 1
        lostBody = (lostBody ?? 0) + bytes.body
    }

    /// The exchange has ended on the wire.
    mutating func ended(_ end: ResponseEnd) { if phase == .ending { phase = .ended(end) } }

    /// The receipt, once: as soon as the exchange has ended and the fate of every write is known; nil before and after.
    mutating func complete() -> Receipt? {
        guard case .ended(let end) = phase, pendingWrites == 0 else { return nil }
        phase = .complete
        receipt.unsent = end.unsent
        if let unwritten = end.unwritten { receipt.bodyBytes += max(0, (lostBody ?? 0) - unwritten) }
        receipt.end = [.kept, .fin].contains(end.end) && lostBody != nil ? .clientGone : end.end
        return receipt
    }
}
