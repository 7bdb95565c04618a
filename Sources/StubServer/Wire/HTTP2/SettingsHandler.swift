#if HTTP2
import NIOCore

/// Rewrites settings between the socket and NIO's HTTP/2, so that too many streams are stream errors.
///
/// NIO ends the connection at one stream more than the settings allow, and allows 100 before the client has confirmed them; RFC 9113
/// asks for a stream error (§5.1.2), and a client cannot obey settings that it has not read. So NIO gets a limit that is never
/// reached, confirmed at once, and the client gets ours.
final class SettingsHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The stream limit that the client gets.
    private let streams: UInt32
    private var hasReported = false
    private var phase = Phase.preface
    /// What has come and was not passed on: of a client that never confirms, no more than the beginning of a frame's head.
    private(set) var early = ByteBuffer()
    /// How many bytes of the preface, or of the current frame, are still to be passed on.
    private var rest = 24
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
        guard !isConfirmed else { return context.fireChannelRead(data) }
        early.writeBuffer(&bytes)
        var passed = ByteBuffer()
        while !isConfirmed, early.readableBytes > 0 {
            if rest > 0 {
                pass(min(rest, early.readableBytes), to: &passed)
            } else if let frame = FrameHead(early.readableBytesView) {
                begin(frame)
            } else {
                break
            }
        }
        if isConfirmed { passed.writeBuffer(&early) }
        // A buffer keeps what was read from it otherwise.
        early.discardReadBytes()
        if passed.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(passed)) }
    }

    private func pass(_ count: Int, to passed: inout ByteBuffer) {
        rest -= count
        if var piece = early.readSlice(length: count) { passed.writeBuffer(&piece) }
        guard rest == 0 else { return }
        switch phase {
        case .preface: phase = .settings
        case .settings:
            phase = .frames
            passed.writeImmutableBuffer(SettingsHandler.confirmation)
        case .frames, .confirmed: break
        }
    }

    private func begin(_ frame: FrameHead) {
        if case .frames = phase, frame.isConfirmation {
            // NIO got a confirmation before.
            phase = .confirmed
            early.moveReaderIndex(forwardBy: FrameHead.bytes)
        } else {
            rest = FrameHead.bytes + frame.length
        }
    }
}
#endif
