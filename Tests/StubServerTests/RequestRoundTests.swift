import BankModel
import NIOCore
import NIOEmbedded
import TestBanks
import Testing

@testable import StubServer

extension WireTests {
    /// Requests are answered at the end of the loop's round that has brought them: what can happen between the two.
    @Suite struct RequestRoundTests {
        /// Makes connections of one loop that moves only when it is told to.
        private struct Line {
            let loop = EmbeddedEventLoop()
            let start: ConnectionStart

            init(_ stub: Stub) throws {
                let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
                start = ConnectionStart(context: WireContext(choice, stub.server.configuration, stub.server.rounds))
            }

            func connection() throws -> EmbeddedChannel {
                let channel = EmbeddedChannel(loop: loop)
                try start.start(channel)
                channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
                return channel
            }
        }

        /// Brings bytes, and reads no reply: nothing was answered before the round ends.
        private func bring(_ text: String, to channel: EmbeddedChannel) throws {
            try channel.writeInbound(ByteBuffer(string: text))
            #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        }

        private func reply(of channel: EmbeddedChannel) throws -> String {
            var text = ""
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text
        }

        @Test func allRequestsOfARoundAreAnsweredAtItsEnd() async throws {
            try await withStub { stub in
                let line = try Line(stub)
                let channels = try (0..<70).map { _ in try line.connection() }
                for channel in channels { try bring(request("GET /v1/clock?a=\(channel.localAddress?.port ?? 0)"), to: channel) }

                line.loop.run()

                for channel in channels { #expect(try reply(of: channel).hasPrefix("HTTP/1.1 200 ")) }
                let entries = try stub.till.journal().entries
                #expect(entries.map(\.seq) == Array(1...70) && entries.allSatisfy { $0.receipt.end == .kept })
                #expect(entries.map(\.connection) == Array(1...70))
            }
        }

        @Test func pipelinedRequestsKeepTheirOrder() async throws {
            try await withStub { stub in
                let channel = try Line(stub).connection()
                try bring(request("GET /v1/clock") + request("GET /v1/nowhere") + request("GET /v1/clock"), to: channel)

                (channel.eventLoop as? EmbeddedEventLoop)?.run()

                let statuses = try reply(of: channel).split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
                #expect(statuses == ["200", "404", "200"])
            }
        }

        @Test(arguments: [nil, #"{"fault": "hang"}"#, #"{"fault": {"delay": {"at_point": "body", "until": "released"}}}"#])
        func aClientThatIsGoneByThenIsTold(fault: String?) async throws {
            try await withStub { stub in
                if let fault { _ = try stub.till.set(rule(fault)) }
                let line = try Line(stub)
                let channel = try line.connection()
                try bring(request("GET /v1/clock?once=1"), to: channel)

                channel.close(promise: nil)
                line.loop.run()

                #expect(try stub.till.journal().entries.map(\.receipt.end) == [.clientGone])
                #expect(try stub.till.heldCount == 0)
            }
        }

        @Test(arguments: [false, true])
        func aClientThatHasShutItsSideByThenIsAnsweredUnlessItIsHeld(isHeld: Bool) async throws {
            try await withStub { stub in
                if isHeld { _ = try stub.till.set(rule(#"{"fault": "hang"}"#)) }
                let line = try Line(stub)
                let channel = try line.connection()
                try bring(request("GET /v1/clock?once=1"), to: channel)

                channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
                line.loop.run()

                #expect(try reply(of: channel).isEmpty == isHeld)
                #expect(try stub.till.heldCount == 0)
                #expect(try stub.till.journal().entries.map(\.receipt.end) == [isHeld ? .clientGone : .kept])
            }
        }
    }
}
