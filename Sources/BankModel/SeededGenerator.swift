/// A small deterministic generator (SplitMix64, Steele et al. 2014): the same seed gives the same sequence everywhere.
///
/// Not for secrets. Swift's `Hasher` has a new seed in every process and must not be used for repeatable runs.
public struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
    /// The whole state: a generator with this state continues the sequence.
    public private(set) var state: UInt64

    public init(seed: UInt64) { state = seed }

    public init(state: UInt64) { self.state = state }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return SeededGenerator.mix(state)
    }

    /// A fixed mixing of 64 bits.
    public static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A fixed hash of a seed and a text (FNV-1a, then mixed): derives a session's seed from the server's.
    public static func hash(_ seed: UInt64, _ text: String) -> UInt64 { mix(FNV1a.hash(text.utf8, from: seed ^ FNV1a.basis)) }

    /// A fixed hash of a seed and numbers: derives one decision from (seed, rule, n).
    public static func hash(_ seed: UInt64, _ numbers: UInt64...) -> UInt64 {
        numbers.reduce(mix(seed)) { mix($0 ^ mix($1 &+ 0x9E37_79B9_7F4A_7C15)) }
    }
}

extension RandomNumberGenerator {
    /// A random version 4 UUID (RFC 9562 §5.4) in lower case.
    package mutating func uuid() -> String {
        let high: UInt64 = next()
        let low: UInt64 = next()
        let versioned = high & ~0xF000 | 0x4000
        let variant = low & ~(0xC000 << 48) | (0x8000 << 48)
        let digits = Array((hexadecimal(versioned) + hexadecimal(variant)).utf8)
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
        return groups.joined(separator: "-")
    }
}

/// The 64-bit FNV-1a hash (Fowler, Noll and Vo; IETF draft-eastlake-fnv): the same bytes give the same hash everywhere.
///
/// Not for secrets: collisions are easy to construct.
package enum FNV1a {
    /// The hash of no bytes.
    package static let basis: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash of the bytes, starting from the basis or another number.
    package static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64 = basis) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* prime }
    }

    /// The hash of an array, without a call for each byte.
    package static func hash(_ bytes: [UInt8], from start: UInt64 = basis) -> UInt64 {
        bytes.withUnsafeBufferPointer { bytes in
            var hash = start
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* prime }
            return hash
        }
    }

    private static let prime: UInt64 = 0x0000_0100_0000_01B3
}
