import NIOCore
import NIOHTTP1

/// Decides what one connection of HTTP/1.1 does next: events go in, actions come out.
///
/// Requests are answered one after another. Those that arrive meanwhile wait in order (pipelining), and reading stops. It knows no
/// channel: ``ConnectionHandler`` carries out the actions.
struct ConnectionStateMachine {
    private var phase = Phase.idle
    private(set) var persistence = Persistence.stays
    /// Whether the current request is of HTTP/1.0.
    private(set) var isOld = false
    private var waiting = CircularBuffer<HTTPServerRequestPart>()
    /// A parse error, or a limit passed: rejected after the pipelined requests ahead of it.
    private var flaw: WireRejection?
    /// The client has shut down writing.
    private(set) var isInputClosed = false
    /// A requested read is postponed until the client has its responses.
    private var owesRead = false
    /// The response was given before the request's end.
    private var owesDrop = false
    private var isAdvancing = false
    /// A request whose rest will not come.
    private var abandoned: IncompleteRequest?

    // MARK: questions

    var isClosing: Bool {
        switch phase {
        case .closing, .finished: true
        case .idle, .reading, .answering, .dropping: false
        }
    }

    var isIdle: Bool { if case .idle = phase { true } else { false } }

    /// Whether a body is being read, or the rest of one that was answered early.
    var isMidBody: Bool {
        switch phase {
        case .reading, .dropping: true
        case .idle, .answering, .closing, .finished: false
        }
    }

    /// Whether the connection ends with this exchange: it was to, or the client has shut down writing and nothing else waits.
    var isLastExchange: Bool { persistence == .endsWithExchange || isInputClosed && waiting.isEmpty && flaw == nil }

    private var isBusy: Bool { if case .answering = phase { true } else { false } }

    // MARK: requests

    /// Adds a part of a request.
    mutating func received(_ part: HTTPServerRequestPart) { if !isClosing { waiting.append(part) } }

    /// Records a parse error, or a limit passed, behind the requests that were received.
    mutating func found(_ rejection: WireRejection) { if !isClosing, flaw == nil { flaw = rejection } }

    /// Begins to carry out actions.
    ///
    /// - Returns: false if that is being done already, further up the stack.
    mutating func beginsAdvance() -> Bool {
        defer { isAdvancing = true }
        return !isAdvancing
    }

    /// Stops carrying out actions, whether or not some are left.
    mutating func endsAdvance() { isAdvancing = false }

    /// The next action; nil if there is none before another event.
    ///
    /// - Parameters:
    ///   - isWritable: whether the client reads its responses.
    ///   - mono: the time at which a head was read, by the monotonic clock.
    ///   - answersEarly: whether a request with that head, read at that time, is answered before its body has come.
    mutating func next(
        isWritable: Bool, mono: @autoclosure () -> Int64, answersEarly: (HTTPRequestHead, Int64) -> Bool = { _, _ in false }
    ) -> Action? {
        while canProceed(isWritable) {
            guard let part = waiting.popFirst() else {
                guard let last = nextWithoutParts() else { break }
                return last
            }
            if let action = take(part, mono, answersEarly) { return action }
        }
        endsAdvance()
        return nil
    }

    private func canProceed(_ isWritable: Bool) -> Bool {
        switch phase {
        case .idle: isWritable
        case .reading, .dropping: true
        case .answering, .closing, .finished: false
        }
    }

    private mutating func nextWithoutParts() -> Action? {
        if case .dropping = phase { return flaw != nil || isInputClosed ? shut() : nil }
        if let flaw { return reject(flaw) }
        return isInputClosed ? shut() : nil
    }

    private mutating func take(
        _ part: HTTPServerRequestPart, _ mono: () -> Int64, _ answersEarly: (HTTPRequestHead, Int64) -> Bool
    ) -> Action? {
        switch part {
        case .head(var head):
            head.uri = WireRejection.originForm(of: head.uri)
            let mono = mono()
            if let rejection = WireRejection(head) { return reject(rejection) }
            isOld = head.version.minor == 0
            if persistence != .endsWithExchange { persistence = isOld && head.isKeepAlive ? .staysAndSaysSo : .stays }
            // Its framing counts as faulty (RFC 9112 §6.1).
            if isOld, head.headers.contains(name: "Transfer-Encoding") { persistence = .endsWithExchange }
            phase = .reading(IncompleteRequest(head: head, mono: mono))
            if head.announcesBody, answersEarly(head, mono) {
                if !head.isKeepAlive { persistence = .endsWithExchange }
                owesDrop = true
                phase = .answering
                return .answerEarly
            }
            // HTTP/1.0 has no interim responses (RFC 9110 §15.2).
            return !isOld && head.headers.contains(name: "Expect") ? .sendContinue : nil
        case .body(let bytes) where isDropping: return drop(bytes.readableBytes)
        case .body(var bytes):
            guard case .reading(var request) = phase else { return nil }
            // Leaves the body one owner, so that appending does not copy it.
            phase = .idle
            let read = bytes.readBytes(length: bytes.readableBytes) ?? []
            if request.body.isEmpty { request.body = read } else { request.body += read }
            phase = .reading(request)
            return request.body.count > WireLimits.bodyBytes ? reject(.tooLarge) : nil
        case .end where isDropping:
            phase = .idle
            return persistence == .endsWithExchange ? shut() : nil
        case .end:
            guard case .reading(let whole) = phase else { return nil }
            if !whole.head.isKeepAlive { persistence = .endsWithExchange }
            phase = .answering
            return .answer(whole.head, body: whole.body, mono: whole.mono)
        }
    }

    private var isDropping: Bool { if case .dropping = phase { true } else { false } }

    /// Drops a piece of a body whose request is answered; a body over the limit ends the connection.
    private mutating func drop(_ count: Int) -> Action? {
        guard case .dropping(let bytes) = phase, bytes + count <= WireLimits.bodyBytes else { return shut() }
        phase = .dropping(bytes: bytes + count)
        return nil
    }

    private mutating func reject(_ rejection: WireRejection) -> Action {
        abandon()
        phase = .answering
        return .reject(rejection)
    }

    /// Keeps the request that is being read, whose rest will not come.
    private mutating func abandon() { if case .reading(let request) = phase { abandoned = request } }

    /// The request whose rest will not come, once; nil for none.
    mutating func takeAbandoned() -> IncompleteRequest? {
        defer { abandoned = nil }
        return abandoned
    }

    // MARK: responses

    mutating func endWithExchange() { persistence = .endsWithExchange }

    /// The exchange is over; the connection stays unless it was to end with it.
    ///
    /// - Returns: the action that ends it; nil if it stays.
    mutating func responded() -> Action? {
        guard !isClosing else { return nil }
        guard persistence != .endsWithExchange else { return shut() }
        phase = owesDrop ? .dropping(bytes: 0) : .idle
        owesDrop = false
        return nil
    }

    // MARK: the end

    /// Ends the connection once everything that was written has left.
    mutating func shut(drains: Bool = true) -> Action {
        stop(drains: drains)
        return .shut(drains: drains)
    }

    /// Reads and answers nothing more.
    mutating func stop(drains: Bool = true) {
        if case .finished = phase { return }
        abandon()
        phase = .closing(drains: drains)
        waiting.removeAll()
    }

    mutating func isGone() {
        abandon()
        phase = .finished
        waiting.removeAll()
    }

    /// The kernel has everything that was written, or never will.
    mutating func allIsSent() -> Action? {
        guard case .closing(let drains) = phase else { return nil }
        phase = .finished
        return isInputClosed ? .close : .sendFIN(drains: drains)
    }

    /// The connection is to end as soon as it carries no exchange.
    ///
    /// - Parameter isMidRequest: whether a part of a request has come.
    mutating func closeWhenIdle(drains: Bool, isMidRequest: Bool) -> Action? {
        persistence = .endsWithExchange
        switch phase {
        case .idle where !isMidRequest && waiting.isEmpty: return shut(drains: drains)
        case .finished where !drains: return .closeWhenAcknowledged
        default: return nil
        }
    }

    /// The client has shut down writing.
    mutating func inputClosed() -> Action? {
        isInputClosed = true
        if case .finished = phase { return .close }
        return nil
    }

    /// Nothing was read for the idle timeout, or a body has exceeded its time.
    ///
    /// - Parameters:
    ///   - isMidRequest: whether a part of a request has come.
    ///   - rejection: the response to an incomplete request.
    mutating func silence(isMidRequest: Bool, _ rejection: WireRejection) -> Action? {
        switch phase {
        case .idle: isMidRequest && waiting.isEmpty ? reject(rejection) : shut()
        case .reading: reject(rejection)
        case .dropping: shut()
        case .answering: nil
        case .closing, .finished: .close
        }
    }

    /// An error of the connection itself, or of a request that was rejected already.
    func failed() -> Action? { isClosing || flaw != nil ? nil : .close }

    // MARK: reading and writing

    /// A read is requested.
    ///
    /// - Returns: whether to read now; if not, the read is postponed.
    mutating func mayRead(isWritable: Bool) -> Bool {
        let isAllowed = !isBusy && isWritable && waiting.isEmpty
        if !isAllowed { owesRead = true }
        return isAllowed
    }

    /// Whether to do a postponed read now.
    mutating func resumesReading(isWritable: Bool) -> Bool {
        guard owesRead, isWritable, waiting.isEmpty, !isBusy else { return false }
        owesRead = false
        return true
    }
}
