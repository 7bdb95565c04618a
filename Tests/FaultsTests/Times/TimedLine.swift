import BankModel
import NIOCore
import NIOEmbedded
import NIOSSL
import TestServer
import Testing

@testable import BankEngine
@testable import StubServer

/// A connection of the server's on a loop whose clock only the test advances, and the client at its other end.
///
/// With TLS the client performs a real handshake, on the same loop. The operations of a socket, a FIN or a reset, are
/// recorded instead. It is used from one thread.
final class TimedLine {
    let loop: EmbeddedEventLoop
    private let server: EmbeddedChannel
    private let socket = SocketRecorder()
    private let client: EmbeddedChannel?
    private var reader: any ResponseReader
    private var start = NIODeadline.uptimeNanoseconds(0)
    private var hasEnded = false

    /// Replaces the socket: records how the connection ends, and accepts no more bytes than it has room for.
    private final class SocketRecorder: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private(set) var end: String?
        private var context: ChannelHandlerContext?
        /// The bytes that it still accepts; nil for any number.
        var room: Int?
        private(set) var accepted = 0
        private var rejected: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let count = unwrapOutboundIn(data).readableBytes
            guard let room else { return context.write(data, promise: promise) }
            self.room = max(0, room - count)
            accepted += min(room, count)
            if count <= room { context.write(data, promise: promise) } else if let promise { rejected.append(promise) }
        }

        /// As NIO does when a socket is closed.
        func fail() {
            for promise in rejected { promise.fail(ChannelError.ioOnClosedChannel) }
            rejected = []
        }

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        /// The peer is gone, whatever the handlers above would still wait for.
        func leave() {
            fail()
            context?.close(promise: nil)
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if case .output = mode {
                end = end ?? "fin"
                // An embedded channel cannot shut down one side.
                promise?.succeed()
            } else {
                end = end ?? "rst"
                fail()
                context.close(mode: mode, promise: promise)
            }
        }
    }

    /// Connects; nothing is requested yet.
    init(_ wire: OracleWire, to session: BankSession, of stub: Stub, on loop: EmbeddedEventLoop = EmbeddedEventLoop()) throws {
        self.loop = loop
        server = EmbeddedChannel(loop: loop)
        try server.pipeline.syncOperations.addHandler(socket)
        let choice = SessionChoice(mount: .session(session), registry: stub.server.registry)
        let context = WireContext(
            choice, stub.server.configuration, security: wire.isSecure ? try TimedTLS.server(wire) : nil,
            protocols: [wire.wireProtocol])
        try ConnectionStart(context: context).start(server)
        reader = wire.isHTTP2 ? HTTP2Reader() : HTTP1Reader()
        client = wire.isSecure ? EmbeddedChannel(loop: loop) : nil
        start = loop.now
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        server.connect(to: address, promise: nil)
        if let client {
            try client.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: try TimedTLS.client(wire), serverHostname: nil))
            client.connect(to: address, promise: nil)
        }
        send(reader.greeting)
        try exchange()
    }

    /// Sends a request, and measures the time from now on.
    ///
    /// - Parameter runs: whether the loop's tick ends with it; otherwise others can send in the same tick.
    func ask(_ request: TimedRequest, runs: Bool = true) throws {
        start = loop.now
        hasEnded = false
        send(reader.begin(request))
        if runs { try exchange() }
    }

    /// The client stops reading: the operating system accepts that many bytes more.
    func stall(after bytes: Int) { socket.room = bytes }

    /// The bytes that were accepted since then.
    var accepted: Int { socket.accepted }

    /// The response to the last request.
    var answer: TimedAnswer { reader.answer }

    /// Advances the loop's clock, in steps small enough to observe each moment by itself.
    func move(to milliseconds: Int, every step: Int = 10) throws {
        let end = start + .milliseconds(Int64(milliseconds))
        while loop.now < end {
            loop.advanceTime(to: min(end, loop.now + .milliseconds(Int64(step))))
            try exchange()
        }
    }

    /// Runs everything that is due.
    func exchange() throws {
        loop.run()
        var received: [UInt8] = []
        var isMoving = true
        while isMoving {
            isMoving = false
            while let bytes = try server.readOutbound(as: ByteBuffer.self) {
                isMoving = true
                // A client that receives something wrong reports it by an error of its own: only the bytes count here.
                if let client { _ = try? client.writeInbound(bytes) } else { received += Array(bytes.readableBytesView) }
            }
            while let bytes = try client?.readInbound(as: ByteBuffer.self) { received += Array(bytes.readableBytesView) }
            while let bytes = try client?.readOutbound(as: ByteBuffer.self) {
                isMoving = true
                if server.isActive { _ = try? server.writeInbound(bytes) }
            }
            loop.run()
        }
        let time = Int((loop.now - start).nanoseconds / 1_000_000)
        send(reader.read(received, at: time))
        if let end = socket.end, !hasEnded {
            hasEnded = true
            reader.answer.timeline.add(end, at: time)
        }
    }

    /// Without waiting: bytes written before a handshake's end are sent after it.
    private func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, server.isActive else { return }
        if let client { return client.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
        server.pipeline.fireChannelRead(ByteBuffer(bytes: bytes))
        server.pipeline.fireChannelReadComplete()
    }

    /// The client closes; no part of the server refers to the connection any longer, which only this thread may use.
    func close() {
        socket.leave()
        client?.close(promise: nil)
        loop.run()
    }
}

/// Certificates for all tests of this kind.
private enum TimedTLS {
    private static let authority = Result { try CertificateAuthority.make(named: "Timed tests", at: MachineClock.system.now()) }
    private static let contexts = [OracleWire.h1s, .h2].map { wire in
        authority.map { TLSContexts($0, hosts: ["127.0.0.1"], clock: .system, applicationProtocols: [name(wire)]) }
    }

    static func server(_ wire: OracleWire) throws -> TLSContexts { try contexts[wire.isHTTP2 ? 1 : 0].get() }

    static func client(_ wire: OracleWire) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = [name(wire)]
        return try NIOSSLContext(configuration: configuration)
    }

    private static func name(_ wire: OracleWire) -> String { wire.isHTTP2 ? "h2" : "http/1.1" }
}
