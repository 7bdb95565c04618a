import BankModel
import Testing

/// The first occurrence of bytes among others.
@Suite struct BytePositionTests {
    @Test(
        arguments: [
            ("abcabd", "abd", 0, 3), ("abcabd", "abc", 0, 0), ("abcabd", "abc", 1, nil), ("aab", "ab", 0, 1), ("ab", "abc", 0, nil),
            ("abc", "abc", 0, 0), ("abc", "c", 2, 2), ("abc", "c", 3, nil), ("abc", "", 0, nil), ("", "a", 0, nil), ("abc", "a", -1, nil),
            ("abc", "a", 9, nil),
        ] as [(String, String, Int, Int?)])
    func `the position is that of the first one`(bytes: String, wanted: String, start: Int, position: Int?) {
        #expect(Array(bytes.utf8).firstPosition(of: Array(wanted.utf8), from: start) == position)
    }

    @Test(arguments: [
        ("\r\n <!DOCTYPE html>", true), ("<HTML lang=en>", true), ("", false), ("<hr>", false), (#"{"page":"<html>"}"#, false),
    ])
    func `a page in HTML is known by its beginning`(text: String, expected: Bool) {
        #expect(Array(text.utf8).isHTML == expected)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the standard library finds the same`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func letters(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0x61...0x62, using: &generator) } }
        for _ in 0..<50 {
            let (bytes, wanted) = (letters(.random(in: 0...40, using: &generator)), letters(.random(in: 1...6, using: &generator)))
            #expect(bytes.firstPosition(of: wanted) == bytes.firstRange(of: wanted)?.lowerBound)
        }
    }
}
