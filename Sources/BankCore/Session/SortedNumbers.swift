import DequeModule

/// Numbers in an order that their owner knows, such as rows by their dates.
struct SortedNumbers: Sendable, Equatable {
    private var all: Deque<Int32>

    /// - Parameter sorted: in the owner's order.
    init(sorted: [Int32] = []) { all = Deque(sorted) }

    var count: Int { all.count }

    var isEmpty: Bool { all.isEmpty }

    var first: Int32? { all.first }

    var last: Int32? { all.last }

    /// The number at an index.
    subscript(_ index: Int) -> Int32 { all[index] }

    /// The numbers of a range of indexes, in order.
    func numbers(_ range: Range<Int>) -> [Int32] { Array(all[range]) }

    /// The first index for whose number the predicate holds, which must hold for all after it too; the end if it holds for
    /// none.
    func partitioningIndex(where holds: (Int32) -> Bool) -> Int {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(all[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Inserts a number before the first for which the predicate holds, which must hold for all after it too.
    mutating func insert(_ number: Int32, beforeFirstWhere holds: (Int32) -> Bool) {
        all.insert(number, at: partitioningIndex(where: holds))
    }

    /// Removes a number, if it is at the index that its owner's order implies.
    ///
    /// - Parameter holds: whether a number is the one or follows it.
    mutating func remove(_ number: Int32, atFirstWhere holds: (Int32) -> Bool) {
        let index = partitioningIndex(where: holds)
        if index < all.count, all[index] == number { all.remove(at: index) }
    }

    /// Removes the first number.
    mutating func removeFirst() { _ = all.popFirst() }
}
