#if HTTP2
import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHTTP2

/// One connection of HTTP/2: its streams, and its end by GOAWAY (RFC 9113 §6.8).
final class HTTP2Connection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let context: WireContext
    let dispatch: RequestDispatch
    let loop: any EventLoop
    let socket: SocketHandler
    private var channel: ChannelHandlerContext?
    private var streams: [ObjectIdentifier: HTTP2Stream] = [:]
    private(set) var lastStream = HTTP2StreamID(0)
    /// No new exchange begins: the connection ends with the last one.
    private(set) var isEnding = false
    /// Whether GOAWAY was sent.
    private(set) var hasSentGoAway = false
    /// The client has shut down writing: it can open no more windows.
    private(set) var isInputClosed = false
    /// The connection ends with its last stream.
    private var endsWithStreams = false
    private var isShut = false
    private let settings = SettingsHandler(streams: WireLimits.streams)
    private let goAways = GoAwayObserver()

    init(_ context: WireContext, line: WireLine, channel: any Channel, socket: SocketHandler) {
        self.context = context
        dispatch = RequestDispatch(context: context, connection: ChannelConnection(channel), line: line)
        loop = channel.eventLoop
        self.socket = socket
    }

    /// Adds the handlers of HTTP/2 behind those that are there.
    func addHandlers(to channel: any Channel) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            // The client gets another number, which is enforced here: NIO would end the connection.
            HTTP2Setting(parameter: .maxConcurrentStreams, value: Int(Int32.max)),
            HTTP2Setting(parameter: .maxHeaderListSize, value: WireLimits.headBytes),
        ]
        // A response shorter than its `Content-Length` is one of our faults.
        connection.contentLengthValidation = .disabled
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.outboundBufferSizeHighWatermark = 1 << 20
        // Clients under test reset many streams; those that reset more would occupy the loop.
        let rates = context.rates
        stream.streamResetFrameRateLimit.maximumCount = rates.streamErrors
        stream.streamResetFrameRateLimit.windowLength = rates.window
        stream.streamErrorRateLimit.maximumCount = rates.streamErrors
        stream.streamErrorRateLimit.windowLength = rates.window
        connection.controlFrameRateLimit.maximumCount = rates.controlFrames
        connection.controlFrameRateLimit.windowLength = rates.window
        try channel.pipeline.syncOperations.addHandlers([settings, goAways])
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: connection, streamConfiguration: stream
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(HTTP2Stream(of: bound.value))
            }
        }
        try channel.pipeline.syncOperations.addHandler(self)
    }

    func handlerAdded(context channel: ChannelHandlerContext) { self.channel = channel }

    func handlerRemoved(context channel: ChannelHandlerContext) { self.channel = nil }

    /// The head in whose middle the client is; nil for none. Bodies are timed by their streams.
    var incomplete: IncompletePart? { settings.isMidHead ? .head(0) : nil }

    // MARK: streams

    /// - Returns: whether the stream is within the limit; if not it must be rejected (RFC 9113 §5.1.2).
    func opened(_ stream: HTTP2Stream, _ id: HTTP2StreamID) -> Bool {
        streams[ObjectIdentifier(stream)] = stream
        lastStream = max(lastStream, id)
        return streams.count <= (settings.isConfirmed ? WireLimits.streams : WireLimits.earlyStreams)
    }

    func closed(_ stream: HTTP2Stream) {
        streams[ObjectIdentifier(stream)] = nil
        guard streams.isEmpty else { return }
        if isEnding { return shut() }
        guard endsWithStreams, let channel else { return }
        // Runs after the stream's writes of this tick; another stream may have begun by then.
        channel.eventLoop.assumeIsolated().execute { if self.streams.isEmpty { self.endWhenIdle() } }
    }

    // MARK: the connection's end

    /// Sends GOAWAY, and FIN unless the connection stays.
    ///
    /// It is sent after other streams' writes of this tick: at a GOAWAY, NIO discards what the streams that it ends have not yet
    /// written to the connection.
    func goAway(_ code: HTTP2ErrorCode, last: HTTP2StreamID, staysOpen: Bool) {
        guard let channel else { return }
        channel.eventLoop.assumeIsolated().execute {
            if !staysOpen { self.isEnding = true }
            self.write(.goAway(lastStreamID: last, errorCode: code, opaqueData: nil))
            if !staysOpen { self.shut() }
        }
    }

    /// Ends the connection once no stream is open; GOAWAY is sent before the last stream's response.
    func endWithStreams() { endsWithStreams = true }

    /// Sends the announced GOAWAY if the last open stream responds. After the response it would be late: a client that reads the whole
    /// response before it, such as libcurl following a redirect, sends its next request on a connection that is about to end.
    func willRespond() {
        if endsWithStreams, streams.count == 1 { endWhenIdle() }
    }

    /// Ends the connection once no stream is open; GOAWAY is sent now.
    ///
    /// - Parameters:
    ///   - code: the reason in the GOAWAY.
    ///   - drains: whether a connection without streams is read for a while after its FIN.
    private func endWhenIdle(_ code: HTTP2ErrorCode = .noError, drains: Bool = true) {
        guard let channel else { return }
        if isShut, !drains { return socket.closeWhenTaken(on: channel.eventLoop) }
        guard !isEnding else { return }
        isEnding = true
        write(.goAway(lastStreamID: lastStream, errorCode: code, opaqueData: nil))
        if streams.isEmpty { shut(drains: drains) }
    }

    /// Writes a frame of the connection's own.
    private func write(_ payload: HTTP2Frame.FramePayload) {
        if case .goAway = payload { hasSentGoAway = true }
        channel?.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
    }

    /// Sends FIN behind written bytes; then drains the input or, if `drains` is false, closes once the FIN is acknowledged.
    private func shut(drains: Bool = true) {
        // Only once: both GOAWAY and the end of the last stream ask for it, and TLS forgets the first promise at the second.
        guard let channel, !isShut else { return }
        isShut = true
        let loop = channel.eventLoop
        guard !drains else {
            channel.close(mode: .output, promise: nil)
            loop.assumeIsolated().scheduleTask(in: socket.drain) { [socket] in socket.close() }
            return
        }
        let isTaken = loop.makePromise(of: Void.self)
        isTaken.futureResult.assumeIsolated().whenComplete { [socket] _ in socket.closeWhenTaken(on: loop) }
        channel.close(mode: .output, promise: isTaken)
    }

    // MARK: events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Settings, pings and GOAWAY: NIO has handled them.
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let close as CloseWhenIdle: endWhenIdle(drains: close.drains)
        case is Silence:
            streams.values.forEach { $0.silence() }
            if streams.isEmpty { endWhenIdle() }
        case is SlowPart: endWhenIdle(.enhanceYourCalm)
        case ChannelEvent.inputClosed:
            isInputClosed = true
            streams.values.forEach { $0.inputClosed() }
            if streams.isEmpty { context.close(promise: nil) } else { isEnding = true }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A stream's error has ended that stream. NIO fires it as it fires a connection's, but sends no GOAWAY.
        if error is any NIOHTTP2Error, !goAways.hasReportedError { return }
        context.close(promise: nil)
    }
}
#endif
