/// Reads a deflate stream (RFC 1951), so that the writer is checked by something that is not the writer.
///
/// The oracle suite checks it with curl's zlib as well.
struct Inflater {
    /// Anything that is not a deflate stream.
    struct Broken: Error {}

    private let bytes: ArraySlice<UInt8>
    private var place = 0
    private var output: [UInt8] = []

    /// The output, and the bytes behind the stream.
    static func inflated(_ bytes: ArraySlice<UInt8>) throws -> (output: [UInt8], rest: [UInt8]) {
        var inflater = Inflater(bytes: bytes)
        while try !inflater.block() {}
        return (inflater.output, Array(bytes.dropFirst((inflater.place + 7) / 8)))
    }

    /// The output up to the end of a stream that may be cut anywhere: of the most lenient decoder.
    static func readable(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var inflater = Inflater(bytes: bytes)
        do { while try !inflater.block() {} } catch { return inflater.output }
        return inflater.output
    }

    private init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// - Returns: whether it was the last block.
    private mutating func block() throws -> Bool {
        let isLast = try bits(1) == 1
        switch try bits(2) {
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

    private mutating func ownCodes() throws -> (Codes, Codes) {
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
        return (Codes(Array(all[..<lengthCount])), Codes(Array(all[lengthCount...])))
    }

    private mutating func text(_ lengths: Codes, _ distances: Codes) throws {
        while true {
            let symbol = try symbol(lengths)
            if symbol == 256 { return }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            let length = try lengthOf(symbol)
            let code = try self.symbol(distances)
            let distance = code < 4 ? code + 1 : (2 + code % 2) << (code / 2 - 1) + (try bits(code / 2 - 1)) + 1
            guard distance <= output.count else { throw Broken() }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    private mutating func lengthOf(_ symbol: Int) throws -> Int {
        switch symbol {
        case ..<265: return symbol - 254
        case 285: return 258
        default:
            let extra = (symbol - 261) / 4
            return (4 + (symbol - 261) % 4) << extra + (try bits(extra)) + 3
        }
    }

    private mutating func symbol(_ codes: Codes) throws -> Int {
        var code = 0
        for count in 1...15 {
            code = code << 1 | (try bits(1))
            if let symbol = codes.symbols[[count, code]] { return symbol }
        }
        throw Broken()
    }

    private mutating func bits(_ count: Int) throws -> Int {
        var value = 0
        for index in 0..<count {
            guard place / 8 < bytes.count else { throw Broken() }
            value |= Int(bytes[bytes.startIndex + place / 8] >> (place % 8) & 1) << index
            place += 1
        }
        return value
    }

    /// Codes by their length and value (RFC 1951 §3.2.2).
    private struct Codes {
        let symbols: [[Int]: Int]

        init(_ lengths: [Int]) {
            var symbols: [[Int]: Int] = [:]
            var code = 0
            for length in 1...15 {
                for (symbol, own) in lengths.enumerated() where own == length {
                    symbols[[length, code]] = symbol
                    code += 1
                }
                code <<= 1
            }
            self.symbols = symbols
        }
    }
}
