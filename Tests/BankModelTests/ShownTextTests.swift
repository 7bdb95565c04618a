import BankModel
import Testing

/// Texts from outside control no terminal.
@Suite struct ShownTextTests {
    @Test func `every control character is escaped and nothing else`() {
        for value in (0...0xFFFF as ClosedRange<UInt32>) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let (text, shown) = (String(scalar), String(scalar).withoutControls)
            let steers =
                value < 0x20 || (0x7F...0x9F).contains(value) || (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
                || [0x061C, 0x200E, 0x200F, 0x2028, 0x2029].contains(value)
            if steers, value != 0x0A, value != 0x09 {
                #expect(shown == "\\u" + String(("000" + String(value, radix: 16)).suffix(4)))
                #expect(["\n", "\r", "\t"].contains(scalar) || text.inOneLine == shown)
            } else {
                #expect(shown == text)
            }
        }
    }

    @Test func `a JSON string has the same content`() throws {
        let text = "a\u{1B}]0;x\u{7}\u{9B}31m\u{202E}b\u{7F}"

        #expect(try JSON(parsing: Array(JSON.string(text).text.withoutControls.utf8)) == .string(text))
    }

    @Test(arguments: [
        ("a\r\n\tb\u{85}c", "a b\\u0085c"), ("plain é \u{1F511}", "plain é \u{1F511}"), ("\u{1B}[2Jx", "\\u001b[2Jx"),
        ("\n::error::x", " ::error::x"),
    ])
    func `one line is one line`(_ text: String, _ shown: String) { #expect(text.inOneLine == shown) }

    @Test(arguments: [
        ("::error::x", "\\u003a:error::x"), ("a\n \u{3000}::set-env\n\n::", "a\n \u{3000}\\u003a:set-env\n\n\\u003a:"),
        ("a ::b", "a ::b"), (":a", ":a"), ("x ##[error]y", "x \\u0023#[error]y"), ("## [a]", "## [a]"), ("###[a]", "#\\u0023#[a]"),
        ("\n::e", "\n\\u003a:e"), ("", ""), ("x ##vso[task.prependpath]/tmp", "x \\u0023#vso[task.prependpath]/tmp"),
        ("##teamcity[buildStop]", "\\u0023#teamcity[buildStop]"), ("##vso [a]", "##vso [a]"), ("## heading ##", "## heading ##"),
    ])
    func `no line is a workflow command`(_ text: String, _ shown: String) { #expect(text.withoutCommands == shown) }

    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("abcd", "abc… (4 characters in all)"),
        (String(repeating: "x", count: 3_900_000), "xxx… (3,900,000 characters in all)"),
        ("e" + String(repeating: "\u{301}", count: 1000), "e\u{301}\u{301}… (1,001 characters in all)"),
        (String(repeating: "x", count: 100_020), "xxx… (100,020 characters in all)"),
    ])
    func `a long text is shortened and marked`(_ text: String, _ shown: String) { #expect(text.shortened(to: 3) == shown) }

    @Test func `only long words of a sentence are shortened`() {
        let long = String(repeating: "x", count: 1001)

        #expect("found  \(long), expected one".withShortWords(10) == "found  xxxxxxxxxx… (1,002 characters in all) expected one")
        #expect("found a b c d e f g h".withShortWords(10) == "found a b c d e f g h")
    }

    @Test func `no further line begins at the margin`() {
        #expect("one\n::error::two\n\u{1B}three".indented == "one\n    ::error::two\n    \\u001bthree")
    }
}
