import BankModel
import NIOCore
import NIOHTTP1

/// Decodes a connection's bytes into HTTP/1.1 requests, also behind a request for another protocol.
///
/// NIO's decoder, which does the work, stops for good behind such a request. Here `Upgrade` is ignored (RFC 9110 §7.8), and a new
/// decoder reads what follows. For that the end of each request must be known, so NIO's is never given bytes behind the request that
/// it reads.
///
/// The handler that gets its parts must report each by ``saw(_:)``.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let limits: NIOHTTPDecoderLimitConfiguration
    private var inner: HTTPRequestDecoder
    private var state = State.between
    private var lines = LineScan()
    /// The bytes at the front that NIO's decoder was given and has not consumed: part of a header.
    private var shown = 0
    /// The bytes of the current request that have come, framing included.
    private(set) var requestBytes = 0
    /// The bytes of its head and of its body alone.
    private var contentBytes = (head: 0, body: 0)
    private var asksForUpgrade = false
    /// The number of requests that have begun.
    private(set) var requestNumber = 0

    /// The position of the next byte in a request.
    private enum State: Equatable {
        case between
        case head
        /// In a body of which this many bytes are still to come.
        case body(UInt64)
        case chunks
        /// Behind the last request: the rest is discarded.
        case over
    }

    init(_ limits: NIOHTTPDecoderLimitConfiguration) {
        self.limits = limits
        inner = RequestDecoder.fresh(limits)
    }

    private static func fresh(_ limits: NIOHTTPDecoderLimitConfiguration) -> HTTPRequestDecoder {
        HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
    }

    /// Whether a head has begun and not ended.
    var isMidHead: Bool { state == .head }

    /// Whether a request has begun and not ended.
    var isMidRequest: Bool { state != .between && state != .over }

    /// The bytes of the current request if it is incomplete; else 0.
    var incompleteBytes: Int { isMidRequest ? requestBytes : 0 }

    /// Discards all further bytes.
    func stop() { state = .over }

    /// Follows a part that the decoder has passed on.
    func saw(_ part: HTTPServerRequestPart) {
        guard state != .over else { return }
        switch part {
        case .head(let head):
            contentBytes = (requestBytes, 0)
            asksForUpgrade = head.method == .CONNECT
            state = .body(0)
            for (name, value) in head.headers {
                switch name.utf8.count {
                case 7 where name.isHeaderName("upgrade"): asksForUpgrade = true
                case 14 where name.isHeaderName("content-length") && state != .chunks: state = .body(WireRejection.length(value) ?? 0)
                case 17 where name.isHeaderName("transfer-encoding"):
                    state = .chunks
                    lines = LineScan()
                default: break
                }
            }
        case .body(let bytes): contentBytes.body += bytes.readableBytes
        case .end: state = .between
        }
    }

    func decoderAdded(context: ChannelHandlerContext) { inner.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) { inner.decoderRemoved(context: context) }

    /// - Throws: `HTTPParserError`, ``WireRejection``
    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        while buffer.readableBytes > shown, state != .over {
            if state == .between, !begins(&buffer) { break }
            try show(next(buffer), of: &buffer, context)
            if state == .chunks { try checkFraming() }
            guard state == .between, asksForUpgrade else { continue }
            asksForUpgrade = false
            shown = 0
            inner.decoderRemoved(context: context)
            inner = RequestDecoder.fresh(limits)
            inner.decoderAdded(context: context)
        }
        if state == .over { buffer.moveReaderIndex(to: buffer.writerIndex) }
        return .needMoreData
    }

    func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
        _ = try decode(context: context, buffer: &buffer)
        if state != .over { _ = try inner.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF) }
        return .needMoreData
    }

    /// Begins a request at the first byte that is not part of an empty line (RFC 9112 §2.2).
    private func begins(_ buffer: inout ByteBuffer) -> Bool {
        while let byte = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) {
            if byte != UInt8(ascii: "\r"), byte != UInt8(ascii: "\n") {
                state = .head
                lines = LineScan(isInFirstLine: true)
                requestBytes = 0
                requestNumber += 1
                return true
            }
            buffer.moveReaderIndex(forwardBy: 1)
        }
        return false
    }

    /// How many bytes of the buffer NIO's decoder may get now: none of them is behind the request.
    private func next(_ buffer: ByteBuffer) throws(WireRejection) -> Int {
        switch state {
        case .head, .chunks: try lines.emptyLineEnd(in: buffer, from: shown) ?? buffer.readableBytes
        // A body that should have ended and has not is malformed: NIO's decoder reports it.
        case .body(0), .between, .over: buffer.readableBytes
        case .body(let rest): shown + Int(min(rest, UInt64(buffer.readableBytes - shown)))
        }
    }

    /// Rejects a body with more extensions and trailers than ``WireLimits/framingBytes``, which NIO's decoder takes without end.
    private func checkFraming() throws(WireRejection) {
        let framing = requestBytes - contentBytes.head - contentBytes.body
        guard framing <= WireLimits.framingBytes + WireLimits.framingBytesPerByte * contentBytes.body else { throw .framing }
    }

    /// Passes the first bytes of the buffer to NIO's decoder.
    private func show(_ count: Int, of buffer: inout ByteBuffer, _ context: ChannelHandlerContext) throws {
        if case .body(let rest) = state { state = .body(rest - min(rest, UInt64(count - shown))) }
        requestBytes += count - shown
        guard count < buffer.readableBytes else {
            _ = try inner.decode(context: context, buffer: &buffer)
            shown = buffer.readableBytes
            return
        }
        guard var part = buffer.getSlice(at: buffer.readerIndex, length: count) else { return }
        _ = try inner.decode(context: context, buffer: &part)
        buffer.moveReaderIndex(forwardBy: count - part.readableBytes)
        shown = part.readableBytes
    }
}

/// Finds the empty line that ends a head or chunks, in bytes that come in pieces.
private struct LineScan {
    /// Whether the next byte is part of the request line.
    var isInFirstLine = false
    /// The length of the current line so far.
    private var length = 0
    private var isBehindSpace = false

    init(isInFirstLine: Bool = false) { self.isInFirstLine = isInFirstLine }

    /// Scans the bytes from `start` on.
    ///
    /// - Returns: the number of bytes up to and including the empty line; nil if it is not among them.
    mutating func emptyLineEnd(in buffer: ByteBuffer, from start: Int) throws(WireRejection) -> Int? {
        let found = buffer.withUnsafeReadableBytes { bytes in
            var index = start
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                if byte == UInt8(ascii: "\n") {
                    let isEmpty = length <= 1 && !isInFirstLine
                    length = 0
                    isInFirstLine = false
                    if isEmpty { return ScanResult.end(index) }
                } else {
                    length += 1
                    guard isInFirstLine else { continue }
                    if byte == UInt8(ascii: " "), isBehindSpace { return .flaw }
                    isBehindSpace = byte == UInt8(ascii: " ")
                }
            }
            return .nothing
        }
        switch found {
        case .end(let end): return end
        // Another server could read it as another request.
        case .flaw: throw .spaces
        case .nothing: return nil
        }
    }

    private enum ScanResult {
        case end(Int)
        case flaw
        case nothing
    }
}
