import BankModel
import NIOCore
import NIOEmbedded
import TestBanks
import Testing

@testable import BankEngine
@testable import StubServer

extension WireTests {
    /// Requests are answered at the end of the event-loop tick that received them: events between the two.
    @Suite struct RequestRoundTests {
        /// Creates connections of one loop that advances only on demand.
        private struct Line {
            let stub: Stub
            let loop: EmbeddedEventLoop
            let rounds: RequestRounds

            init(_ stub: Stub) {
                self.stub = stub
                loop = EmbeddedEventLoop()
                rounds = RequestRounds(of: loop)
            }

            /// - Parameter session: nil for the till.
            func connection(to session: BankSession? = nil) throws -> EmbeddedChannel {
                let channel = EmbeddedChannel(loop: loop)
                let choice = SessionChoice(mount: .session(try session ?? stub.till), registry: stub.server.registry)
                try ConnectionStart(context: WireContext(choice, stub.server.configuration, rounds)).start(channel)
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

        /// Receives bytes, and reads no reply: nothing was answered before the tick ends.
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
                let line = Line(stub)
                let other = try await stub.server.openSession(bank: stub.till.bankName, name: "other")
                let channels = try (0..<210).map { try line.connection(to: $0 < 140 || $0.isMultiple(of: 2) ? nil : other) }
                defer { end(channels, line) }
                // An echoed header identifies the reply.
                for (number, channel) in channels.enumerated() {
                    try bring(request("GET /v1/clock?\(number)", headers: ["X-Request-Id: r-\(number)"]), to: channel)
                }

                line.loop.run()

                for (number, channel) in channels.enumerated() {
                    let reply = try reply(of: channel)
                    #expect(reply.hasPrefix("HTTP/1.1 200 "), "\(reply)")
                    #expect(reply.contains(": r-\(number)\r\n"), "\(reply)")
                }
                let entries = try stub.till.journal().entries
                #expect(entries.map(\.connection) == Array(1...175))
                #expect(entries.allSatisfy { $0.receipt.end == .kept })
                #expect(other.journal().entries.map(\.query) == (140..<210).filter { !$0.isMultiple(of: 2) }.map { "\($0)" })
            }
        }

        @Test func pipelinedRequestsKeepTheirOrder() async throws {
            try await withStub { stub in
                let line = Line(stub)
                let channel = try line.connection()
                defer { end([channel], line) }
                try bring(request("GET /v1/clock") + request("GET /v1/nowhere") + request("GET /v1/clock"), to: channel)

                line.loop.run()

                let statuses = try reply(of: channel).split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
                #expect(statuses == ["200", "404", "200"])
            }
        }

        @Test(arguments: [nil, #"{"fault": "hang"}"#, #"{"fault": {"delay": {"at_point": "body", "until": "released"}}}"#])
        func aClientThatIsGoneByThenIsReported(fault: String?) async throws {
            try await withStub { stub in
                if let fault { _ = try stub.till.set(rule(fault)) }
                let line = Line(stub)
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
                let line = Line(stub)
                let channel = try line.connection()
                defer { end([channel], line) }
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
