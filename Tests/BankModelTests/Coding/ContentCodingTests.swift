import BankModel
import Testing

@Suite struct ContentCodingTests {
    /// Texts at the edges of the format, and some of few and of many different bytes.
    static let texts: [[UInt8]] = {
        var generator = SeededGenerator(seed: 5)
        var texts: [[UInt8]] = [
            [], [1], [1, 2], [1, 2, 3], Array(repeating: 7, count: 4), Array(repeating: 7, count: 258), Array(repeating: 7, count: 259),
            Array(repeating: 7, count: 5000), Array(0...255) + Array(0...255),
            Array(#"{"accounts":[{"id":"a1","name":"Current"},{"id":"a2","name":"Savings"}]}"#.utf8),
        ]
        for (count, kinds) in [(300, 2), (3000, 4), (40_000, 3), (2000, 256)] {
            texts.append((0..<count).map { _ in UInt8(generator.next() % UInt64(kinds)) })
        }
        return texts
    }()

    @Test(arguments: texts.indices) func `a gzip stream holds the text, its checksum and its size`(_ index: Int) throws {
        let text = ContentCodingTests.texts[index]

        let coded = ContentCoding.gzip.coded(text)

        #expect(coded.prefix(10) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
        let (output, rest) = try Inflater.inflated(coded.dropFirst(10))
        #expect(output == text)
        #expect(rest == littleEndian(checksum(text)) + littleEndian(UInt32(text.count)))
    }

    @Test(arguments: texts.indices) func `the longest part of a gzip stream has less than the text, also for a lenient decoder`(
        _ index: Int
    ) {
        let text = ContentCodingTests.texts[index]
        let coded = ContentCoding.gzip.coded(text)

        let readable = Inflater.readable(coded.prefix(ContentCoding.longestPart(of: coded)).dropFirst(10))

        #expect(readable.count < max(1, text.count))
        #expect(Inflater.readable(coded.dropLast(8).dropFirst(10)) == text)
    }

    @Test(arguments: texts.indices) func `a zlib stream holds the text and its checksum`(_ index: Int) throws {
        let text = ContentCodingTests.texts[index]

        let coded = ContentCoding.deflate.coded(text)

        #expect(coded.prefix(2) == [0x78, 0x01])
        let (output, rest) = try Inflater.inflated(coded.dropFirst(2))
        #expect(output == text)
        #expect(rest.count == 4)
    }

    @Test(arguments: texts.indices) func `a coded body is read again`(_ index: Int) {
        let text = ContentCodingTests.texts[index]

        for coding in ContentCoding.allCases {
            #expect(coding.plain(coding.coded(text), limit: text.count) == text)
            if !text.isEmpty { #expect(coding.plain(coding.coded(text), limit: text.count - 1) == nil, "longer than the limit") }
        }
    }

    @Test func `a body is read whatever its head has and however its blocks are coded`() {
        // A head with a name, as gzip writes it, and a block without compression.
        let named: [UInt8] = [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3] + Array("a.txt".utf8) + [0]
        let stored: [UInt8] = [1, 5, 0, 0xFA, 0xFF] + Array("hello".utf8)
        #expect(ContentCoding.gzip.plain(named + stored + Array(repeating: 0, count: 8), limit: 5) == Array("hello".utf8))
        #expect(ContentCoding.gzip.plain(named + stored + Array(repeating: 0, count: 8), limit: 4) == nil)
        #expect(ContentCoding.deflate.plain(stored, limit: 5) == Array("hello".utf8), "without the zlib head")
    }

    @Test func `damaged bodies end, and give no more than the limit`() {
        var generator = SeededGenerator(seed: 9)
        let coded = ContentCoding.gzip.coded(Array(#"{"access_token":"abc","list":[1,2,3,1,2,3]}"#.utf8))
        for _ in 0..<2000 {
            var bytes = coded
            for _ in 0..<3 { bytes[10 + Int(generator.next() % UInt64(bytes.count - 10))] = UInt8(truncatingIfNeeded: generator.next()) }
            let plain = ContentCoding.gzip.plain(bytes, limit: 1000)
            #expect((plain?.count ?? 0) <= 1000)
        }
        for _ in 0..<2000 {
            let bytes = (0..<40).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            _ = ContentCoding.gzip.plain([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0, 0b101] + bytes, limit: 1000)
        }
    }

    @Test func `the checksums are the published ones`() {
        // RFC 1950 and RFC 1952 give none; these are of every zlib's own documentation.
        let digits = Array("123456789".utf8)
        #expect(Array(ContentCoding.gzip.coded(digits).suffix(8).prefix(4)) == littleEndian(0xCBF4_3926))
        #expect(Array(ContentCoding.deflate.coded(digits).suffix(4)) == [0x09, 0x1E, 0x01, 0xDE])
    }

    @Test func `a bank's text becomes smaller`() {
        let rows = (1...50).map { #"{"id": "entry-\#($0)", "amount": {"amount": "\#($0).20", "currency": "GBP"}, "kind": "card"}"# }
        let text = Array("[\(rows.joined(separator: ","))]".utf8)

        #expect(ContentCoding.gzip.coded(text).count < text.count / 5)
    }

    @Test(arguments: [0, 2, 3, 260, 261, 262, 518, 100_000]) func `a small stream expands to the wanted size`(_ size: Int) throws {
        let coded = ContentCoding.expanding(Array("{}".utf8), to: size)

        let (output, rest) = try Inflater.inflated(coded.dropFirst(10))
        #expect(output == Array("{}".utf8) + Array(repeating: 0x20, count: max(0, size - 2)))
        #expect(rest == littleEndian(checksum(output)) + littleEndian(UInt32(output.count)))
    }

    @Test func `a stream of a gibibyte is a thousandth of that, and is made at once`() {
        #expect(ContentCoding.expanding([], to: 1 << 30).count < 1_050_000)
    }

    /// The checksum of gzip, bit by bit.
    private func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { register, byte in
            (0..<8).reduce(register ^ UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
        }
    }

    private func littleEndian(_ value: UInt32) -> [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } }
}
