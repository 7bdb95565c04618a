#if HTTP2
/// The head of an HTTP/2 frame (RFC 9113 §4.1).
struct FrameHead {
    /// The size of every head, in bytes.
    static let bytes = 9

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
