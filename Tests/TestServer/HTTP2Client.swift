import BankModel
import NIOCore
import NIOHPACK

/// HTTP/2 by hand (RFC 9113): the parts needed to send a GET and to see every frame.
package final class HTTP2Client {
    private let socket: RawClient
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var nextStream = 1
    private var buffer: [UInt8] = []
    /// The end of reading; nil while the connection is open.
    package private(set) var end: RawClient.End?
    /// How long the client waits each time the other side sends or accepts nothing.
    package var timeoutSeconds: Int {
        get { socket.timeoutSeconds }
        set { socket.timeoutSeconds = newValue }
    }
    /// Whether received data is acknowledged, so that the other side may send more.
    package var opensWindows = true

    /// A frame as received.
    private struct Frame {
        let type: UInt8
        let flags: UInt8
        let stream: Int
        let payload: [UInt8]
    }

    /// The frames of one stream so far, summarised.
    package struct Stream: Equatable, Sendable {
        package var status: Int?
        package var headers: [String: String] = [:]
        package var body: [UInt8] = []
        /// Whether END_STREAM was received.
        package var isWhole = false
        /// The code of RST_STREAM.
        package var reset: Int?

        /// A stream of which nothing has arrived.
        package init() {}
    }

    /// The streams of the connection so far.
    package private(set) var streams: [Int: Stream] = [:]
    /// The last stream and the code of GOAWAY.
    package private(set) var goAway: (last: Int, code: Int)?

    /// - Parameter window: the bytes of a stream that the server may send without an acknowledgement; nil for HTTP's own
    ///   65,535.
    package init(_ stub: Stub, timeoutSeconds: Int = 300, window: Int? = nil) async throws {
        socket = try stub.client(timeoutSeconds: timeoutSeconds)
        await socket.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        await send(type: 4, stream: 0, window.map { [0, 4] + HTTP2Client.big($0) } ?? [])
    }

    /// Requests a path on a new stream.
    ///
    /// - Returns: the stream's number.
    package func get(_ path: String) async -> Int { await ask("GET", path) }

    /// Requests a path on that many new streams.
    package func get(_ path: String, times count: Int) async -> [Int] {
        var streams: [Int] = []
        for _ in 0..<count { streams.append(await get(path)) }
        return streams
    }

    /// Sends a request without a body, or with the beginning of one.
    ///
    /// - Returns: the stream's number.
    package func ask(_ method: String, _ path: String, halfBody: [UInt8]? = nil) async -> Int {
        var block: [UInt8] = []
        for (name, value) in [(":method", method), (":scheme", "http"), (":authority", "bank"), (":path", path)] {
            // A literal without indexing, with a new name, no Huffman (RFC 7541 §6.2.2); all are shorter than 127 bytes.
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        defer { nextStream += 2 }
        // END_HEADERS, and END_STREAM if nothing follows.
        await send(type: 1, flags: halfBody == nil ? 5 : 4, stream: nextStream, block)
        for start in stride(from: 0, to: halfBody?.count ?? 0, by: 16_384) {
            await send(type: 0, stream: nextStream, Array(halfBody?.dropFirst(start).prefix(16_384) ?? []))
        }
        return nextStream
    }

    /// Sends a request with these fields, and with a body if there is one.
    ///
    /// - Parameter ends: whether the request is complete with that.
    /// - Returns: the stream's number.
    package func send(_ fields: [(name: String, value: String)], body: String? = nil, ends: Bool = true) async -> Int {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        defer { nextStream += 2 }
        await send(type: 1, flags: body == nil && ends ? 5 : 4, stream: nextStream, block)
        if let body { await send(type: 0, flags: ends ? 1 : 0, stream: nextStream, Array(body.utf8)) }
        return nextStream
    }

    /// Shuts down writing.
    package func endSending() { socket.shutdownWriting() }

    /// Resets a stream (CANCEL).
    package func reset(_ stream: Int) async { await send(type: 3, stream: stream, HTTP2Client.big(8)) }

    /// Reads until the condition holds, or nothing more arrives.
    package func read(until isDone: (HTTP2Client) -> Bool) async {
        while !isDone(self), end == nil {
            guard let frame = await frame() else { return }
            await handle(frame)
        }
    }

    /// Whether each of these streams is complete or reset.
    package func haveEnded(_ numbers: [Int]) -> Bool {
        numbers.allSatisfy { number in streams[number].map { $0.isWhole || $0.reset != nil } ?? false }
    }

    // MARK: frames

    private func handle(_ frame: Frame) async {
        switch frame.type {
        case 0:
            streams[frame.stream, default: Stream()].body += frame.payload
            if frame.flags & 1 != 0 { streams[frame.stream, default: Stream()].isWhole = true }
            if opensWindows, !frame.payload.isEmpty {
                for stream in [0, frame.stream] { await send(type: 8, stream: stream, HTTP2Client.big(frame.payload.count)) }
            }
        case 1:
            var block = ByteBuffer(bytes: frame.payload)
            var isLast = frame.flags & 4 != 0
            while !isLast, let more = await self.frame() {
                block.writeBytes(more.payload)
                isLast = more.flags & 4 != 0
            }
            let headers = try? decoder.decodeHeaders(from: &block)
            for header in headers ?? [:] { streams[frame.stream, default: Stream()].headers[header.name] = header.value }
            streams[frame.stream, default: Stream()].status = headers?.first(name: ":status").flatMap { Int($0) }
            if frame.flags & 1 != 0 { streams[frame.stream, default: Stream()].isWhole = true }
        case 3: streams[frame.stream, default: Stream()].reset = HTTP2Client.number(frame.payload[...])
        // SETTINGS and PING are acknowledged.
        case 4 where frame.flags & 1 == 0: await send(type: 4, flags: 1, stream: 0, [])
        case 6 where frame.flags & 1 == 0: await send(type: 6, flags: 1, stream: 0, frame.payload)
        case 7: goAway = (HTTP2Client.number(frame.payload[..<4]), HTTP2Client.number(frame.payload[4..<8]))
        default: break
        }
    }

    private func frame() async -> Frame? {
        while true {
            if buffer.count >= 9 {
                let length = HTTP2Client.number(buffer[..<3])
                if buffer.count >= 9 + length {
                    defer { buffer.removeFirst(9 + length) }
                    return Frame(
                        type: buffer[3], flags: buffer[4], stream: HTTP2Client.number(buffer[5..<9]),
                        payload: Array(buffer[9..<(9 + length)]))
                }
            }
            switch await socket.more() {
            case .bytes(let bytes): buffer += bytes
            case .end(let end):
                self.end = end
                return nil
            }
        }
    }

    private func send(type: UInt8, flags: UInt8 = 0, stream: Int, _ payload: [UInt8]) async {
        await socket.send(HTTP2Client.big(payload.count).dropFirst() + [type, flags] + HTTP2Client.big(stream) + payload)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
}
