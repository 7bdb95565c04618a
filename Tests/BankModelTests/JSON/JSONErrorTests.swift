import BankModel
import Testing

@Suite struct JSONErrorTests {
    @Test(arguments: [
        ("", "1:1: found the end of the text, expected a value"),
        ("nul", "1:1: found nul, expected a value"),
        ("not JSON", "1:1: found not, expected a value"),
        ("{\"a\": false-alarm}", "1:12: found -alarm}, expected a comma or }"),
        ("[1,]", "1:4: found ], expected a value"),
        ("[1 2]", "1:4: found 2], expected a comma or ]"),
        ("{\"a\":1,}", "1:8: found }, expected a name in quotes"),
        ("{\"a\" 1}", "1:6: found 1}, expected a colon"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "3:3: found \"b\":, expected a comma or }"),
        ("{\r\n\r\n!", "3:1: found !, expected a name in quotes"),
        ("[\"é🏦\", x]", "1:8: found x], expected a value"),
        ("{\"a\":1,\n \"a\":2}", "2:2: found the name \"a\" a second time, expected each name once in an object"),
        ("[01]", "1:3: found 1], expected no digit after a leading 0"),
        ("[1.]", "1:4: found ], expected a digit"),
        ("1 x", "1:3: found x, expected the end of the text"),
        ("[\u{0}]", "1:2: found byte 0x00, expected a value"),
        ("\"a\tb\"", "1:3: found byte 0x09, expected no control character in a text (write \\n, \\t or \\u00XX)"),
        ("\u{FEFF}1", "1:1: found a byte order mark, expected a value (RFC 8259 §8.1)"),
    ])
    func `reports line, column, what is there and what may be`(_ text: String, _ message: String) throws {
        let error = try #require(throws: JSONError.self) { try JSON(parsing: text) }

        #expect(error.description == message)
    }

    @Test func `reports the level that is too deep, where it begins`() throws {
        let error = try #require(throws: JSONError.self) { try JSON(parsing: nested(513)) }

        #expect(error.description == "1:513: found level 513, expected at most 512 levels of nesting")
    }

    @Test func `reports the line of bytes that are not UTF-8`() throws {
        let bytes = Array("[\n".utf8) + quoted(0xFF)

        let error = try #require(throws: JSONError.self) { try JSON(parsing: bytes) }

        #expect(error.line == 2)
        #expect(error.found == "bytes that are not UTF-8")
    }

    @Test(arguments: [[0xFF, 0xFE, 0x31, 0x00], [0xFE, 0xFF, 0x00, 0x31]] as [[UInt8]]) func `names UTF-16`(_ bytes: [UInt8]) throws {
        let error = try #require(throws: JSONError.self) { try JSON(parsing: bytes) }

        #expect(error.description == "1:1: found UTF-16, expected UTF-8 (RFC 8259 §8.1; `iconv -f UTF-16 -t UTF-8` converts it)")
    }

    @Test(arguments: [#""\uD800""#, #""\uDC00""#, #""\uD800\u0041""#])
    func `names half a surrogate pair`(_ text: String) throws {
        let error = try #require(throws: JSONError.self) { try JSON(parsing: text) }

        #expect(error.found == "half of a surrogate pair")
    }
}
