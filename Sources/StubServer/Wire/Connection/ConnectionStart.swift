import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHTTP1
import NIOTLS

/// Sets up an accepted connection: applies a rule, then TLS or clear text, then HTTP/1.1 or HTTP/2.
struct ConnectionStart: Sendable {
    let context: WireContext

    /// Adds the handlers that a new connection begins with.
    func start(_ channel: any Channel) throws {
        // Rules apply before the first request only if the port belongs to one session.
        guard let session = context.choice.onlySession,
            let faulted = session.apply(ChannelConnection(channel), at: .connect, isSecure: context.security != nil)
        else { return try addSocket(channel) }
        if case .bandwidth(let rate) = faulted.effect {
            try channel.pipeline.syncOperations.addHandler(BandwidthHandler(bytesPerSecond: rate))
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: max(1, min(rate / 50, 65536))))
            session.complete(faulted, .kept)
            return try addSocket(channel, isNarrow: true)
        }
        try apply(channel, faulted, session) { channel in try addSocket(channel) }
    }

    private func apply(
        _ channel: any Channel, _ faulted: FaultedConnection, _ session: BankSession, next: @escaping (any Channel) throws -> Void
    ) throws {
        switch faulted.effect {
        case .wait, .silence: try channel.syncOptions?.setOption(.autoRead, value: false)
        default: break
        }
        try channel.pipeline.syncOperations.addHandler(
            FaultedConnectionHandler(faulted, session, drain: .nanoseconds(context.configuration.drain.nanoseconds), next: next))
    }

    /// Adds the handlers from the socket on: TLS if the port has it, then the protocol.
    ///
    /// - Parameter isNarrow: whether a rule limits the bandwidth: the parts of requests then have no time limit.
    private func addSocket(_ channel: any Channel, isNarrow: Bool = false) throws {
        let socket = SocketHandler(
            longest: .nanoseconds(context.configuration.idleTimeout.nanoseconds),
            times: isNarrow ? .unlimited : context.configuration.partTimes,
            drain: .nanoseconds(context.configuration.drain.nanoseconds), isSecure: context.security != nil)
        try channel.pipeline.syncOperations.addHandler(socket)
        guard let security = context.security else { return try addProtocolDetection(channel, context.protocols, socket) }
        guard context.acceptsClearText else { return try addTLS(channel, security, socket) }
        try channel.pipeline.syncOperations.addHandler(
            FirstByteHandler { channel, isHandshake in
                if isHandshake { return try addTLS(channel, security, socket) }
                try addProtocolDetection(channel, [.h1, .h2], socket)
            })
    }

    /// Adds the handlers from the handshake on.
    private func addTLS(_ channel: any Channel, _ security: TLSContexts, _ socket: SocketHandler) throws {
        guard let session = context.choice.onlySession,
            let faulted = session.apply(ChannelConnection(channel), at: .tls, isSecure: true)
        else { return try addTLSHandlers(channel, security, nil, socket) { _ in } }
        if case .handshake(let unusual) = faulted.effect {
            // Reported once, at the end of the handshake.
            var isRecorded = false
            return try addTLSHandlers(channel, security, unusual, socket) { end in
                if !isRecorded { session.complete(faulted, end) }
                isRecorded = true
            }
        }
        try apply(channel, faulted, session) { channel in try addTLSHandlers(channel, security, nil, socket) { _ in } }
    }

    private func addTLSHandlers(
        _ channel: any Channel, _ security: TLSContexts, _ unusual: UnusualHandshake?, _ socket: SocketHandler,
        handshakeEnded: @escaping (Receipt.End) -> Void
    ) throws {
        let sync = channel.pipeline.syncOperations
        try security.addHandler(to: sync, unusual, asksForCertificate: context.choice.asksForCertificates)
        try sync.addHandler(TLSCloseHandler(socket))
        try sync.addHandler(
            ProtocolHandler(
                isSecure: true, addProtocol: { channel, line in try addProtocol(channel, line, socket) }, handshakeEnded: handshakeEnded))
    }

    /// Adds the handlers of a connection in clear text.
    private func addProtocolDetection(_ channel: any Channel, _ protocols: Set<WireProtocol>, _ socket: SocketHandler) throws {
        guard protocols.contains(.h2) else { return try addProtocol(channel, WireLine(), socket) }
        guard protocols.contains(.h1) else { return try addProtocol(channel, WireLine(wireProtocol: .h2), socket) }
        try channel.pipeline.syncOperations.addHandler(
            ProtocolHandler(isSecure: false, addProtocol: { channel, line in try addProtocol(channel, line, socket) }))
    }

    /// Adds the handlers of the protocol.
    private func addProtocol(_ channel: any Channel, _ line: WireLine, _ socket: SocketHandler) throws {
        let sync = channel.pipeline.syncOperations
        #if HTTP2
        guard line.wireProtocol != .h2 else {
            let connection = HTTP2Connection(context, line: line, channel: channel, socket: socket)
            socket.incomplete = { [weak connection] in connection?.incomplete }
            return try connection.addHandlers(to: channel)
        }
        #endif
        let decoder = RequestDecoder(WireLimits.decoder)
        let handler = ConnectionHandler(context, line: line, channel: channel, socket: socket, decoder: decoder)
        socket.incomplete = { [weak handler] in handler?.incomplete }
        try sync.addHandler(ByteToMessageHandler(decoder))
        try sync.addHandler(handler)
    }
}

/// Detects a connection's protocol: by ALPN under TLS (RFC 7301), by HTTP/2's preface in clear text (RFC 9113 §3.4).
final class ProtocolHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let isSecure: Bool
    /// Adds the handlers of the protocol, which follow this one.
    private let addProtocol: (any Channel, WireLine) throws -> Void
    /// Called with the outcome of the handshake.
    private let handshakeEnded: (Receipt.End) -> Void
    private var early = ByteBuffer()
    private var isDetected = false

    private static let preface = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

    init(
        isSecure: Bool, addProtocol: @escaping (any Channel, WireLine) throws -> Void,
        handshakeEnded: @escaping (Receipt.End) -> Void = { _ in }
    ) {
        self.isSecure = isSecure
        self.addProtocol = addProtocol
        self.handshakeEnded = handshakeEnded
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDetected else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        early.writeBuffer(&bytes)
        guard !isSecure else { return }
        let count = min(early.readableBytes, ProtocolHandler.preface.readableBytes)
        let isPreface = early.getSlice(at: early.readerIndex, length: count) == ProtocolHandler.preface.getSlice(at: 0, length: count)
        if !isPreface {
            detected(context, WireLine(wireProtocol: .h1))
        } else if count == ProtocolHandler.preface.readableBytes {
            detected(context, WireLine(wireProtocol: .h2))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            handshakeEnded(.kept)
            let version = TLSContexts.version(of: context.channel)
            let certificate = TLSContexts.certificate(of: context.channel)
            detected(context, WireLine(wireProtocol: negotiated == "h2" ? .h2 : .h1s, tls: version ?? "TLS", certificate: certificate))
        // No request has come yet.
        case is CloseWhenIdle, is Silence, is SlowPart, ChannelEvent.inputClosed:
            if isDetected {
                context.fireUserInboundEventTriggered(event)
            } else if early.readableBytes > 0, !isSecure {
                // An incomplete preface or request: HTTP/1.1 reports the error.
                detected(context, WireLine(wireProtocol: .h1), then: event)
            } else {
                context.close(promise: nil)
            }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isDetected else { return context.fireErrorCaught(error) }
        handshakeEnded(.tlsAlert)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isDetected { handshakeEnded(.clientGone) }
        context.fireChannelInactive()
    }

    private func detected(_ context: ChannelHandlerContext, _ line: WireLine, then event: Any? = nil) {
        guard !isDetected else { return }
        isDetected = true
        do { try addProtocol(context.channel, line) } catch { return context.close(promise: nil) }
        if early.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(early))
            context.fireChannelReadComplete()
        }
        early = ByteBuffer()
        if let event { context.fireUserInboundEventTriggered(event) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
