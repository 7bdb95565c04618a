import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Sorted lists behave like plain ones, and a copy does not change.
@Suite struct SortedListTests {
    @Test(arguments: TestSeeds.of(1...3)) func `sorted numbers are found, put in and taken out in their order`(_ seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        // A rank for each number, which many share.
        let ranks = (0..<8000).map { _ in Int.random(in: 0..<900, using: &dice) }
        func isBefore(_ a: Int32, _ b: Int32) -> Bool { (ranks[Int(a)], a) < (ranks[Int(b)], b) }
        var (sorted, plain) = (SortedNumbers(), Set<Int32>())
        var copies: [(SortedNumbers, Set<Int32>)] = []
        for step in 0..<16_000 {
            let number = Int32.random(in: 0..<8000, using: &dice)
            if plain.contains(number) {
                sorted.remove(number) { !isBefore($0, number) }
                plain.remove(number)
            } else if step < 9000 || step.isMultiple(of: 3) {
                sorted.insert(number) { isBefore(number, $0) }
                plain.insert(number)
            } else {
                sorted.remove(number) { !isBefore($0, number) }
            }
            if step % 4000 == 0 { copies.append((sorted, plain)) }
        }
        for (sorted, plain) in copies + [(sorted, plain)] {
            let expected = plain.sorted(by: isBefore)
            #expect(sorted.numbers(0..<sorted.count) == expected)
            #expect(sorted.count == expected.count)
            #expect(sorted == SortedNumbers(sorted: expected))
            #expect(sorted.first == expected.first)
            for _ in 0..<50 where !expected.isEmpty {
                let index = Int.random(in: 0..<expected.count, using: &dice)
                #expect(sorted[index] == expected[index])
                #expect(sorted.partitioningIndex { !isBefore($0, expected[index]) } == index)
                #expect(sorted.numbers(index..<min(index + 20, expected.count)) == Array(expected[index..<min(index + 20, expected.count)]))
            }
        }
        while let first = sorted.first {
            #expect(plain.remove(first) != nil)
            sorted.remove(first) { !isBefore($0, first) }
        }
        #expect(plain.isEmpty)
        #expect(sorted.isEmpty)
    }

    @Test(arguments: TestSeeds.of(1...3)) func `merged lists are one sorted list, and few elements are compared`(_ seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let lists = [40_000, 3, 0, 25_000, 9_000].map { count in
            (0..<count).map { _ in Int.random(in: 0..<5000, using: &dice) }.sorted()
        }
        var compared = 0
        // Equal ones in the order of their lists.
        func isBefore(_ a: MergedLists.Element, _ b: MergedLists.Element) -> Bool {
            compared += 1
            return (lists[a.list][a.index], a.list) < (lists[b.list][b.index], b.list)
        }
        let all = lists.enumerated().flatMap { list, ranks in ranks.indices.map { MergedLists.Element(list: list, index: $0) } }
            .sorted { (lists[$0.list][$0.index], $0.list, $0.index) < (lists[$1.list][$1.index], $1.list, $1.index) }
        let merged = MergedLists(counts: lists.map(\.count), isBefore: isBefore)
        #expect(merged.count == all.count)
        for start in [0, 1, all.count - 3, all.count, 31_000] + (0..<20).map({ _ in Int.random(in: 0..<all.count, using: &dice) }) {
            compared = 0
            let found = merged.elements(start..<start + 20)
            #expect(compared < 3_000, "\(compared) at \(start)")
            #expect(found == Array(all[start..<min(start + 20, all.count)]))
            if let first = found.first { #expect(merged.index(of: first) == start) }
        }
    }
}
