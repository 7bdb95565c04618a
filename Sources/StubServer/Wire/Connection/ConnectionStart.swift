import BankModel
import Faults
import NIOCore
import NIOHTTP1
import NIOSSL

/// Makes an accepted connection what it is to be: struck by a rule, under TLS or not, HTTP/1.1 or HTTP/2.
struct ConnectionStart: Sendable {
    let context: WireContext

    /// Adds the handlers that a new connection begins with.
    func start(_ channel: any Channel) throws {
        // Only where the port belongs to one session do rules know a connection before its first request.
        let session = context.choice.onlySession
        let acceptance = session?.accept(channel, isSecure: context.security != nil) ?? Acceptance()
        let known = session.flatMap { session in acceptance.number.map { (session: session, number: $0) } }
        let places = ConnectionPlaces(on: channel.eventLoop, known: known)
        guard let session, let struck = acceptance.connect else { return try begin(channel, acceptance.tls, places) }
        if case .bandwidth(let rate) = struck.strike {
            try channel.pipeline.syncOperations.addHandler(BandwidthHandler(bytesPerSecond: rate))
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: max(1, min(rate / 50, 65536))))
            session.complete(struck, .kept)
            return try begin(channel, acceptance.tls, places)
        }
        try strike(channel, struck, session) { channel in try begin(channel, acceptance.tls, places) }
    }

    private func strike(
        _ channel: any Channel, _ struck: StruckConnection, _ session: BankSession, goOn: @escaping (any Channel) throws -> Void
    ) throws {
        switch struck.strike {
        case .wait, .silence: try channel.syncOptions?.setOption(.autoRead, value: false)
        default: break
        }
        try channel.pipeline.syncOperations.addHandler(StruckHandler(struck, session, goOn: goOn))
    }

    /// From the handshake on, if there is one.
    private func begin(_ channel: any Channel, _ struck: StruckConnection?, _ places: ConnectionPlaces) throws {
        guard let security = context.security else { return try speak(channel, places) }
        guard let struck, let session = context.choice.onlySession else { return try secure(channel, security, nil, places) { _ in } }
        if case .certificate(let kind) = struck.strike {
            // Told once: by the handshake's end, whatever comes after.
            var isTold = false
            return try secure(channel, security, kind, places) { end in
                if !isTold { session.complete(struck, end) }
                isTold = true
            }
        }
        try strike(channel, struck, session) { channel in try secure(channel, security, nil, places) { _ in } }
    }

    private func secure(
        _ channel: any Channel, _ security: TLSContexts, _ kind: CertificateKind?, _ places: ConnectionPlaces,
        handshakeEnded: @escaping (Receipt.End) -> Void
    ) throws {
        let sync = channel.pipeline.syncOperations
        let socket = SocketHandler(longest: .nanoseconds(context.idle.nanoseconds), drain: .nanoseconds(context.drain.nanoseconds))
        try sync.addHandler(socket)
        try sync.addHandler(NIOSSLServerHandler(context: try security.context(kind)))
        try sync.addHandler(TLSCloseHandler(socket))
        try sync.addHandler(
            ProtocolHandler(
                isSecure: true, settle: { channel, line in try settle(channel, line, places, socket) }, handshakeEnded: handshakeEnded))
    }

    private func speak(_ channel: any Channel, _ places: ConnectionPlaces) throws {
        let sync = channel.pipeline.syncOperations
        let socket = SocketHandler(longest: .nanoseconds(context.idle.nanoseconds), drain: .nanoseconds(context.drain.nanoseconds))
        try sync.addHandler(socket)
        guard context.protocols.contains(.h2) else { return try settle(channel, WireLine(), places, socket) }
        guard context.protocols.contains(.h1) else { return try settle(channel, WireLine(wireProtocol: .h2), places, socket) }
        try sync.addHandler(ProtocolHandler(isSecure: false, settle: { channel, line in try settle(channel, line, places, socket) }))
    }

    /// Adds what speaks the protocol.
    private func settle(_ channel: any Channel, _ line: WireLine, _ places: ConnectionPlaces, _ socket: SocketHandler) throws {
        let sync = channel.pipeline.syncOperations
        guard line.wireProtocol != .h2 else {
            let connection = HTTP2Connection(context, line: line, places: places, socket: socket)
            return try connection.addHandlers(to: channel)
        }
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize) = (WireLimits.headBytes, WireLimits.headBytes)
        limits.maxHeaderFieldCount = WireLimits.headerCount
        let handler = ConnectionHandler(context, line: line, places: places, socket: socket)
        socket.connection = handler
        try sync.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)))
        try sync.addHandler(handler)
    }
}
