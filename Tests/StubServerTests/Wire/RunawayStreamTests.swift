import BankModel
import NIOCore
import NIOEmbedded
import TestServer
import Testing

@testable import BankEngine
@testable import StubServer

/// The limits of a runaway connection of HTTP/2; only the test advances the clock.
@Suite struct RunawayStreamTests {
    /// A connection on a loop that only the test moves, and the frames that have come back. It belongs to one thread: a test awaits nothing
    /// between its beginning and its end.
    private final class Line {
        let channel = EmbeddedChannel()
        private var received: [UInt8] = []
        private var nextStream = 1

        init(_ stub: Stub, rates: StreamRates = StreamRates()) throws {
            let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
            var context = WireContext(choice, stub.server.configuration)
            context.rates = rates
            try ConnectionStart(context: context).start(channel)
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            try send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
        }

        func send(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

        func send(type: UInt8, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) throws {
            try send(Self.frame(type: type, flags: flags, stream: stream, payload))
        }

        static func frame(type: UInt8, flags: UInt8, stream: Int, _ payload: [UInt8]) -> [UInt8] {
            big(payload.count).dropFirst() + [type, flags] + big(stream) + payload
        }

        private static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

        /// Asks with GET.
        ///
        /// - Returns: the stream's number.
        func get(flags: UInt8 = 5) throws -> Int {
            defer { nextStream += 2 }
            try send(type: 1, flags: flags, stream: nextStream, Self.fields)
            return nextStream
        }

        /// Asks with GET, and breaks the stream off in the same packet (CANCEL).
        func getAndReset() throws {
            defer { nextStream += 2 }
            try send(
                Self.frame(type: 1, flags: 5, stream: nextStream, Self.fields)
                    + Self.frame(type: 3, flags: 0, stream: nextStream, [0, 0, 0, 8]))
        }

        /// The head of a GET, nothing of it indexed (RFC 7541 §6.2.2).
        static let fields: [UInt8] = [
            (":method", "GET"), (":scheme", "http"), (":authority", "bank"), (":path", "/v1/clock"),
        ].flatMap { name, value -> [UInt8] in
            [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }

        /// The code of the GOAWAY that has come; nil if none has.
        func goAway() throws -> UInt8? {
            try frames().first { $0[3] == 7 }.map { $0[16] }
        }

        /// How many frames of a type have come.
        func count(type: UInt8) throws -> Int { try frames().count { $0[3] == type } }

        private func frames() throws -> [[UInt8]] {
            channel.embeddedEventLoop.run()
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { received += Array(buffer: bytes) }
            var frames: [[UInt8]] = []
            var rest = received[...]
            while rest.count >= 9 {
                let length = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) }
                frames.append(Array(rest.prefix(9 + length)))
                rest = rest.dropFirst(9 + length)
            }
            return frames
        }

        func end() { _ = try? channel.finish(acceptAlreadyClosed: true) }
    }

    @Test(arguments: [15, 40]) func `a client that breaks off too many streams is sent away`(count: Int) async throws {
        try await withStub { stub in
            do {
                let line = try Line(stub, rates: StreamRates(streamErrors: 20, window: .hours(1)))
                defer { line.end() }
                try line.send(type: 4)

                for _ in 1...count where line.channel.isActive { try line.getAndReset() }

                #expect(try line.goAway() == (count > 20 ? 11 : nil), "ENHANCE_YOUR_CALM")
                #expect(line.channel.isActive == (count < 20))
            }
            #expect(try await stub.ask(request("GET /v1/clock")).status == 200)
        }
    }

    @Test(arguments: [15, 40]) func `pings beyond the limit of control frames end the connection, fewer do not`(count: Int) async throws {
        try await withStub { stub in
            let line = try Line(stub, rates: StreamRates(controlFrames: 20, window: .hours(1)))
            defer { line.end() }
            try line.send(type: 4)

            for _ in 1...count where line.channel.isActive { try line.send(type: 6, [0, 0, 0, 0, 0, 0, 0, 0]) }

            #expect(try line.goAway() == (count > 20 ? 11 : nil), "ENHANCE_YOUR_CALM")
        }
    }

    @Test func `what came before a client confirms the settings is passed on and not kept`() throws {
        let (channel, handler) = (EmbeddedChannel(), SettingsHandler(streams: 250))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.writeInbound(ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
        try channel.writeInbound(ByteBuffer(bytes: Line.frame(type: 4, flags: 0, stream: 0, [])))
        let data = ByteBuffer(bytes: Line.frame(type: 0, flags: 0, stream: 1, [UInt8](repeating: 0x20, count: 16_384)))

        for _ in 1...64 { try channel.writeInbound(data) }

        var passed = 0
        while let bytes = try channel.readInbound(as: ByteBuffer.self) { passed += bytes.readableBytes }
        #expect(passed == 24 + 9 + 9 + 64 * data.readableBytes, "the preface, the settings, our confirmation, the data")
        #expect(handler.held.readableBytes == 0)
        #expect(handler.held.storageCapacity < 1 << 18)
    }

    /// The settings' handler of a connection that the client has confirmed, and its channel.
    private func confirmed() throws -> (EmbeddedChannel, SettingsHandler) {
        let (channel, handler) = (EmbeddedChannel(), SettingsHandler(streams: 250))
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.writeInbound(ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
        for flags in [0, 1] as [UInt8] {
            try channel.writeInbound(ByteBuffer(bytes: Line.frame(type: 4, flags: flags, stream: 0, [])))
        }
        _ = try passed(channel)
        return (channel, handler)
    }

    /// The sizes of what NIO has got.
    private func passed(_ channel: EmbeddedChannel) throws -> [Int] {
        var sizes: [Int] = []
        while let bytes = try channel.readInbound(as: ByteBuffer.self) { sizes.append(bytes.readableBytes) }
        return sizes
    }

    /// NIO's decoder keeps all that it has read until a read ends with a frame: 4 GiB of them ended the process.
    @Test(arguments: [1, 5, 9, 10, 16_383]) func `frames are passed on whole however they are cut`(cut: Int) throws {
        let (channel, handler) = try confirmed()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        #expect(handler.isConfirmed)
        let frame = Line.frame(type: 0xAA, flags: 0, stream: 0, [UInt8](repeating: 0x20, count: 16_375))

        try channel.writeInbound(ByteBuffer(bytes: frame.prefix(cut)))
        for _ in 1...64 { try channel.writeInbound(ByteBuffer(bytes: frame.dropFirst(cut) + frame.prefix(cut))) }

        #expect(try passed(channel) == Array(repeating: frame.count, count: 64))
        #expect(handler.held.readableBytes == cut)
        #expect(handler.held.storageCapacity < 1 << 18)
    }

    @Test func `each frame of a head that ends within a packet is passed on by itself`() throws {
        let (channel, handler) = try confirmed()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let begun = Line.frame(type: 1, flags: 1, stream: 1, [1, 2, 3])
        let ended = Line.frame(type: 9, flags: 4, stream: 1, [4])

        try channel.writeInbound(ByteBuffer(bytes: begun))
        for _ in 1...3 { try channel.writeInbound(ByteBuffer(bytes: ended + begun)) }
        try channel.writeInbound(ByteBuffer(bytes: ended))

        #expect(try passed(channel) == [12, 10, 12, 10, 12, 10, 12, 10])
        #expect(handler.held.readableBytes == 0)
    }

    @Test func `nothing waits for the end of a frame that is too long`() throws {
        let (channel, handler) = try confirmed()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }

        try channel.writeInbound(ByteBuffer(bytes: [0, 0x40, 1, 0, 0, 0, 0, 0, 1, 0x20]))

        #expect(try passed(channel) == [10])
        #expect(handler.held.readableBytes == 0)
    }

    @Test func `a body must come within 60 seconds however its frames drip`() async throws {
        try await withStub(configure: defaultTimes) { stub in
            let line = try Line(stub)
            defer { line.end() }
            try line.send(type: 4)
            let stream = try line.get(flags: 4)
            let before = try line.count(type: 1)

            for _ in 1...59 {
                try line.send(type: 0, stream: stream, [0x20])
                line.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            }

            #expect(try line.count(type: 1) == before, "no answer yet")
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(try line.count(type: 1) == before + 1, "408")
            #expect(try line.goAway() == nil, "other streams go on")
            #expect(line.channel.isActive)
        }
    }

    /// The heads of frames that drip: a request's in one frame, and in many.
    static let drips = [
        "in one frame": Line.frame(type: 1, flags: 5, stream: 1, Array(repeating: 0, count: 100)),
        "in many frames": Line.frame(type: 1, flags: 1, stream: 1, Array(repeating: 0, count: 7))
            + (1...5).flatMap { _ in Line.frame(type: 9, flags: 0, stream: 1, Array(repeating: 0, count: 7)) },
        "of settings": Line.frame(type: 4, flags: 0, stream: 0, Array(repeating: 0, count: 96)),
    ]

    @Test(arguments: drips.keys.sorted()) func `a head must come within 30 seconds however it drips`(name: String) async throws {
        try await withStub(configure: defaultTimes) { stub in
            let line = try Line(stub)
            defer { line.end() }
            try line.send(type: 4)
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(40))
            #expect(try line.goAway() == nil)

            var sent = 0
            for byte in (Self.drips[name] ?? []).prefix(60) where try line.goAway() == nil {
                try line.send([byte])
                sent += 1
                line.channel.embeddedEventLoop.advanceTime(by: .milliseconds(600))
            }

            #expect(try line.goAway() == 11, "ENHANCE_YOUR_CALM")
            #expect((49...51).contains(sent), "found an end after \(sent) bytes, expected it after 30 s")
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            #expect(!line.channel.isActive)
        }
    }

    @Test func `a body may take its time`() async throws {
        try await withStub(configure: defaultTimes) { stub in
            let line = try Line(stub)
            defer { line.end() }
            try line.send(type: 4)
            let stream = try line.get(flags: 4)

            for byte in Line.frame(type: 0, flags: 1, stream: stream, Array(repeating: 1, count: 30)) {
                try line.send([byte])
                line.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            }

            #expect(try line.goAway() == nil)
            #expect(try line.count(type: 1) == 1, "the response's head")
        }
    }

    @Test(arguments: [false, true]) func `a response that no window lets through ends behind FIN`(isLate: Bool) async throws {
        try await withStub(configure: defaultTimes) { stub in
            let line = try Line(stub)
            defer { line.end() }
            // No stream may be sent more than one byte.
            try line.send(type: 4, [0, 4, 0, 0, 0, 1])
            if isLate { _ = try stub.till.set(rule(#"{"fault": {"delay": {"fixed": "5s"}}}"#)) }
            _ = try line.get()
            #expect(try line.count(type: 0) == (isLate ? 0 : 1), "one byte of the body")

            line.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(isLate ? 5 : 0))
            #expect(try line.count(type: 0) == 1)
            #expect(try line.count(type: 3) == 0)
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(1))

            #expect(try line.count(type: 3) == 1, "RST_STREAM")
            #expect(try stub.till.journal().entries.map(\.receipt.end) == [.clientGone])
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            #expect(!line.channel.isActive)
        }
    }

    @Test func `a long response of which nothing is read for a minute ends, whatever else the client sends`() async throws {
        try await withStub(configure: defaultTimes) { stub in
            let text = String(repeating: "x", count: 60_000)
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500, "body": "\#(text)"}}}"#))
            let line = try Line(stub)
            defer { line.end() }
            try line.send(type: 4, [0, 4, 0, 0, 0, 1])
            let stream = try line.get()
            #expect(try line.count(type: 0) == 1, "one byte of the body")
            // Progress: two pieces of 16 KiB.
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(50))
            try line.send(type: 8, stream: stream, [0, 0, 0x80, 0])

            for _ in 1...69 {
                line.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
                try line.send(type: 6, [0, 0, 0, 0, 0, 0, 0, 0])
            }

            #expect(try line.count(type: 3) == 0)
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            #expect(try line.count(type: 3) == 1, "RST_STREAM")
            #expect(try stub.till.journal().entries.map(\.receipt.end) == [.clientGone])
            #expect(line.channel.isActive)
        }
    }
}
