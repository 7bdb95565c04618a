#if HTTP2
import NIOCore

/// Rewrites settings between the socket and NIO's HTTP/2, so that too many streams are stream errors, and passes on whole frames alone.
///
/// NIO ends the connection at one stream more than the settings allow, and allows 100 before the client has confirmed them; RFC 9113
/// asks for a stream error (§5.1.2), and a client cannot obey settings that it has not read. So NIO gets a limit that is never
/// reached, confirmed at once, and the client gets ours.
///
/// NIO's decoder frees what it has read only when it has read everything. A client whose packets always end within a frame made it keep
/// each byte, up to the 4 GiB at which a `ByteBuffer` ends the process.
final class SettingsHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The stream limit that the client gets.
    private let streams: UInt32
    private var hasReported = false
    private var phase = Phase.preface
    /// What has come and was not passed on: the beginning of a frame, or of the preface.
    private(set) var held = ByteBuffer()
    private var frames = FrameScan()

    /// The next bytes expected from the client (RFC 9113 §3.4).
    private enum Phase {
        case preface
        case settings
        /// Frames, one of which will confirm our settings.
        case frames
        case confirmed
    }

    private static let maxConcurrentStreams: UInt16 = 3
    /// The size of the preface, in bytes (RFC 9113 §3.4).
    private static let prefaceBytes = 24
    /// SETTINGS with the flag ACK.
    private static let confirmation = ByteBuffer(bytes: [0, 0, 0, FrameHead.settings, 1, 0, 0, 0, 0])

    init(streams: Int) { self.streams = UInt32(streams) }

    /// Whether the client has confirmed the stream limit.
    var isConfirmed: Bool { if case .confirmed = phase { true } else { false } }

    /// Whether the client is in the middle of a request's head, or of another short frame.
    var isMidHead: Bool { frames.isMidHead }

    /// Replaces NIO's stream limit by ours in the first frame, which is SETTINGS.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasReported else { return context.write(data, promise: promise) }
        hasReported = true
        var bytes = unwrapOutboundIn(data)
        if let frame = FrameHead(bytes.readableBytesView), frame.kind == FrameHead.settings {
            let first = bytes.readerIndex + FrameHead.bytes
            for index in stride(from: first, to: first + frame.length, by: 6)
            where bytes.getInteger(at: index) == SettingsHandler.maxConcurrentStreams {
                bytes.setInteger(streams, at: index + 2)
            }
        }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        frames.saw(bytes)
        if isConfirmed, held.readableBytes == 0, frames.isAtBoundary { return context.fireChannelRead(data) }
        held.writeBuffer(&bytes)
        while let count = wholePart, let part = held.readSlice(length: count) { pass(part, context) }
        // A buffer keeps what was read from it otherwise.
        held.discardReadBytes()
    }

    /// The length of the first part of what is held, the preface or a frame; nil if it is not whole.
    private var wholePart: Int? {
        if case .preface = phase { return held.readableBytes < SettingsHandler.prefaceBytes ? nil : SettingsHandler.prefaceBytes }
        guard let frame = FrameHead(held.readableBytesView) else { return nil }
        // NIO ends the connection at the head of a longer one.
        guard frame.length <= FrameHead.longestPayload else { return held.readableBytes }
        let count = FrameHead.bytes + frame.length
        return held.readableBytes < count ? nil : count
    }

    /// Passes on the preface, or a frame. Each is read by itself, so that a head in several frames leaves nothing behind either.
    private func pass(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        switch phase {
        case .preface: phase = .settings
        case .settings:
            phase = .frames
            context.fireChannelRead(wrapInboundOut(part))
            return context.fireChannelRead(wrapInboundOut(SettingsHandler.confirmation))
        case .frames where part.readableBytes == FrameHead.bytes && FrameHead(part.readableBytesView)?.isConfirmation == true:
            // NIO got a confirmation before.
            phase = .confirmed
            return
        case .frames, .confirmed: break
        }
        context.fireChannelRead(wrapInboundOut(part))
    }
}
#endif
