import BankModel
import NIOCore
import NIOEmbedded
import TestBanks
import TestServer
import Testing

@testable import BankEngine
@testable import StubServer

/// Requests that come together, on connections of one loop that advances only on demand.
@Suite struct PipelineTests {
    private struct Line {
        let stub: Stub
        let loop = EmbeddedEventLoop()

        func connection() throws -> EmbeddedChannel {
            let channel = EmbeddedChannel(loop: loop)
            let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
            try ConnectionStart(context: WireContext(choice, stub.server.configuration)).start(channel)
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            return channel
        }
    }

    /// Ends connections: any that a test leaves open are closed at the server's end, which runs on another thread than
    /// the loop's.
    private func end(_ channels: [EmbeddedChannel], _ line: Line) {
        for channel in channels { channel.close(promise: nil) }
        line.loop.run()
    }

    private func statuses(of channel: EmbeddedChannel) throws -> [String] {
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text.split(separator: "HTTP/1.1 ").map { String($0.prefix(3)) }
    }

    @Test func `a client with hundreds of requests in one read lets others have their turn`() async throws {
        try await withStub { stub in
            let line = Line(stub: stub)
            let (greedy, other) = (try line.connection(), try line.connection())
            defer { end([greedy, other], line) }

            try greedy.writeInbound(ByteBuffer(string: String(repeating: request("GET /v1/clock"), count: 300)))
            let first = try statuses(of: greedy).count
            try other.writeInbound(ByteBuffer(string: request("GET /v1/clock")))

            #expect((1...64).contains(first))
            #expect(try statuses(of: other) == ["200"])
            line.loop.run()
            #expect(try first + statuses(of: greedy).count == 300)
            #expect(try stub.till.journal().entries.count == 301)
        }
    }

    @Test(arguments: [#"{"fault": "hang"}"#, #"{"fault": {"delay": {"at_point": "body", "until": "released"}}}"#])
    func `a client that is gone is reported`(fault: String) async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(fault))
            let line = Line(stub: stub)
            let channel = try line.connection()
            try channel.writeInbound(ByteBuffer(string: request("GET /v1/clock?once=1")))

            channel.close(promise: nil)
            line.loop.run()

            #expect(try stub.till.journal().entries.map(\.receipt.end) == [.clientGone])
            #expect(try stub.till.heldCount == 0)
        }
    }

    @Test(arguments: [false, true])
    func `a client that shuts its side with its request is answered unless it is held`(isHeld: Bool) async throws {
        try await withStub { stub in
            if isHeld { _ = try stub.till.set(rule(#"{"fault": "hang"}"#)) }
            let line = Line(stub: stub)
            let channel = try line.connection()
            defer { end([channel], line) }
            try channel.writeInbound(ByteBuffer(string: request("GET /v1/clock?once=1")))

            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            line.loop.run()

            #expect(try statuses(of: channel).isEmpty == isHeld)
            #expect(try stub.till.heldCount == 0)
            #expect(try stub.till.journal().entries.map(\.receipt.end) == [isHeld ? .clientGone : .kept])
        }
    }
}
