import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import BankEngine
@testable import StubServer

/// The parts of a close that reach the TLS handler.
@Suite struct TLSCloseTests {
    /// Replaces the TLS handler and records its calls.
    private final class Recorder: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var asked: [CloseMode] = []
        /// Called while the output is closing, as when a failed write is reported.
        var within: ((ChannelHandlerContext) -> Void)?

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            asked.append(mode)
            within?(context)
            if case .all = mode { context.close(promise: promise) } else { promise?.succeed() }
        }
    }

    private func channel(_ recorder: Recorder) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let socket = SocketHandler(longest: .hours(1), times: .unlimited, drain: .seconds(1))
        try channel.pipeline.syncOperations.addHandlers([socket, recorder, TLSCloseHandler(socket)])
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/none"), promise: nil)
        return channel
    }

    private func close(_ channel: EmbeddedChannel, _ mode: CloseMode) {
        channel.close(mode: mode, promise: nil)
        channel.embeddedEventLoop.run()
    }

    private let handshaken = TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil)

    @Test func `a handshake that is given up ends at the socket`() throws {
        let recorder = Recorder()
        let channel = try channel(recorder)

        close(channel, .all)

        #expect(recorder.asked.isEmpty)
        #expect(!channel.isActive)
    }

    @Test func `a connection that is up sends close_notify`() throws {
        let recorder = Recorder()
        let channel = try channel(recorder)
        channel.pipeline.fireUserInboundEventTriggered(handshaken)

        close(channel, .all)

        #expect(recorder.asked == [.all])
        #expect(!channel.isActive)
    }

    @Test(arguments: [false, true]) func `behind the end of its output it ends at the socket`(isWithin: Bool) throws {
        let recorder = Recorder()
        let channel = try channel(recorder)
        channel.pipeline.fireUserInboundEventTriggered(handshaken)
        if isWithin { recorder.within = { $0.channel.close(promise: nil) } }

        close(channel, .output)
        if !isWithin { close(channel, .all) }

        #expect(recorder.asked == [.output])
        #expect(!channel.isActive)
    }
}
