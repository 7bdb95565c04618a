/// Writes a deflate stream (RFC 1951): repeats are found in the last 32 KiB, codes are the fixed ones of §3.2.6.
///
/// It is ours so that a journal is the same on every machine: zlib and its successors compress the same text to different bytes, and
/// receipts count them.
struct DeflateStream {
    private var bits: BitWriter

    /// - Parameter head: the bytes in front of the stream.
    init(_ head: [UInt8]) { bits = BitWriter(bytes: head) }

    /// Writes a block.
    ///
    /// - Parameter isLast: whether the stream ends with it.
    mutating func write(_ text: [UInt8], isLast: Bool) {
        bits.add(isLast ? 1 : 0, count: 1)
        bits.add(1, count: 2)
        var repeats = Repeats(in: text.count)
        var position = 0
        while position < text.count {
            if let found = repeats.longest(in: text, at: position) {
                write(found)
                for passed in position..<(position + found.length) { repeats.remember(text, passed) }
                position += found.length
            } else {
                symbol(Int(text[position]))
                repeats.remember(text, position)
                position += 1
            }
        }
        symbol(DeflateStream.endOfBlock)
    }

    /// Writes the last block: that many spaces, at two bits for each 258 of them.
    ///
    /// Its own codes (RFC 1951 §3.2.7) have the length 258 as `0`, the distance 1 as `0`, a space as `01` and the end as `11`, in the
    /// order in which the bits are written.
    mutating func writeSpaces(_ count: Int) {
        bits.add(1, count: 1)
        bits.add(2, count: 2)
        // 286 lengths, 1 distance, 18 code lengths: `18` has one bit, `1` and `2` have two.
        bits.add(29, count: 5)
        bits.add(0, count: 5)
        bits.add(14, count: 4)
        for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] as [UInt64] { bits.add(length, count: 3) }
        zeros(32)
        two()
        zeros(138)
        zeros(85)
        two()
        zeros(28)
        one()
        one()
        let pairs = max(0, count - 1) / 258
        for _ in 0..<(count - 258 * pairs) { bits.add(0b01, count: 2) }
        bits.addZeros(2 * pairs)
        bits.add(0b11, count: 2)
    }

    /// The stream with the bytes behind it.
    func finished(with tail: [UInt8]) -> [UInt8] { bits.bytesToTheEnd + tail }

    // MARK: code lengths of the spaces' block

    /// That many symbols without a code: code 18, `0`.
    private mutating func zeros(_ count: UInt64) {
        bits.add(0, count: 1)
        bits.add(count - 11, count: 7)
    }

    /// A symbol of one bit: `10`, its first bit first.
    private mutating func one() { bits.add(0b01, count: 2) }

    /// A symbol of two bits: `11`.
    private mutating func two() { bits.add(0b11, count: 2) }

    // MARK: fixed codes

    private static let endOfBlock = 256

    private mutating func symbol(_ symbol: Int) { bits.add(DeflateStream.symbols[symbol]) }

    private mutating func write(_ found: Repeats.Match) {
        let length = found.length - 3
        if found.length == 258 {
            symbol(285)
        } else if length < 8 {
            symbol(257 + length)
        } else {
            let extra = length.lastBit - 2
            symbol(261 + 4 * extra + (length >> extra & 3))
            bits.add(UInt64(length & (1 << extra - 1)), count: extra)
        }
        let distance = found.distance - 1
        let extra = max(0, distance.lastBit - 1)
        let code = distance < 4 ? distance : 2 * (extra + 1) + (distance >> extra & 1)
        bits.add(UInt64(code.reversed(5)), count: 5)
        if distance >= 4 { bits.add(UInt64(distance & (1 << extra - 1)), count: extra) }
    }

    /// The codes of literals and lengths, in the order of their bits on the wire.
    private static let symbols: [(code: UInt64, count: Int)] = (0..<288).map { symbol in
        let (code, count): (Int, Int) =
            switch symbol {
            case ..<144: (0x30 + symbol, 8)
            case ..<256: (0x190 + symbol - 144, 9)
            case ..<280: (symbol - 256, 7)
            default: (0xC0 + symbol - 280, 8)
            }
        return (UInt64(code.reversed(count)), count)
    }
}

/// The positions of a text's last triples of bytes.
private struct Repeats {
    struct Match {
        let length: Int
        let distance: Int
    }

    private static let window = 32_768
    private static let lengths = 3...258
    /// The earlier positions that are tried: more find little in a bank's JSON.
    private static let tries = 16

    /// The last position of each triple's hash, and of each position the one before it; -1 for none.
    private var last: [Int32]
    private var before: [Int32]
    private let mask: Int

    /// - Parameter count: the size of the text: a short one has small tables.
    init(in count: Int) {
        let size = 1 << min(15, max(8, count.lastBit + 1))
        last = Array(repeating: -1, count: size)
        before = Array(repeating: -1, count: size)
        mask = size - 1
    }

    mutating func remember(_ text: [UInt8], _ position: Int) {
        guard position + 2 < text.count else { return }
        let hash = self.hash(text, position)
        before[position & mask] = last[hash]
        last[hash] = Int32(truncatingIfNeeded: position)
    }

    /// The longest repeat of what begins at a position; nil if there is none.
    func longest(in text: [UInt8], at position: Int) -> Match? {
        guard position + 2 < text.count else { return nil }
        let most = min(Repeats.lengths.upperBound, text.count - position)
        var best = 0
        var distance = 0
        var earlier = Int(last[hash(text, position)])
        var triesLeft = Repeats.tries
        while earlier >= 0, position - earlier <= min(mask, Repeats.window - 1), triesLeft > 0, best < most {
            var length = 0
            while length < most, text[earlier + length] == text[position + length] { length += 1 }
            if length > best { (best, distance) = (length, position - earlier) }
            let next = Int(before[earlier & mask])
            // The positions of a ring that has come round are not earlier ones.
            guard next < earlier else { break }
            earlier = next
            triesLeft -= 1
        }
        return best >= Repeats.lengths.lowerBound ? Match(length: best, distance: distance) : nil
    }

    private func hash(_ text: [UInt8], _ position: Int) -> Int {
        let triple = UInt32(text[position]) | UInt32(text[position + 1]) << 8 | UInt32(text[position + 2]) << 16
        return Int(triple &* 0x9E37_79B1 >> 17) & mask
    }
}

/// Bits in the order of a deflate stream: the first is the lowest of its byte (RFC 1951 §3.1.1).
private struct BitWriter {
    private var bytes: [UInt8]
    private var pending: UInt64 = 0
    private var count = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func add(_ code: (code: UInt64, count: Int)) { add(code.code, count: code.count) }

    /// - Parameter count: at most 32.
    mutating func add(_ value: UInt64, count added: Int) {
        pending |= value << UInt64(count)
        count += added
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            count -= 8
        }
    }

    mutating func addZeros(_ added: Int) {
        let total = count + added
        if total >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            bytes.append(contentsOf: repeatElement(0, count: total / 8 - 1))
            pending = 0
        }
        count = total % 8
    }

    /// All bytes, the last filled up with zeros.
    var bytesToTheEnd: [UInt8] { count == 0 ? bytes : bytes + [UInt8(truncatingIfNeeded: pending)] }
}

extension Int {
    /// The position of its highest bit; 0 for 0.
    fileprivate var lastBit: Int { self == 0 ? 0 : Int.bitWidth - 1 - leadingZeroBitCount }

    /// Its lowest bits in the other order: codes are written from their highest bit.
    fileprivate func reversed(_ count: Int) -> Int { (0..<count).reduce(0) { $0 << 1 | (self >> $1 & 1) } }
}
