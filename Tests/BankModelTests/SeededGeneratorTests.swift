import BankModel
import Testing

@Suite struct SeededGeneratorTests {
    /// From the reference implementation of SplitMix64 (Vigna).
    @Test(
        arguments: [
            (0, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]),
            (1_234_567, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]),
        ] as [(UInt64, [UInt64])])
    func `gives SplitMix64's sequence`(_ seed: UInt64, _ expected: [UInt64]) {
        var generator = SeededGenerator(seed: seed)

        #expect(expected.map { _ in generator.next() } == expected)
    }

    @Test func `a copy goes on with the same sequence`() {
        var generator = SeededGenerator(seed: 7)
        _ = generator.next()

        var copy = generator

        #expect((0..<10).map { _ in copy.next() } == (0..<10).map { _ in generator.next() })
    }

    /// The published FNV-1a hashes of these texts, mixed.
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
        ] as [(String, UInt64)])
    func `the hash of a text is FNV-1a, mixed`(_ text: String, _ fnv: UInt64) {
        #expect(SeededGenerator.hash(0, text) == SeededGenerator.mix(fnv))
    }

    /// Computed by another implementation (in Python).
    @Test func `hashes are the same in every process`() {
        #expect(SeededGenerator.hash(7, "roundup") == 7_427_436_742_581_774_336)
        #expect(SeededGenerator.hash(7, 1, 2) == 4_250_028_731_379_914_421)
    }

    @Test func `hashes differ by seed, number and order`() {
        let hashes: [UInt64] = [
            SeededGenerator.hash(7, 1, 2), SeededGenerator.hash(7, 2, 1), SeededGenerator.hash(8, 1, 2), SeededGenerator.hash(7, 1),
            SeededGenerator.hash(7, 0), SeededGenerator.hash(7, 0, 0), SeededGenerator.hash(7, "12"), SeededGenerator.hash(8, "12"),
        ]

        #expect(Set(hashes).count == hashes.count)
    }
}
