import BankModel
import Dispatch
import NIOCore
import NIOHTTP1
import StubServer

/// A connection of the admin API: takes whole requests, and has them answered one at a time, in their order.
final class AdminConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let answer: @Sendable (AdminRequest) async -> AdminResponse
    /// The answers that the server waits for before its event loops end.
    private let answers: DispatchGroup
    /// How long a piece of a response may wait for its client.
    private let idle: TimeAmount
    private var incoming: AdminRequest?
    /// Whole requests that wait for the answers to those before them.
    private var waiting: [AdminRequest] = []
    /// The response that is being made or sent, and whether its request only reads.
    private var answering: (task: Task<Void, Never>, isRead: Bool)?
    /// Whether the connection ends once all requests are answered.
    private var endsWhenIdle = false
    /// Whether a read was asked for while requests waited.
    private var owesRead = false

    init(
        _ answers: DispatchGroup, idle: TimeAmount,
        _ answer: @escaping @Sendable (AdminRequest) async -> AdminResponse
    ) {
        self.answers = answers
        self.idle = idle
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            incoming = AdminRequest(head)
            // RFC 9110 §10.1.1. Behind another request, whose response comes first, the client sends its body after a while anyway.
            if answering == nil, head.headers[canonicalForm: "Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
            }
        case .body(let piece): incoming?.take(piece)
        case .end:
            guard let request = incoming else { return }
            incoming = nil
            waiting.append(request)
            answerNext(context)
        }
    }

    /// Reads no further while requests wait, so that a client can make the server hold only a few.
    func read(context: ChannelHandlerContext) {
        if waiting.isEmpty { context.read() } else { owesRead = true }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is CloseWhenIdle:
            cancelWait()
            endsWhenIdle = true
        case ChannelEvent.inputClosed: endsWhenIdle = true
        default: return context.fireUserInboundEventTriggered(event)
        }
        answerNext(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelWait()
        waiting = []
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Has a call that waits for a change of the journal answer at once. A call that changes something goes to its end.
    private func cancelWait() {
        if let answering, answering.isRead { answering.task.cancel() }
    }

    /// Answers the next request, or ends.
    private func answerNext(_ context: ChannelHandlerContext) {
        guard answering == nil else { return }
        guard !waiting.isEmpty else {
            if endsWhenIdle { context.close(promise: nil) }
            return
        }
        let request = waiting.removeFirst()
        let (channel, answer, answers, idle) = (context.channel, answer, answers, idle)
        let own = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        answers.enter()
        let task = Task {
            defer { answers.leave() }
            let response = await answer(request)
            try? await channel.send(response, to: request, idle)
            let isLong = if case .pieces = response.body { true } else { false }
            response.effect?()
            channel.eventLoop.execute {
                own.value.handler.answered(endsConnection: !request.keepsConnection || isLong && request.isOld, own.value.context)
            }
        }
        answering = (task, request.isRead)
        if owesRead, waiting.isEmpty {
            owesRead = false
            context.read()
        }
    }

    private func answered(endsConnection: Bool, _ context: ChannelHandlerContext) {
        answering = nil
        if endsConnection {
            endsWhenIdle = true
            waiting = []
        }
        answerNext(context)
    }
}

extension Channel {
    /// Writes a response, and returns once it has left.
    ///
    /// - Parameter idle: how long a part of it may wait for its client; then the connection is closed.
    /// - Throws: the connection's error, such as for a client that is gone.
    fileprivate func send(_ response: AdminResponse, to request: AdminRequest, _ idle: TimeAmount) async throws {
        var head = HTTPResponseHead(version: .http1_1, status: response.status, headers: response.headers)
        var keepsConnection = request.keepsConnection
        switch response.body {
        case .whole(let bytes) where response.status != .noContent:
            head.headers.add(name: "Content-Length", value: "\(bytes.readableBytes)")
        case .pieces where request.isOld:
            // HTTP/1.0 knows no chunks: the end of the connection is the body's (RFC 9112 §6.3).
            head.version = .http1_0
            keepsConnection = false
        case .whole, .pieces: break
        }
        if !keepsConnection || request.isOld {
            head.headers.add(name: "Connection", value: keepsConnection ? "keep-alive" : "close")
        }
        write(HTTPServerResponsePart.head(head), promise: nil)
        switch response.body {
        case .whole(let bytes) where request.method != .HEAD && bytes.readableBytes > 0:
            write(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
        case .pieces(let pieces) where request.method != .HEAD:
            for piece in pieces() {
                try await leave(.body(.byteBuffer(ByteBuffer(bytes: piece))), within: idle)
            }
        case .whole, .pieces: break
        }
        try await leave(.end(nil), within: idle)
    }

    /// Writes a part of a response, and returns once it has left; closes the connection if it has not by then.
    private func leave(_ part: HTTPServerResponsePart, within limit: TimeAmount) async throws {
        let end = eventLoop.scheduleTask(in: limit) { self.close(promise: nil) }
        defer { end.cancel() }
        try await writeAndFlush(part)
    }
}
