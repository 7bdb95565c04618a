import Platform
import Testing

@Suite struct PlatformTests {
    @Test(
        arguments: [
            ([], ""), ([0x61, 0, 0x62], "a\0b"), ([0xEF, 0xBB, 0xBF, 0x61], "\u{FEFF}a"), ([0xEF, 0xBF, 0xBD], "\u{FFFD}"),
            ([0xF0, 0x9F, 0x98, 0x80], "😀"), ([0xC0, 0x80], nil), ([0xED, 0xA0, 0x80], nil), ([0xF4, 0x90, 0x80, 0x80], nil), ([0xFF], nil),
            ([0x61, 0xE2, 0x82], nil),
        ] as [([UInt8], String?)])
    func `only valid UTF-8 is a text, with every byte`(_ bytes: [UInt8], _ text: String?) {
        let (scattered, slice) = (bytes.lazy.map { $0 }, ([0xFF] + bytes)[1...])

        for found in [String(validUTF8: bytes), String(validUTF8: scattered), String(validUTF8: slice)] {
            #expect(found.map { Array($0.utf8) } == text.map { Array($0.utf8) })
        }
    }

    @Test func `threads change a locked value one after the other`() async {
        let numbers = Locked<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for number in 0..<1000 { numbers.withLock { $0.append(task * 1000 + number) } } }
            }
        }

        #expect(numbers.withLock { $0.sorted() } == Array(0..<8000))
    }
}
