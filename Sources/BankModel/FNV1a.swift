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
