#if HTTP2
import NIOCore

/// Follows the frames of an HTTP/2 connection (RFC 9113 §4.1) through bytes that come in pieces, and knows whether the client owes
/// the rest of one.
struct FrameScan {
    /// How many bytes of the preface are still to come (RFC 9113 §3.4).
    private var preface = 24
    /// The bytes of the current frame's head that have come.
    private var head: [UInt8] = []
    /// The current frame; nil until its head is complete.
    private var frame: FrameHead?
    /// How many bytes of its payload are still to come.
    private var rest = 0
    /// A head of a request has begun, and no frame has ended it (END_HEADERS).
    private var isInHeaders = false

    /// Whether the client is in the middle of a request's head, or of any frame but DATA: those are short, and come at once unless a
    /// client sends them slowly.
    var isMidHead: Bool { isInHeaders || !head.isEmpty && frame?.kind != FrameHead.data }

    /// Whether the client owes the rest of nothing: of no frame, and of no head in several frames.
    var isAtBoundary: Bool { preface == 0 && head.isEmpty && !isInHeaders }

    /// Follows the bytes that have come.
    mutating func saw(_ bytes: ByteBuffer) {
        let skipped = min(preface, bytes.readableBytes)
        preface -= skipped
        var view = bytes.readableBytesView.dropFirst(skipped)
        while !view.isEmpty {
            if frame != nil {
                let count = min(rest, view.count)
                rest -= count
                view = view.dropFirst(count)
            } else {
                let part = view.prefix(FrameHead.bytes - head.count)
                head += part
                view = view.dropFirst(part.count)
                guard let begun = FrameHead(head) else { return }
                frame = begun
                rest = begun.length
                isInHeaders = begun.continues ?? isInHeaders
            }
            guard rest == 0 else { continue }
            head.removeAll(keepingCapacity: true)
            frame = nil
        }
    }
}

/// The head of an HTTP/2 frame (RFC 9113 §4.1).
struct FrameHead {
    /// The size of every head, in bytes.
    static let bytes = 9
    /// The longest payload that a client may send, as our settings name no other (RFC 9113 §6.5.2).
    static let longestPayload = 16_384

    /// The size of the payload, in bytes.
    let length: Int
    let kind: UInt8
    private let flags: UInt8

    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let settings: UInt8 = 4
    static let continuation: UInt8 = 9

    /// Parses the head at the front; nil if it is not complete.
    init?(_ bytes: some Collection<UInt8>) {
        let head = bytes.prefix(FrameHead.bytes)
        guard head.count == FrameHead.bytes else { return nil }
        length = head.prefix(3).reduce(0) { $0 << 8 | Int($1) }
        kind = head[head.index(head.startIndex, offsetBy: 3)]
        flags = head[head.index(head.startIndex, offsetBy: 4)]
    }

    /// ACK, of SETTINGS.
    var isConfirmation: Bool { kind == FrameHead.settings && flags & 1 != 0 }

    /// Whether a request's head begins or goes on in this frame, and the next frame continues it (END_HEADERS is not set); nil for a
    /// frame that is not part of a head.
    var continues: Bool? { kind == FrameHead.headers || kind == FrameHead.continuation ? flags & 4 == 0 : nil }
}
#endif
