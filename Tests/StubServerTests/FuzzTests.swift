import BankModel
import Foundation
import NIOCore
import NIOEmbedded
import Platform
import TestBanks
import TestServer
import Testing

@testable import BankEngine
@testable import StubServer

extension SerialTests {
    /// With any bytes, the server neither crashes nor hangs nor grows.
    @Suite struct FuzzTests {
        /// Valid requests, from which the mutants are made.
        private func good(_ token: String) -> [[UInt8]] {
            [
                request("GET /v1/accounts", token: token), payment(key: "k", token: token), request("HEAD /v1/document.json"),
                "POST /v1/token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ngrant\r\n0\r\n\r\n",
                request("GET /s/till/v1/accounts/a1/entries?limit=2&from=2020-01-01T00:00:00Z", token: token),
                request("OPTIONS *", headers: ["Expect: 100-continue", "X-Counterfoil-Session: till"]),
                request("GET /v1/clock") + request("GET /v1/clock"), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            ].map { Array($0.utf8) } + [http2Request]
        }

        /// HTTP/2's preface, settings, and `GET /` with literal fields (RFC 9113 §3.4, §6.2).
        private var http2Request: [UInt8] {
            let block: [UInt8] = [0x82, 0x84, 0x86, 0x41, 1, UInt8(ascii: "a")]
            return Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
                + [0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block
        }

        @Test func `random and mutated bytes do not hurt the server`() async throws {
            try await withStub { stub in
                let session = try stub.till
                let requests = good(try stub.token())
                let choice = SessionChoice(mount: .session(session), registry: stub.server.registry)
                let start = ConnectionStart(context: WireContext(choice, stub.server.configuration))
                func answered(_ count: Int, part: Int) async -> Int {
                    await blocking {
                        var random = SeededGenerator(seed: SeededGenerator.hash(20, UInt64(part)))
                        return (1...count).count { number in
                            let bytes = number.isMultiple(of: 4) ? noise(using: &random) : mutant(of: requests, using: &random)
                            return (try? isAnswered(bytes, start, using: &random)) ?? false
                        }
                    }
                }

                // By then the journal is full, and every table has the size that it will have.
                let first = await answered(20_000, part: 0)
                let memory = residentBytes()
                async let second = answered(40_000, part: 1)
                async let third = answered(40_000, part: 2)
                let all = first + (await second) + (await third)

                #expect(all > 40_000, "the mutants are still like enough to requests to be answered")
                #expect(session.heldCount == 0)
                #expect(residentBytes() - memory < 64 << 20, "nothing grows")
                #expect(try await stub.ask(request("GET /v1/clock")).status == 200)
            }
        }

        /// Whether a connection with these bytes and an end gets any answer.
        private func isAnswered(_ bytes: [UInt8], _ start: ConnectionStart, using random: inout SeededGenerator) throws -> Bool {
            let channel = EmbeddedChannel()
            try start.start(channel)
            channel.pipeline.fireChannelActive()
            // In two pieces, cut anywhere: no parser may depend on the pieces it reads.
            let cut = Int.random(in: 0...bytes.count, using: &random)
            for piece in [bytes[..<cut], bytes[cut...]] where !piece.isEmpty {
                _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
                channel.pipeline.fireChannelReadComplete()
            }
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            channel.embeddedEventLoop.run()
            defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
            return try channel.readOutbound(as: ByteBuffer.self) != nil
        }

        private func noise(using random: inout SeededGenerator) -> [UInt8] {
            (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }

        private func mutant(of requests: [[UInt8]], using random: inout SeededGenerator) -> [UInt8] {
            var bytes = requests[Int.random(in: 0..<requests.count, using: &random)]
            for _ in 0...Int.random(in: 0...3, using: &random) { mutate(&bytes, using: &random) }
            return bytes
        }

        private func mutate(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
            guard !bytes.isEmpty else { return }
            let position = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0...5, using: &random) {
            case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: position)
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
            case 3: bytes.removeLast(bytes.count - position)
            case 4: bytes.insert(contentsOf: bytes[position...], at: position)
            default: bytes.insert(contentsOf: Array("\r\n".utf8), at: position)
            }
        }

        /// The memory of this process; 0 if the system does not report it.
        private func residentBytes() -> Int { ThisProcess.residentBytes ?? 0 }
    }
}
