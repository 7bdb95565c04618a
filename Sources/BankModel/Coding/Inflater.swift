/// Reads a deflate stream (RFC 1951).
package struct Inflater {
    /// Anything that is not a deflate stream, or is one of more than the limit.
    package struct Broken: Error {}

    private let bytes: ArraySlice<UInt8>
    private let limit: Int
    private var position = 0
    private var output: [UInt8] = []

    /// The output, which may have `limit` bytes, and the bytes behind the stream.
    package static func inflated(
        _ bytes: ArraySlice<UInt8>, limit: Int = .max
    ) throws(Broken) -> (output: [UInt8], rest: [UInt8]) {
        var inflater = Inflater(bytes: bytes, limit: limit)
        while try !inflater.block() {}
        return (inflater.output, Array(bytes.dropFirst((inflater.position + 7) / 8)))
    }

    /// The output up to the end of a stream that may be cut anywhere: of the most lenient decoder.
    package static func readable(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var inflater = Inflater(bytes: bytes, limit: .max)
        do throws(Broken) { while try !inflater.block() {} } catch { return inflater.output }
        return inflater.output
    }

    private init(bytes: ArraySlice<UInt8>, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }

    /// - Returns: whether it was the last block.
    private mutating func block() throws(Broken) -> Bool {
        let isLast = try bits(1) == 1
        switch try bits(2) {
        case 0: try stored()
        case 1:
            let fixed = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
            try text(Codes(fixed), Codes(Array(repeating: 5, count: 30)))
        case 2:
            let (lengths, distances) = try ownCodes()
            try text(lengths, distances)
        default: throw Broken()
        }
        return isLast
    }

    /// A block without compression (RFC 1951 §3.2.4).
    private mutating func stored() throws(Broken) {
        position = (position + 7) / 8 * 8
        let (count, check) = (try bits(16), try bits(16))
        let from = bytes.startIndex + position / 8
        guard count == ~check & 0xFFFF, count <= bytes.endIndex - from, output.count + count <= limit else { throw Broken() }
        output += bytes[from..<(from + count)]
        position += count * 8
    }

    private mutating func ownCodes() throws(Broken) -> (Codes, Codes) {
        let (lengthCount, distanceCount, count) = (try bits(5) + 257, try bits(5) + 1, try bits(4) + 4)
        var own = Array(repeating: 0, count: 19)
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].prefix(count) { own[symbol] = try bits(3) }
        let codes = Codes(own)
        var all: [Int] = []
        while all.count < lengthCount + distanceCount {
            switch try symbol(codes) {
            case 16: all += Array(repeating: all.last ?? 0, count: try bits(2) + 3)
            case 17: all += Array(repeating: 0, count: try bits(3) + 3)
            case 18: all += Array(repeating: 0, count: try bits(7) + 11)
            case let length: all.append(length)
            }
        }
        return (Codes(Array(all[..<lengthCount])), Codes(Array(all[lengthCount..<(lengthCount + distanceCount)])))
    }

    private mutating func text(_ lengths: Codes, _ distances: Codes) throws(Broken) {
        while true {
            let symbol = try symbol(lengths)
            if symbol == 256 { return }
            if symbol < 256 {
                guard output.count < limit else { throw Broken() }
                output.append(UInt8(symbol))
                continue
            }
            let length = try lengthOf(symbol)
            let code = try self.symbol(distances)
            guard code < 30 else { throw Broken() }
            let distance = code < 4 ? code + 1 : (2 + code % 2) << (code / 2 - 1) + (try bits(code / 2 - 1)) + 1
            guard distance <= output.count, output.count + length <= limit else { throw Broken() }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    private mutating func lengthOf(_ symbol: Int) throws(Broken) -> Int {
        switch symbol {
        case ..<265: return symbol - 254
        case 285: return 258
        case 286...: throw Broken()
        default:
            let extra = (symbol - 261) / 4
            return (4 + (symbol - 261) % 4) << extra + (try bits(extra)) + 3
        }
    }

    private mutating func symbol(_ codes: Codes) throws(Broken) -> Int {
        var (code, first, index) = (0, 0, 0)
        for count in 1...15 {
            code |= try bits(1)
            let those = codes.counts[count]
            if (0..<those).contains(code - first) { return codes.symbols[index + code - first] }
            index += those
            first = (first + those) << 1
            code <<= 1
        }
        throw Broken()
    }

    private mutating func bits(_ count: Int) throws(Broken) -> Int {
        var value = 0
        for index in 0..<count {
            guard position / 8 < bytes.count else { throw Broken() }
            value |= Int(bytes[bytes.startIndex + position / 8] >> (position % 8) & 1) << index
            position += 1
        }
        return value
    }

    /// Codes by their length and value (RFC 1951 §3.2.2): those of one length are consecutive numbers.
    private struct Codes {
        /// How many codes have that length.
        private(set) var counts = Array(repeating: 0, count: 16)
        /// In the order of their codes.
        let symbols: [Int]

        init(_ lengths: [Int]) {
            for length in lengths where length > 0 { counts[length] += 1 }
            symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        }
    }
}
