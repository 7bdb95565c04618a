import BankModel
import Testing

@Suite struct FNV1aTests {
    /// From the reference's own test vectors (Noll).
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
        ] as [(String, UInt64)])
    func `gives the published hashes`(_ text: String, _ hash: UInt64) {
        #expect(FNV1a.hash(text.utf8) == hash)
    }

    @Test func `a hash begun with another's end is that of both texts`() {
        #expect(FNV1a.hash("bar".utf8, from: FNV1a.hash("foo".utf8)) == FNV1a.hash("foobar".utf8))
    }
}
