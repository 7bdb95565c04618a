import BankModel
import Testing

@Suite struct PartitioningIndexTests {
    @Test(arguments: [0..<0, 0..<1, 3..<10, -7..<8])
    func `it is the first number for which the predicate holds, or the end`(range: Range<Int>) {
        for first in range.lowerBound...range.upperBound {
            let found = range.partitioningIndex { $0 >= first }

            #expect(found == first)
        }
    }
}
