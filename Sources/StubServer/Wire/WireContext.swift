import BankModel
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What all connections of one listener share.
struct WireContext: Sendable {
    let choice: SessionChoice
    let clock: MachineClock
    /// The origin whose pages may call the bank; nil: none.
    let cors: String?
    /// How long nothing may be read.
    let idle: Duration

    init(_ choice: SessionChoice, _ configuration: ServerConfiguration) {
        (self.choice, clock, cors, idle) = (choice, configuration.clock, configuration.corsOrigin, configuration.idleTimeout)
    }
}

/// Listens for HTTP/1.1 in clear text.
struct WireListener: Sendable {
    let group: any EventLoopGroup

    /// Binds and begins to accept.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Throws: ``ServerError/cannotListen(host:port:reason:)``
    func listen(host: String, port: Int, _ context: WireContext, connections: ConnectionSet) async throws(ServerError) -> any Channel {
        do {
            // An address that needs no resolver is not given to one: that would take longer than all the rest.
            if let address = try? SocketAddress(ipAddress: host, port: port) {
                return try await bootstrap(context, connections).bind(to: address).get()
            }
            return try await bootstrap(context, connections).bind(host: host, port: port).get()
        } catch let error as IOError {
            throw .cannotListen(host: host, port: port, reason: error.reasonText)
        } catch {
            throw .cannotListen(host: host, port: port, reason: "\(error)")
        }
    }

    private func bootstrap(_ context: WireContext, _ connections: ConnectionSet) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    var limits = NIOHTTPDecoderLimitConfiguration()
                    (limits.maxHeaderFieldSize, limits.maxHeaderListSize) = (WireLimits.headBytes, WireLimits.headBytes)
                    limits.maxHeaderFieldCount = WireLimits.headerCount
                    let sync = channel.pipeline.syncOperations
                    let handler = ConnectionHandler(context)
                    try sync.addHandler(SilenceHandler(handler, longest: .nanoseconds(context.idle.nanoseconds)))
                    try sync.addHandler(
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)))
                    try sync.addHandler(handler)
                }
            }
    }
}

extension IOError {
    /// What the system says of it, such as `Address already in use`.
    var reasonText: String { String(cString: strerror(errnoCode)) }
}
