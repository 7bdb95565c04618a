import BankModel
import NIOCore
import NIOEmbedded
import TestServer
import Testing

@testable import BankEngine
@testable import StubServer

extension [UInt8] {
    /// Its parts of that length, the last of which may be shorter.
    fileprivate func chunks(of length: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
    }
}

extension Stub {
    /// Waits until at least that many bytes of unfinished requests are held; for 0, until none are. A response is sent before the count of its
    /// request ends.
    func heldHalfBytes(reach bytes: Int) async -> Bool {
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            let held = server.incompleteRequests.total
            if bytes == 0 ? held == 0 : held >= bytes { return true }
            await Task.yield()
        }
        return false
    }
}

/// Unfinished requests: their memory is bounded together, and each has a time limit.
@Suite struct IncompleteMemoryTests {
    /// The first bytes of a body that has 10,000 more.
    private func half(_ count: Int, more: Int = 10_000) -> String {
        "POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: \(count + more)\r\n\r\n" + bytes(count)
    }

    private func bytes(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func `half a request is counted until it ends, and rejected if it is the largest`() {
        final class Reader { var rejection: WireRejection? }
        let (all, loop, reader) = (IncompleteRequests(limit: 12), EmbeddedEventLoop(), Reader())
        var count = IncompleteCount(in: all)
        let totals = [0, 9, 12, 0, 0].map { bytes in
            count.set(bytes, by: reader, on: loop) { $0.rejection = $1 }
            return all.total
        }
        #expect(totals == [0, 9, 12, 0, 0])
        #expect(reader.rejection == nil)

        count.set(13, by: reader, on: loop) { $0.rejection = $1 }
        loop.run()

        #expect(reader.rejection?.status == 503)
        #expect(all.total == 0)
    }

    @Test func `the largest of too many is rejected and the others go on`() async throws {
        try await withStub(configure: { $0.incompleteRequestMemory = 500_000 }) { stub in
            let clients = try (0..<3).map { _ in try stub.client() }
            for (client, count) in zip(clients, [100_000, 250_000, 100_000]) { await client.send(half(count, more: 70_000)) }
            #expect(await stub.heldHalfBytes(reach: 450_000))

            await clients[0].send(bytes(60_000))

            let response = await clients[1].response()
            #expect(response?.status == 503)
            #expect(response?.header("Connection") == "close")
            #expect(await clients[1].end().end == .fin)
            await clients[0].send(bytes(10_000))
            await clients[2].send(bytes(70_000))
            // Complete, and of no customer.
            #expect([await clients[0].response()?.status, await clients[2].response()?.status] == [401, 401])
            #expect(await stub.heldHalfBytes(reach: 0))
        }
    }

    @Test func `streams count with connections`() async throws {
        try await withStub(configure: { $0.incompleteRequestMemory = 100_000 }) { stub in
            let (client, streams) = (try stub.client(), try await HTTP2Client(stub))
            let stream = await streams.ask("POST", "/v1/payments", halfBody: [UInt8](repeating: 120, count: 60_000))
            #expect(await stub.heldHalfBytes(reach: 60_000))

            await client.send(half(45_000))

            await streams.read { $0.haveEnded([stream]) }
            #expect(streams.streams[stream]?.status == 503)
            await client.send(bytes(10_000))
            #expect(await client.response()?.status == 401)
            #expect(await stub.heldHalfBytes(reach: 0))
        }
    }

    /// 64 MiB of short heads would be gigabytes of streams.
    @Test func `a stream counts as more than its bytes, and is over once it is rejected`() async throws {
        try await withStub(configure: { $0.incompleteRequestMemory = 10 * 4096 }) { stub in
            let client = try await HTTP2Client(stub)
            var streams: [Int] = []
            for _ in 1...10 { streams.append(await client.ask("POST", "/v1/payments", halfBody: [])) }

            await client.read { client in streams.contains { client.streams[$0]?.reset != nil } }

            let rejected = streams.compactMap { client.streams[$0] }
            #expect(rejected.map(\.status) == [503])
            #expect(rejected.map(\.isWhole) == [true])
            #expect(rejected.map(\.reset) == [0], "NO_ERROR: the client need not send the rest")
            #expect(client.end == nil)
        }
    }

    @Test func `a closed connection holds nothing`() async throws {
        try await withStub { stub in
            let clients = try (0..<20).map { _ in try stub.client() }
            for client in clients { await client.send(half(10_000)) }
            #expect(await stub.heldHalfBytes(reach: 200_000))

            for client in clients { client.close() }

            #expect(await stub.heldHalfBytes(reach: 0))
        }
    }

    /// A connection on a loop that only the test advances.
    private func line(_ stub: Stub) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
        let context = WireContext(choice, stub.server.configuration)
        try ConnectionStart(context: context).start(channel)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        return channel
    }

    private func written(_ channel: EmbeddedChannel) throws -> String {
        channel.embeddedEventLoop.run()
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    @Test(arguments: ["", request("GET /v1/clock")]) func `a head must come within 30 seconds however it drips`(
        before: String
    ) async throws {
        try await withStub(configure: defaultTimes) { stub in
            let channel = try line(stub)
            if !before.isEmpty { try channel.writeInbound(ByteBuffer(string: before)) }
            #expect(try written(channel).hasPrefix(before.isEmpty ? "" : "HTTP/1.1 200"))
            // However long it is silent before.
            channel.embeddedEventLoop.advanceTime(by: .seconds(40))

            for byte in "GET /v1/clock HTTP/1.1\r\nX".utf8.prefix(24) {
                try channel.writeInbound(ByteBuffer(bytes: [byte]))
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_240))
            }

            #expect(try written(channel) == "")
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(250))
            #expect(try written(channel).hasPrefix("HTTP/1.1 408 "))
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test func `the preface of HTTP 2 must come within 30 seconds however it drips`() async throws {
        try await withStub(configure: defaultTimes) { stub in
            let channel = try line(stub)

            for byte in "PRI * HTTP/2.0\r\n\r\nSM\r\n\r".utf8 {
                try channel.writeInbound(ByteBuffer(bytes: [byte]))
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_300))
            }

            #expect(try written(channel) == "")
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(150))
            #expect(try written(channel).hasPrefix("HTTP/1.1 408 "))
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test func `a body may take longer than a head`() async throws {
        try await withStub(configure: defaultTimes) { stub in
            let channel = try line(stub)
            try channel.writeInbound(ByteBuffer(string: "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n"))

            for _ in 1...40 {
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_480))
                try channel.writeInbound(ByteBuffer(string: "x"))
            }

            #expect(try written(channel).hasPrefix("HTTP/1.1 404 "))
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    /// A body by its length, one in chunks of one byte, an extension, and a trailer.
    @Test(arguments: [
        ("Content-Length: 900", "x"), ("Transfer-Encoding: chunked", "1\r\nx\r\n"), ("Transfer-Encoding: chunked\r\n\r\n1;a=", "b"),
        ("Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", "y"),
    ])
    func `a body must come within 60 seconds however it drips`(head: String, drop: String) async throws {
        try await withStub(configure: defaultTimes) { stub in
            let channel = try line(stub)
            // The request before was as slow, and has its own time.
            let ahead = "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n"
            try channel.writeInbound(ByteBuffer(string: ahead))
            channel.embeddedEventLoop.advanceTime(by: .seconds(50))
            try channel.writeInbound(ByteBuffer(string: "x"))
            #expect(try written(channel).hasPrefix("HTTP/1.1 404 "))
            let end = head.contains("\r\n\r\n") ? "" : "\r\n\r\n"
            try channel.writeInbound(ByteBuffer(string: "POST /v1/nothing HTTP/1.1\r\nHost: a\r\n\(head)\(end)"))

            for _ in 1...59 {
                try channel.writeInbound(ByteBuffer(string: drop))
                channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            }

            #expect(try written(channel) == "")
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            let response = try written(channel)
            #expect(response.hasPrefix("HTTP/1.1 408 "))
            #expect(response.contains("incomplete body after 1m"))
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    /// RFC 9112 §7.1.1
    @Test(arguments: [
        "1;a=\(String(repeating: "b", count: 40_000))",
        "1;a\r\nx\r\n0\r\nX: \(String(repeating: "y", count: 30_000))\r\nY: \(String(repeating: "y", count: 10_000))",
        String(repeating: "1;a=\(String(repeating: "b", count: 1_000))\r\nx\r\n", count: 40), String(repeating: "0", count: 40_000),
    ])
    func `extensions and trailers of chunks are limited`(chunks: String) async throws {
        try await withStub { stub in
            let channel = try line(stub)
            try channel.writeInbound(ByteBuffer(string: "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"))

            for piece in Array(chunks.utf8).chunks(of: 1_000) { try channel.writeInbound(ByteBuffer(bytes: piece)) }

            let response = try written(channel)
            #expect(response.hasPrefix("HTTP/1.1 431 ") || response.hasPrefix("HTTP/1.1 400 "), "\(response)")
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test func `small chunks with small extensions are a body like any other`() async throws {
        try await withStub { stub in
            let channel = try line(stub)
            try channel.writeInbound(ByteBuffer(string: "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"))

            for _ in 1...10_000 { try channel.writeInbound(ByteBuffer(string: "1;a=b\r\nx\r\n")) }
            try channel.writeInbound(ByteBuffer(string: "0\r\nX: y\r\n\r\n"))

            #expect(try written(channel).hasPrefix("HTTP/1.1 404 "))
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }
}
