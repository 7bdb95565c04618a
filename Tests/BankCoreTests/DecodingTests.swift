import BankCore
import BankModel
import Testing

/// Escapes of addresses and forms, undone.
@Suite struct DecodingTests {
    @Test(
        arguments: [
            ("a%20b", "a b"), ("%C3%a9", "é"), ("%", nil), ("%2", nil), ("%zz", nil), ("%+5", nil), ("%-0", nil), ("%ff", nil),
            ("a+b", "a+b"),
        ] as [(String, String?)])
    func `an escape is two hexadecimal digits and nothing else`(_ text: String, _ expected: String?) {
        #expect(percentDecoded(text, plusIsSpace: false) == expected)
    }
}
