@testable import BankCore
import BankModel
import Testing

/// The packed form in which states and commands are stored.
@Suite struct ImageTests {
    private func packed(_ value: JSON) -> [UInt8] {
        var writer = ImageWriter()
        writer.value(value)
        return writer.bytes
    }

    @Test(
        arguments: [
            "null", "true", "false", "0", "-1", "1795433983564605927", "9223372036854775807", "-9223372036854775808",
            "9223372036854775808", "-0", "100.0", "1e2", "12.00", #""""#, #""id""#, #""Ünïcödé 👩‍👩‍👧 \u0000\n""#, "[]", "{}", "[[],{}]",
            #"{"id":"a","row":{"id":"a","_customer":"ava","new name":"new name"},"list":[1,"a",null,"new name"]}"#,
            #"{"changes":"changes","GBP":"Content-Type","created_at":["POST","no-store"]}"#,
        ])
    func `every value comes back, digit for digit`(_ text: String) throws {
        let value = try JSON(parsing: Array(text.utf8))

        #expect(try JSON(image: packed(value)).text == value.text)
    }

    @Test func `a text that comes again is its number`() throws {
        let long = String(repeating: "x", count: ImageTag.longestNumbered)
        let once = packed([.string(long)]).count
        let twice = packed([.string(long), .string(long)]).count
        let tooLong = packed([.string(long + "x"), .string(long + "x")]).count

        #expect(twice == once + 1)
        #expect(tooLong > 2 * ImageTag.longestNumbered)
    }

    @Test func `ten thousand different texts and names come back`() throws {
        let values = (0..<10_000).map { JSON.string("value \($0)") }
        let names = (0..<10_000).map { (key: "name \($0)", value: JSON.string("value \($0 % 700)")) }
        let value: JSON = [.array(values), .object(JSONObject(names)), .array(values)]

        #expect(try JSON(image: packed(value)) == value)
    }

    @Test func `the image of a command is half its text`() throws {
        let text =
            #"{"changes":[{"moved":{"id":"movement-11062","operation":"payments","key":"w1-11048","customer":"ava","from":["accounts","ava-gbp"],"to":["goals","goal-rainy"],"units":1,"currency":"GBP","at":1795433983564605927,"state":"settled"}},{"added":{"table":"payments","row":{"since":1795433983564605927,"fields":{"id":"pay-279597e6-fb8c-4c18-ae85-b264662b937f","_customer":"ava","state":"settled","amount":{"amount":"0.01","currency":"GBP"},"created_at":"2026-11-23T11:39:43Z"}}}}],"random":"6172727745395916295"}"#
        let image = packed(try JSON(parsing: Array(text.utf8)))

        #expect(image.count * 2 < text.utf8.count)
    }

    /// The numbers of words are in files of users: a change of this test's bytes is one that cannot read them.
    @Test func `an image of this version stays readable`() throws {
        let bytes: [UInt8] = [
            1, 5, 16, 6, 5, 16 + 27, 3, 4, 16 + 22, 9, 3, 0x61, 0x76, 0x61, 7, 7, 17, 8, 1, 0x37, 16 + 35, 16 + 44, 16 + 80, 16 + 128, 7,
        ]

        #expect(try JSON(image: bytes).text == #"{"changes":[{"from":2,"rows":"ava"}],"random":"7","asked":"name","USD":"ava"}"#)
        #expect(ImageWord.texts.count <= ImageTag.firstOwnNumber)
        #expect(Set(ImageWord.texts).count == ImageWord.texts.count)
    }

    @Test(
        arguments: [
            ([1], "at byte 1: found the end, expected more bytes"),
            ([1, 0, 0], "at byte 2: found 1 bytes after the value, expected none"),
            ([1, 11], "at byte 1: found the tag 11, expected the tag of a text"),
            ([1, 6, 0], "at byte 3: found the end, expected more bytes"),
            ([1, 5, 0], "at byte 2: found the tag 0, expected the tag of a text"),
            ([1, 8, 2, 0x61], "at byte 2: found 1 bytes of a text, expected 2"),
            ([1, 8, 1, 0xFF], "at byte 2: found bytes that are not UTF-8, expected a text"),
            ([1, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], "at byte 2: found 0 bytes of a text"),
            ([1, 3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2], "at byte 2: found a number without an end"),
            ([1, 4, 1, 0x78], "at byte 2: found x, expected a number"),
            ([1, 16 + 127], "at byte 1: found the text of number 127, expected the number of an earlier text"),
            ([1, 16 + 128], "at byte 1: found the text of number 128, expected the number of an earlier text"),
            ([1, 10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], "found the text of number"),
            ([1] + [UInt8](repeating: 6, count: 100_000), "levels"),
        ] as [([UInt8], String)])
    func `bytes that are no image are refused with their place`(_ bytes: [UInt8], _ expected: String) {
        let error = #expect(throws: ImageError.self) { try JSON(image: bytes) }

        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }

    @Test func `no flip of a byte makes it crash`() throws {
        let value = try JSON(
            parsing: Array(#"{"id":"a","rows":[{"new":"a","n":-7,"f":1.5},{"new":"b"}],"reply":{"body":"{\"id\":1}"}}"#.utf8))
        let image = packed(value)
        for place in image.indices {
            for change in UInt8.min...UInt8.max {
                var flipped = image
                flipped[place] ^= change
                _ = try? JSON(image: flipped)
                _ = try? JSON(image: Array(flipped[..<place]))
            }
        }
        #expect(try JSON(image: image) == value)
    }

    @Test func `text of an older version is read`() throws {
        #expect(try JSON(image: Array(#"{"changes":[],"random":"7"}"#.utf8)) == ["changes": [], "random": "7"])
    }
}
