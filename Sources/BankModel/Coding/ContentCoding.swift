/// A content coding that banks can send (RFC 9110 §8.4.1).
package enum ContentCoding: String, Sendable, CaseIterable {
    /// RFC 1952.
    case gzip
    /// The zlib format around deflate (RFC 9110 §8.4.1.2, RFC 1950).
    case deflate

    /// The coded body. Equal bodies have equal codes, on every machine: receipts count these bytes.
    package func coded(_ body: [UInt8]) -> [UInt8] {
        var stream = DeflateStream(head)
        stream.write(body, isLast: true)
        switch self {
        case .gzip:
            var checksum = CRC32()
            checksum.add(body)
            return stream.finished(with: checksum.value.littleEndianBytes + UInt32(truncatingIfNeeded: body.count).littleEndianBytes)
        case .deflate: return stream.finished(with: ContentCoding.adler32(body).littleEndianBytes.reversed())
        }
    }

    /// The body without this coding; nil if it is not in it, or longer than the limit.
    package func plain(_ coded: [UInt8], limit: Int) -> [UInt8]? {
        let stream: ArraySlice<UInt8>?
        switch self {
        case .gzip: stream = ContentCoding.gzipStream(coded)
        // Some servers send the bare stream by that name.
        case .deflate: stream = coded.first.map { $0 & 0x0F } == 8 ? coded.dropFirst(2) : coded[...]
        }
        return stream.flatMap { try? Inflater.inflated($0, limit: limit).output }
    }

    /// The deflate stream in a gzip member, behind the fields of its head (RFC 1952 §2.3); nil if it is none.
    private static func gzipStream(_ coded: [UInt8]) -> ArraySlice<UInt8>? {
        guard coded.starts(with: [0x1F, 0x8B, 8]), coded.count > 18 else { return nil }
        let flags = coded[3]
        var rest = coded.dropFirst(10)
        if flags & 4 != 0 { rest = rest.dropFirst(2 + Int(coded[10]) + Int(coded[11]) << 8) }
        for field in [8, 16] as [UInt8] where flags & field != 0 { rest = rest.drop { $0 != 0 }.dropFirst() }
        return flags & 2 != 0 ? rest.dropFirst(2) : rest
    }

    /// The length of the longest part of a gzip stream of ``coded(_:)`` of which no decoder gets the whole text.
    ///
    /// A decoder that ignores the trailer (CRC and length, RFC 1952 §2.3.1: 8 bytes) still needs the last symbols of the text. Behind these
    /// are the code for the end of the block, at most 15 bits (RFC 1951 §3.2.7), and at most 7 bits of padding: less than 4 bytes.
    package static func longestPart(of stream: [UInt8]) -> Int { max(0, stream.count - 12) }

    /// A gzip stream that expands to `size` bytes: the text, then spaces (RFC 8259 §2 allows them). It has about a thousandth of that size,
    /// and nothing larger is ever in memory.
    package static func expanding(_ text: [UInt8], to size: Int) -> [UInt8] {
        let spaces = max(0, size - text.count)
        var stream = DeflateStream(gzip.head)
        stream.write(text, isLast: false)
        stream.writeSpaces(spaces)
        var checksum = CRC32()
        checksum.add(text)
        checksum.add(UInt8(ascii: " "), times: spaces)
        let length = UInt32(truncatingIfNeeded: text.count + spaces)
        return stream.finished(with: checksum.value.littleEndianBytes + length.littleEndianBytes)
    }

    /// The bytes before the deflate stream.
    private var head: [UInt8] {
        switch self {
        // No name, no time, an unknown system (RFC 1952 §2.3).
        case .gzip: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        // Deflate with a window of 32 KiB (RFC 1950 §2.2).
        case .deflate: [0x78, 0x01]
        }
    }

    /// The checksum of the zlib format (RFC 1950 §8.2).
    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return b << 16 | a
    }
}

extension UInt32 {
    /// Its four bytes, the lowest first.
    fileprivate var littleEndianBytes: [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
