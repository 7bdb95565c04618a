import NIOCore

/// Follows the frames of an HTTP/2 connection (RFC 9113 §4.1) through bytes that come in pieces, and knows whether the client owes
/// the rest of one.
struct FrameScan {
    /// How many bytes of the preface are still to come (RFC 9113 §3.4).
    private var preface = 24
    /// The bytes of a frame's head that have come.
    private var head: [UInt8] = []
    /// How many bytes of the frame's payload are still to come.
    private var rest = 0
    /// A head of a request has begun, and no frame has ended it (END_HEADERS).
    private var isInHeaders = false

    private static let headBytes = 9
    private static let data: UInt8 = 0
    private static let headers: UInt8 = 1
    private static let continuation: UInt8 = 9
    private static let endHeaders: UInt8 = 4

    /// Whether the client is in the middle of a request's head, or of any frame but DATA: those are short, and come at once unless a
    /// client sends them slowly.
    var isMidHead: Bool { isInHeaders || !head.isEmpty && !(isWhole && head[3] == FrameScan.data) }

    private var isWhole: Bool { head.count == FrameScan.headBytes }

    /// Follows the bytes that have come.
    mutating func saw(_ bytes: ByteBuffer) {
        let skipped = min(preface, bytes.readableBytes)
        preface -= skipped
        var view = bytes.readableBytesView.dropFirst(skipped)
        while !view.isEmpty {
            if isWhole {
                let count = min(rest, view.count)
                rest -= count
                view = view.dropFirst(count)
            } else {
                let part = view.prefix(FrameScan.headBytes - head.count)
                head += part
                view = view.dropFirst(part.count)
                guard isWhole else { return }
                rest = head[..<3].reduce(0) { $0 << 8 | Int($1) }
                let type = head[3]
                let flags = head[4]
                if type == FrameScan.headers || type == FrameScan.continuation { isInHeaders = flags & FrameScan.endHeaders == 0 }
            }
            if rest == 0 { head.removeAll(keepingCapacity: true) }
        }
    }
}
