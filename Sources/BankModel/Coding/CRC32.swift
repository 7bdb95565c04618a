/// The checksum of gzip (RFC 1952 §8).
struct CRC32 {
    private var register: UInt32 = .max

    /// The checksum of the bytes so far.
    var value: UInt32 { ~register }

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { register = CRC32.step(register, byte) }
    }

    /// Adds one byte many times, in a number of operations that grows with the digits of `times`.
    ///
    /// A step is an affine map of the register's 32 bits, so that 2ⁿ steps are one as well.
    mutating func add(_ byte: UInt8, times: Int) {
        var map = Affine(step: byte)
        var rest = times
        while rest > 0 {
            if rest & 1 == 1 { register = map.applied(to: register) }
            map = map.twice
            rest >>= 1
        }
    }

    private static func step(_ register: UInt32, _ byte: UInt8) -> UInt32 {
        table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    /// A map of 32 bits to 32 bits: linear, then a constant added (exclusive or).
    private struct Affine {
        /// The images of the single bits under the linear part.
        var columns: [UInt32]
        var constant: UInt32

        init(step byte: UInt8) {
            let constant = CRC32.step(0, byte)
            self.constant = constant
            columns = (0..<32).map { CRC32.step(1 << $0, byte) ^ constant }
        }

        private func linear(_ bits: UInt32) -> UInt32 {
            columns.indices.reduce(0) { sum, index in bits >> UInt32(index) & 1 == 1 ? sum ^ columns[index] : sum }
        }

        func applied(to bits: UInt32) -> UInt32 { linear(bits) ^ constant }

        var twice: Affine {
            var twice = self
            twice.columns = columns.map(linear)
            twice.constant = applied(to: constant)
            return twice
        }
    }
}
