import NIOCore
import NIOHTTP1

/// The last head of a connection that came whole and without a body, by its bytes.
///
/// It is an optimization only: a client that polls sends the same bytes again, and to compare them costs a hundredth of what decoding
/// them does.
struct HeadMemo {
    private var bytes: [UInt8] = []
    private(set) var head: HTTPRequestHead?

    /// Longer heads are not remembered.
    private static let longest = 2048

    /// The number of bytes, if the buffer begins with those of the head; nil for any other.
    func match(_ buffer: ByteBuffer) -> Int? {
        guard head != nil, buffer.readableBytes >= bytes.count else { return nil }
        let isSame = buffer.withUnsafeReadableBytes { $0.prefix(bytes.count).elementsEqual(bytes) }
        return isSame ? bytes.count : nil
    }

    /// Remembers a head that was decoded from these bytes.
    mutating func remember(_ head: HTTPRequestHead, _ bytes: ByteBufferView) {
        guard bytes.count <= HeadMemo.longest else { return forget() }
        self.bytes.replaceSubrange(self.bytes.indices, with: bytes)
        self.head = head
    }

    mutating func forget() { head = nil }
}
