import BankModel
import Testing

@Suite struct JSONWriterTests {
    @Test func `a round trip keeps digits and the order of names`() throws {
        let text = #"{"z":12.00,"a":1e2,"m":{"y":-0,"b":0.10},"list":[1E+2,{"k":1,"j":2}]}"#

        let value = try JSON(parsing: text)

        #expect(value.text == text)
        #expect(value.object?.keys == ["z", "a", "m", "list"])
    }

    @Test func `escapes what must be escaped and nothing else`() {
        let value: JSON = "a\"b\\c/d\n\r\t\u{0}\u{8}\u{C}\u{1F}\u{7F}é\u{2028}🏦"

        #expect(value.text == "\"a\\\"b\\\\c/d\\n\\r\\t\\u0000\\u0008\\u000c\\u001f\u{7F}é\u{2028}🏦\"")
    }

    @Test func `the pretty form has a member a line`() {
        let value: JSON = ["id": "a", "tags": ["x", 2], "none": [], "empty": [:]]

        #expect(
            value.pretty == """
                {
                  "id": "a",
                  "tags": [
                    "x",
                    2
                  ],
                  "none": [],
                  "empty": {}
                }
                """)
    }

    @Test func `the spaced form has a space after each comma and colon outside texts, and none in empty values`() throws {
        let text = #"{"a": [1, 2, {"b": "x,y:z"}], "c": {}, "d": []}"#
        let value = try JSON(parsing: Array(text.utf8))

        #expect(String(decoding: value.bytes(.spaced), as: UTF8.self) == text)
        #expect(value.bytes(.compact) == value.bytes)
        #expect(String(decoding: value.bytes(.indented), as: UTF8.self) == value.pretty)
    }

    @Test func `the pretty form reads back as the same value`() throws {
        let value: JSON = ["a": ["b": [1, ["c": "d\n"]]], "e": .null, "f": true]

        #expect(try JSON(parsing: value.pretty) == value)
    }

    @Test(arguments: [UInt8(0x00)...0x7F]) func `every ASCII character comes back`(_ range: ClosedRange<UInt8>) throws {
        for byte in range {
            let value = JSON.string(String(Unicode.Scalar(byte)))

            #expect(try JSON(parsing: value.bytes) == value, "character \(byte)")
        }
    }
}
