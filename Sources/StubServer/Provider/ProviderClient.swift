package import BankEngine
package import BankModel
import Faults
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// Sends requests to a real API, each on a new connection, so that none is ever sent twice.
///
/// HTTP/1.1 over TLS or in clear text. Certificates are always verified. Redirects are not followed, and no coding is undone.
package struct ProviderClient: Sendable {
    package let address: ProviderAddress
    private let limits: Limits
    /// Nil for clear text.
    private let security: ClientTLS?
    /// The address to connect to; nil for one that its host's name has now.
    var resolved: SocketAddress?
    /// How long the body of a request takes.
    var bodyTime = Duration.zero
    private let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    /// The number of pieces of a body that takes time.
    private static let slowPieces = 20

    /// The limits of one exchange.
    package struct Limits: Sendable {
        /// The time to connect.
        package var connect = Duration.seconds(10)
        /// The time to the head of the response, TLS included, and between two pieces of its body.
        package var silence = Duration.seconds(60)
        /// The time after the head during which the end of the body is awaited; then it is passed on as it comes.
        package var wholeBody = Duration.seconds(1)
        /// The longest body that is awaited.
        package var wholeBodyBytes = 1 << 20

        package init() {}
    }

    /// - Parameter caFile: a PEM file of authorities to trust besides the system's.
    /// - Throws: ``ProviderSetupError`` if the file has no certificate.
    package init(_ address: ProviderAddress, caFile: String? = nil, limits: Limits = Limits()) throws(ProviderSetupError) {
        self.address = address
        self.limits = limits
        security = address.isSecure ? try ClientTLS(caFile: caFile) : nil
    }

    /// Sends a request, once.
    ///
    /// - Parameters:
    ///   - target: path and query, sent as written.
    ///   - headers: without `Host` and the length of the body.
    /// - Returns: the response as it came. Its body is whole unless there is a rest.
    package func send(
        _ method: String, _ target: String, headers: [JournalEntry.Header], body: [UInt8]
    ) async throws(ProviderFailure) -> Response {
        let channel: any Channel
        let exchange: NIOLoopBound<ProviderExchange>
        do {
            (channel, exchange) = try await connected()
        } catch {
            throw ProviderFailure(error)
        }
        var head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: target)
        head.headers.add(name: "Host", value: address.authority)
        for header in headers { head.headers.add(name: header.name, value: header.value) }
        if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) {
            head.headers.add(name: "Content-Length", value: String(body.count))
        }
        head.headers.add(name: "Connection", value: "close")
        let step = bodyTime.nanoseconds / Int64(ProviderClient.slowPieces)
        let size = step > 0 ? max(1, (body.count + ProviderClient.slowPieces - 1) / ProviderClient.slowPieces) : max(1, body.count)
        let pieces = stride(from: 0, to: body.count, by: size).map { start -> HTTPClientRequestPart in
            .body(.byteBuffer(ByteBuffer(bytes: body[start..<min(start + size, body.count)])))
        }
        let request: [HTTPClientRequestPart] = [.head(head)] + pieces + [.end(nil)]
        let loop = channel.eventLoop
        // A failure is reported by the exchange.
        if step > 0 {
            for (number, part) in request.enumerated() {
                loop.scheduleTask(in: .nanoseconds(step * Int64(number))) { channel.writeAndFlush(part, promise: nil) }
            }
        } else {
            loop.execute {
                for part in request { channel.write(part, promise: nil) }
                channel.flush()
            }
        }
        return try await response(ProviderBody(exchange, limits.silence))
    }

    private func response(_ source: ProviderBody) async throws(ProviderFailure) -> Response {
        let head: HTTPResponseHead
        switch await source.part(within: limits.silence) {
        case .head(let found) where found.status.code >= 200: head = found
        case let other:
            source.cancel()
            if case .failed(let failure)? = other { throw failure }
            throw other == nil ? ProviderFailure.timedOut("the response") : .malformed("it does not begin with a final status")
        }
        let length = head.headers.first(name: "Content-Length").flatMap { Int($0) }
        var response = Response(
            status: Int(head.status.code), headers: head.headers.map { JournalEntry.Header($0.name, $0.value) },
            announced: head.headers.contains(name: "Transfer-Encoding") ? nil : length)
        let end = ContinuousClock.now + limits.wholeBody
        var cut: [UpstreamPiece] = []
        reading: while response.body.count <= limits.wholeBodyBytes {
            switch await source.part(within: max(.zero, end - .now)) {
            case .bytes(let bytes): response.body += bytes
            case .end: return response
            case .failed(let failure):
                // The client is to see the same cut.
                cut = [.cut(isReset: failure == .cut(isReset: true))]
                break reading
            case .head, nil: break reading
            }
        }
        source.hold([.bytes(response.body)] + cut)
        response.body = []
        response.rest = source
        return response
    }

    private func connected() async throws -> (any Channel, NIOLoopBound<ProviderExchange>) {
        let security: ClientTLS? = security
        let host = address.host
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(.nanoseconds(limits.connect.nanoseconds))
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let sync = channel.pipeline.syncOperations
                    if let security {
                        // An address is not a server name (RFC 6066 §3), and is verified all the same.
                        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
                        try security.addHandler(to: sync, name: isAddress ? nil : host)
                    }
                    try sync.addHandler(HTTPRequestEncoder())
                    var limits = NIOHTTPDecoderLimitConfiguration()
                    limits.maxHeaderListSize = 64 * 1024
                    try sync.addHandler(
                        ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)))
                    try sync.addHandler(ProviderExchange())
                }
            }
        let channel: any Channel =
            if let resolved { try await bootstrap.connect(to: resolved).get() } else {
                try await bootstrap.connect(host: host, port: address.port).get()
            }
        let exchange = try await channel.eventLoop.submit {
            NIOLoopBound(try channel.pipeline.syncOperations.handler(type: ProviderExchange.self), eventLoop: channel.eventLoop)
        }.get()
        return (channel, exchange)
    }

    /// The response of a real API.
    package struct Response: Sendable {
        package var status: Int
        package var headers: [JournalEntry.Header]
        package var body: [UInt8] = []
        /// The length that it states for its body; nil if it states none.
        package var announced: Int?
        /// The whole body, if it was too long or too slow to wait for, or is cut.
        package var rest: (any UpstreamBody)?
    }
}

/// A file of authorities that cannot be used.
package struct ProviderSetupError: Error, CustomStringConvertible {
    let file: String
    let reason: String

    package var description: String { "\(file): found no usable certificate (\(reason)), expected a PEM file of trusted authorities" }
}

/// The body of a response that a real API is still sending.
final class ProviderBody: UpstreamBody {
    private let exchange: NIOLoopBound<ProviderExchange>
    private let silence: Duration
    /// What was read already.
    private let held = Locked<[UpstreamPiece]>([])

    init(_ exchange: NIOLoopBound<ProviderExchange>, _ silence: Duration) {
        self.exchange = exchange
        self.silence = silence
    }

    /// The next part of the response; nil if it does not come within the time.
    func part(within limit: Duration) async -> ProviderPart? {
        let (exchange, loop) = (exchange, exchange.eventLoop)
        let part = loop.flatSubmit { exchange.value.next(within: .nanoseconds(limit.nanoseconds), on: loop) }
        do { return try await part.get() } catch { return .failed(ProviderFailure(error)) }
    }

    /// Puts pieces in front of what is still to come.
    func hold(_ pieces: [UpstreamPiece]) { held.withLock { $0 = pieces.filter { $0 != .bytes([]) } } }

    func next() async -> UpstreamPiece {
        if let piece = held.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return piece }
        switch await part(within: silence) {
        case .bytes(let bytes): return .bytes(bytes)
        case .end: return .end
        case .failed(let failure): return .cut(isReset: failure == .cut(isReset: true))
        case .head, nil:
            cancel()
            return .cut(isReset: false)
        }
    }

    func cancel() {
        let exchange = exchange
        exchange.eventLoop.execute { exchange.value.close() }
    }
}
