import BankModel
import Testing

/// Classes of bytes, and names of headers.
@Suite struct ASCIITests {
    @Test(arguments: ["Content-Type", "content-type", "CONTENT-TYPE"])
    func `names of headers are equal whatever the case of their letters is`(_ name: String) {
        #expect(name.isHeaderName("Content-Type"))
    }

    /// `\r` and `-` differ by the bit of the case, as do `@` and the grave accent; the last is a capital beyond ASCII.
    @Test(arguments: [("content\rtype", "content-type"), ("a@", "a`"), ("content-typ", "content-type"), ("\u{C4}", "\u{E4}")])
    func `names of headers that differ in anything else are different`(_ one: String, _ other: String) {
        #expect(!one.isHeaderName(other))
        #expect(!other.isHeaderName(one))
    }

    @Test func `digits and letters are those of ASCII`() {
        let bytes = UInt8.min...UInt8.max

        #expect(String(decoding: bytes.filter(\.isDigit), as: UTF8.self) == "0123456789")
        #expect(String(decoding: bytes.filter(\.isLowercase), as: UTF8.self) == "abcdefghijklmnopqrstuvwxyz")
        #expect(
            String(decoding: bytes.filter(\.isLetter), as: UTF8.self) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    }
}
