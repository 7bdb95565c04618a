#if HTTP2
import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One stream of HTTP/2: one request, and its response.
final class HTTP2Stream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    let connection: HTTP2Connection
    var channel: ChannelHandlerContext?
    var id = HTTP2StreamID(0)
    private var request: Request?
    var sender: ResponseSender?
    private var isAnswered = false
    /// All of the response was written; it leaves as the windows allow.
    var hasResponded = false
    /// The stream exceeds the limit of its connection.
    private var isRefused = false
    private var incompleteCount: IncompleteCount
    /// Runs while the body is incomplete.
    private var bodyTimer: Scheduled<Void>?
    /// Completes when the last written frame has left.
    var lastWrite: EventLoopFuture<Void>
    var hasWritten = false
    var hasWrittenBody = false
    /// How many written frames have not left.
    var openWrites = 0
    /// Runs while most of a long response has not left.
    var unreadTimer: Scheduled<Void>?
    /// The client has ended its side of the stream.
    private(set) var hasRequestEnded = false

    private struct Request {
        var received: ReceivedRequest
        let length: RequestLength
        let headBytes: Int
    }

    init(of connection: HTTP2Connection) {
        self.connection = connection
        incompleteCount = IncompleteCount(in: connection.context.incompleteRequests)
        lastWrite = connection.loop.makeSucceededVoidFuture()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context
        id = (try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)) ?? id
        isRefused = !connection.opened(self, id)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        channel = nil
        sender = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let payload = unwrapInboundIn(data)
        if payload.endsStream { hasRequestEnded = true }
        guard !isAnswered else { return }
        switch payload {
        case .headers where isRefused:
            isAnswered = true
            context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
        case .headers(let headers) where request == nil:
            // Before its body, as on HTTP/1.1: until that ends, the head is held.
            if let rejection = WireRejection(headers.headers) { return reject(rejection) }
            let bytes = headers.endStream ? 0 : WireLimits.heldBytes(of: headers.headers)
            let received = ReceivedRequest(headers.headers, mono: connection.context.clock.monotonic())
            request = Request(received: received, length: RequestLength(headers.headers), headBytes: bytes)
            if headers.endStream { answer() } else if !answerEarly() { countIncomplete() }
            if !isAnswered, headers.headers.first(name: "expect")?.lowercased() == "100-continue" { sendContinue() }
        case .headers(let trailers): if trailers.endStream { answer() }
        case .data(let data):
            guard case .byteBuffer(let bytes) = data.data else { return }
            request?.received.body += bytes.readableBytesView
            if let count = request?.received.body.count, count > WireLimits.bodyBytes {
                reject(.tooLarge)
            } else if data.endStream {
                answer()
            } else {
                countIncomplete()
            }
        default: break
        }
    }

    /// Asks for the body of a request that expects 100 (RFC 9110 §10.1.1).
    private func sendContinue() {
        channel?.writeAndFlush(wrapOutboundOut(.headers(.init(headers: HPACKHeaders([(":status", "100")])))), promise: nil)
    }

    /// Counts the bytes of an incomplete request with those of all connections, and times it.
    private func countIncomplete() {
        guard let request, let channel else { return }
        if bodyTimer == nil, let limit = connection.socket.times.body {
            bodyTimer = channel.eventLoop.assumeIsolated().scheduleTask(in: limit) {
                if !self.isAnswered { self.reject(.slow("body", limit)) }
            }
        }
        incompleteCount.set(request.headBytes + request.received.body.count, by: self, on: channel.eventLoop) { stream, rejection in
            if !stream.isAnswered { stream.reject(rejection) }
        }
    }

    /// Stops reading, and ends the count of an incomplete request.
    private func stopReading() {
        isAnswered = true
        request = nil
        bodyTimer?.cancel()
        incompleteCount.end(by: self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        recordIncomplete()
        stopReading()
        unreadTimer?.cancel()
        sender?.clientGone()
        connection.closed(self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: the request

    private func answer() {
        guard let request, !isAnswered else { return }
        let isWhole = request.length.fits(request.received.body.count)
        if !isWhole { recordIncomplete() }
        stopReading()
        guard isWhole else {
            channel?.writeAndFlush(wrapOutboundOut(.rstStream(.protocolError)), promise: nil)
            return
        }
        do throws(WireRejection) {
            let (plan, session) = try connection.dispatch.answer(request.received)
            send(plan, of: session)
        } catch { reject(error) }
    }

    /// Has the session of a request whose rest will not come record it.
    private func recordIncomplete(_ rejection: WireRejection? = nil) {
        if !isAnswered, let request { connection.dispatch.recordIncomplete(request.received, rejection) }
    }

    /// Answers a request whose body has not come, if a rule demands it.
    private func answerEarly() -> Bool {
        guard let request, let (plan, session) = connection.dispatch.answerEarly(request.received) else { return false }
        stopReading()
        send(plan, of: session)
        return true
    }

    /// Rejects the request without a session.
    private func reject(_ rejection: WireRejection) {
        recordIncomplete(rejection)
        stopReading()
        var plan = ResponsePlan(rejection, date: connection.context.clock.now().httpDate, endsConnection: false)
        // The client need not send the rest, and a stream of which it sends none would be open as long as its connection.
        if !hasRequestEnded { plan.outgoing.steps.append(.endRequest) }
        send(plan)
    }

    /// Nothing was read for the idle timeout.
    func silence() { if !isAnswered { reject(.tooSlow(connection.context.configuration.idleTimeout)) } }

    func inputClosed() {
        sender?.inputClosed()
        if !isAnswered {
            // The rest of the request will never come.
            channel?.close(promise: nil)
        } else if hasResponded {
            endIfBlocked()
        }
    }
}

extension ReceivedRequest {
    /// The request with that head, which NIO has checked: it has a method and a path.
    fileprivate init(_ headers: HPACKHeaders, mono: Int64) {
        // The host of the address that was asked (RFC 9113 §8.3.1).
        let authority = headers.first(name: ":authority") ?? headers.first(name: "host")
        let plain = headers.filter { !$0.name.hasPrefix(":") && $0.name != "host" }.map { JournalEntry.Header($0.name, $0.value) }
        self.init(
            method: headers.first(name: ":method") ?? "GET", target: headers.first(name: ":path") ?? "/", authority: authority,
            headers: (authority.map { [JournalEntry.Header("host", $0)] } ?? []) + plain, mono: mono)
    }
}

extension WireLimits {
    /// The memory of a stream and its head, which is a multiple of a short head's bytes.
    fileprivate static func heldBytes(of head: HPACKHeaders) -> Int {
        head.reduce(streamBytes) { $0 + fieldBytes + $1.name.utf8.count + $1.value.utf8.count }
    }
}

extension HTTP2Frame.FramePayload {
    /// Whether it ends its side of the stream.
    fileprivate var endsStream: Bool {
        switch self {
        case .headers(let headers): headers.endStream
        case .data(let data): data.endStream
        default: false
        }
    }
}

extension WireRejection {
    /// Rejects a head for what one of HTTP/1.1 is rejected for, as far as NIO has not; nil if it is valid.
    fileprivate init?(_ headers: HPACKHeaders) {
        if headers.first(name: ":method") == "CONNECT" {
            self = .proxy
        } else if headers.count(where: { !$0.name.hasPrefix(":") }) > WireLimits.headerCount {
            self = .largeHead
        } else if let expected = headers.first(name: "expect"), expected.lowercased() != "100-continue" {
            self = .expectation(expected)
        } else {
            return nil
        }
    }
}

/// The body length that a request declares.
///
/// NIO would check responses too, and a response shorter than its `Content-Length` is one of our faults.
struct RequestLength {
    private let declared: [String]

    init(_ headers: HPACKHeaders) { declared = headers["content-length"] }

    /// Whether a body of `count` bytes has the declared length; if not, the request is malformed and must not be processed
    /// (RFC 9113 §8.1.1).
    func fits(_ count: Int) -> Bool {
        declared.allSatisfy { $0.isDigits && Int($0) == count }
    }
}
#endif
