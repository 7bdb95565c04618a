import BankModel
import Testing

/// Texts encoded for addresses and forms.
@Suite struct EncodingTests {
    @Test(
        arguments: [
            ("aZ0-._~", "aZ0-._~"), ("a b/c?d#e%", "a%20b%2Fc%3Fd%23e%25"), ("é☕", "%C3%A9%E2%98%95"), ("\u{0}+", "%00%2B"), ("", ""),
        ])
    func `what is not plain is escaped, byte by byte`(_ text: String, _ expected: String) {
        #expect(percentEncoded(text) == expected)
    }

    @Test func `fields stay in their order`() {
        #expect(formEncoded([(name: "b", value: "1 & 2"), (name: "a", value: "")]) == "b=1%20%26%202&a=")
        #expect(formEncoded([(name: String, value: String)]()).isEmpty)
    }

    @Test(
        arguments: [
            ("3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b10", true), ("3F0E7A52-4C1D-4B6E-9A00-5D2C8E1F7B10", true),
            ("3f0e7a524c1d4b6e9a005d2c8e1f7b10", false), ("3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b1g", false), ("", false),
            // Two full-width digits and two plain ones are eight bytes.
            ("３ｆ12-4c1d-4b6e-9a00-5d2c8e1f7b10", false),
        ])
    func `a UUID is five groups of hexadecimal digits of ASCII`(_ text: String, _ expected: Bool) {
        #expect(isUUID(text) == expected)
    }

    @Test func `base 64 is decoded in either alphabet`() {
        #expect(Base64.decoded(inEitherAlphabet: Array("-_+/".utf8)) == [0xFB, 0xFF, 0xBF])
        #expect(Base64.decoded(inEitherAlphabet: Array("a.b".utf8)) == nil)
        #expect(Base64.urlDecoded("-_-_") == [0xFB, 0xFF, 0xBF])
        #expect(Base64.urlDecoded("+/+/") == nil)
    }
}
