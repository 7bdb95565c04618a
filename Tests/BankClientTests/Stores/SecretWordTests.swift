import Testing

@testable import BankClient

/// A secret in a sentence: redacted as a value, not as a word.
@Suite struct SecretWordTests {
    @Test(
        arguments: [
            ("is", "the password is wrong"), ("wrong", "unauthorized: wrong password"), ("a", "found a login of a customer"),
            ("12", "found 120 bytes, expected 12 of them"), ("pass", "the password was rejected"), ("in", "sign in=out or in again"),
        ])
    func `a word of the sentence stays`(secret: String, text: String) {
        #expect(Secret.hide(secret, in: text) == text)
    }

    @Test(
        arguments: [
            ("is", #"found "is" as password"#, #"found "(redacted)" as password"#),
            ("is", "password=is&this=is", "password=(redacted)&this=(redacted)"),
            ("is", "the password is: is", "the password is: (redacted)"),
            ("wrong", #"{"why":"wrong password","password": "wrong"}"#, #"{"why":"wrong password","password": "(redacted)"}"#),
            ("correct-horse", "correct-horse is wrong", "(redacted) is wrong"), ("hunter2", "no hunter2s", "no (redacted)s"),
            ("abcdefghijklmnopqrst", "found abcdefghijklmnopqrst here", "found (redacted) here"),
        ])
    func `a value is redacted`(secret: String, text: String, expected: String) {
        #expect(Secret.hide(secret, in: text) == expected)
    }

    @Test func `an empty secret is nowhere`() { #expect(Secret.hide("", in: "the password is wrong") == "the password is wrong") }
}
