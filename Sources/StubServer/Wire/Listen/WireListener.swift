import BankModel
package import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// Listens on a port, and sets up every accepted connection.
package struct WireListener: Sendable {
    private let group: any EventLoopGroup

    /// - Parameter group: carries the listener and its connections.
    package init(group: any EventLoopGroup) { self.group = group }

    /// Binds a port of the banks and begins to accept.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Throws: ``ServerError/cannotListen(host:port:reason:)``
    func listen(
        host: String, port: Int, _ context: WireContext, _ connections: ConnectionSet, all: ConnectionSet
    ) async throws(ServerError) -> any Channel {
        try await listen(host: host, port: port, connections, limit: context.configuration.connectionLimit(isAdmin: false)) { channel in
            all.add(channel)
            try ConnectionStart(context: context).start(channel)
        }
    }

    /// Binds a port and begins to accept.
    ///
    /// - Parameters:
    ///   - port: 0 for any free one.
    ///   - connections: gets every accepted connection.
    ///   - limit: the maximum number of connections; those above it wait in the kernel's queue until others have ended.
    ///   - start: sets up an accepted connection, on its event loop.
    /// - Throws: ``ServerError/cannotListen(host:port:reason:)``
    package func listen(
        host: String, port: Int, _ connections: ConnectionSet, limit: Int, start: @escaping @Sendable (any Channel) throws -> Void
    ) async throws(ServerError) -> any Channel {
        let bootstrap = bootstrap(connections, limit, start)
        do {
            // An IP address skips the resolver, which would take longer than all the rest.
            if let address = try? SocketAddress(ipAddress: host, port: port) { return try await bootstrap.bind(to: address).get() }
            return try await bootstrap.bind(host: host, port: port).get()
        } catch let error as IOError {
            throw .cannotListen(host: host, port: port, reason: error.reasonText)
        } catch {
            throw .cannotListen(host: host, port: port, reason: "\(error)")
        }
    }

    private func bootstrap(
        _ connections: ConnectionSet, _ limit: Int, _ start: @escaping @Sendable (any Channel) throws -> Void
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in channel.pipeline.addHandler(AcceptPause(limit: limit, of: connections)) }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try start(channel) } }
    }
}

extension IOError {
    /// The system's text for the error, such as `Address already in use`.
    var reasonText: String { String(cString: strerror(errnoCode)) }
}
