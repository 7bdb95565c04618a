import BankModel
import Testing

@testable import Harness

/// Many texts are found in one pass, wherever they stand.
@Suite struct TextSearchTests {
    private func found(_ texts: [[UInt8]], in bytes: [UInt8]) -> [Int] { bytes.withUnsafeBytes { TextSearch(texts).found(in: $0) } }

    @Test func `a text is found at every offset, at both ends, and among others`() {
        let text = Array("needle-".utf8)
        for before in 0..<9 {
            for behind in 0..<5 {
                let bytes = [UInt8](repeating: 0x2D, count: before) + text + [UInt8](repeating: 0x6E, count: behind)
                #expect(found([Array("another one".utf8), text, Array("needle+".utf8)], in: bytes) == [1], "\(before) \(behind)")
                #expect(found([text], in: bytes.dropLast(behind + 1)).isEmpty)
            }
        }
    }

    @Test func `a text that is too short is never found, and nothing in nothing`() {
        #expect(TextSearch.shortest == 7)
        #expect(found([Array("needle".utf8), []], in: Array("a needle in a stack".utf8)).isEmpty)
        #expect(found([Array("needles".utf8)], in: []).isEmpty)
        #expect(found([], in: Array("needles".utf8)).isEmpty)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what is found is what a search for each text finds`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Few letters, so that texts begin alike, overlap and nearly occur.
        func letters(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0x61...0x62, using: &generator) } }
        let bytes = letters(.random(in: 0...300, using: &generator))
        let texts = (0..<60).map { _ in letters(.random(in: 5...12, using: &generator)) }
        let expected = texts.indices.filter { texts[$0].count >= TextSearch.shortest && bytes.firstRange(of: texts[$0]) != nil }

        #expect(found(texts, in: bytes) == expected)
    }

    @Test func `a thousand texts that begin alike are distinguished`() {
        let texts = (0..<1000).map { Array("cf_counterfoil_0_\(1000 + $0)".utf8) }
        let bytes = Array("{\"token\":\"".utf8) + texts[417] + Array("\"} cf_counterfoil_0_999 ".utf8) + texts[3]

        #expect(found(texts, in: bytes) == [3, 417])
    }
}
