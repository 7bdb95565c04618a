import BankModel
import NIOCore
import NIOEmbedded
import Testing

@testable import BankEngine
@testable import StubServer

extension WireTests {
    /// Unfinished requests: their memory is bounded together, and each has a time limit.
    @Suite struct HalfRequestTests {
        /// The first bytes of a body that has 10,000 more.
        private func half(_ count: Int, more: Int = 10_000) -> String {
            "POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: \(count + more)\r\n\r\n" + bytes(count)
        }

        private func bytes(_ count: Int) -> String { String(repeating: "x", count: count) }

        @Test func theLargestOfTooManyIsRefusedAndTheOthersGoOn() async throws {
            try await withStub(configure: { $0.halfRequestMemory = 500_000 }) { stub in
                let clients = try (0..<3).map { _ in try stub.client(timeoutSeconds: 10) }
                for (client, count) in zip(clients, [100_000, 250_000, 100_000]) { client.send(half(count, more: 70_000)) }
                #expect(await reaches(450_000, stub))

                clients[0].send(bytes(60_000))

                let reply = clients[1].reply()
                #expect(reply?.status == 503)
                #expect(reply?.header("Connection") == "close")
                #expect(clients[1].end().end == .fin)
                clients[0].send(bytes(10_000))
                clients[2].send(bytes(70_000))
                // Complete, and of no customer.
                #expect([clients[0], clients[2]].map { $0.reply()?.status } == [401, 401])
                #expect(stub.server.heldHalfBytes == 0)
            }
        }

        @Test func streamsCountWithConnections() async throws {
            try await withStub(configure: { $0.halfRequestMemory = 100_000 }) { stub in
                let (client, streams) = (try stub.client(timeoutSeconds: 10), try HTTP2Client(stub, timeoutSeconds: 10))
                let stream = streams.ask("POST", "/v1/payments", halfBody: [UInt8](repeating: 120, count: 60_000))
                #expect(await reaches(60_000, stub))

                client.send(half(45_000))

                streams.read { $0.haveEnded([stream]) }
                #expect(streams.streams[stream]?.status == 503)
                client.send(bytes(10_000))
                #expect(client.reply()?.status == 401)
                #expect(stub.server.heldHalfBytes == 0)
            }
        }

        @Test func aClosedConnectionHoldsNothing() async throws {
            try await withStub { stub in
                let clients = try (0..<20).map { _ in try stub.client() }
                for client in clients { client.send(half(10_000)) }
                #expect(await reaches(200_000, stub))

                for client in clients { client.close() }

                #expect(await reaches(0, stub))
            }
        }

        /// Waits until at least `bytes` are held; for 0, until none are.
        private func reaches(_ bytes: Int, _ stub: Stub) async -> Bool {
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end {
                let held = stub.server.heldHalfBytes
                if bytes == 0 ? held == 0 : held >= bytes { return true }
                await Task.yield()
            }
            return false
        }

        /// A connection on a loop that only the test advances.
        private func line(_ stub: Stub) throws -> EmbeddedChannel {
            let channel = EmbeddedChannel()
            let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
            let context = WireContext(choice, stub.server.configuration, RequestRounds(of: channel.embeddedEventLoop))
            try ConnectionStart(context: context).start(channel)
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            return channel
        }

        private func said(_ channel: EmbeddedChannel) throws -> String {
            channel.embeddedEventLoop.run()
            var text = ""
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text
        }

        @Test(arguments: ["", request("GET /v1/clock")]) func aHeadMustComeWithin30SecondsHoweverItDrips(before: String) async throws {
            try await withStub { stub in
                let channel = try line(stub)
                if !before.isEmpty { try channel.writeInbound(ByteBuffer(string: before)) }
                #expect(try said(channel).hasPrefix(before.isEmpty ? "" : "HTTP/1.1 200"))
                // However long it is silent before.
                channel.embeddedEventLoop.advanceTime(by: .seconds(40))

                for byte in "GET /v1/clock HTTP/1.1\r\nX".utf8.prefix(24) {
                    try channel.writeInbound(ByteBuffer(bytes: [byte]))
                    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_240))
                }

                #expect(try said(channel) == "")
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(250))
                #expect(try said(channel).hasPrefix("HTTP/1.1 408 "))
                _ = try channel.finish(acceptAlreadyClosed: true)
            }
        }

        @Test func aBodyMayTakeItsTime() async throws {
            try await withStub { stub in
                let channel = try line(stub)
                try channel.writeInbound(ByteBuffer(string: "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n"))

                for _ in 1...40 {
                    channel.embeddedEventLoop.advanceTime(by: .seconds(2))
                    try channel.writeInbound(ByteBuffer(string: "x"))
                }

                #expect(try said(channel).hasPrefix("HTTP/1.1 404 "))
                _ = try channel.finish(acceptAlreadyClosed: true)
            }
        }
    }
}
