import BankModel

/// Several lists as one, in an order that each of them already has. Nothing is moved; an index in the whole is found with a
/// few comparisons, whatever the lengths.
struct MergedLists {
    /// An element: the number of its list, and its index there.
    struct Element: Hashable {
        let list: Int
        let index: Int
    }

    /// The length of each list.
    let counts: [Int]
    /// Whether an element precedes one of another list; no two of them are equal.
    let isBefore: (Element, Element) -> Bool

    var count: Int { counts.reduce(0, +) }

    /// The elements of a range of the whole, in order.
    func elements(_ range: Range<Int>) -> [Element] {
        var next = indexes(before: range.lowerBound)
        var found: [Element] = []
        found.reserveCapacity(range.count)
        while found.count < range.count {
            var first: Element?
            for list in counts.indices where next[list] < counts[list] {
                let candidate = Element(list: list, index: next[list])
                if first.map({ isBefore(candidate, $0) }) ?? true { first = candidate }
            }
            guard let first else { break }
            found.append(first)
            next[first.list] += 1
        }
        return found
    }

    /// The index of an element in the whole.
    func index(of element: Element) -> Int {
        counts.indices.reduce(0) { sum, list in sum + (list == element.list ? element.index : count(in: list, before: element)) }
    }

    /// The number of elements of each list before an index of the whole.
    private func indexes(before index: Int) -> [Int] {
        var low = counts.map { _ in 0 }
        if index <= 0 { return low }
        var high = counts
        if index >= count { return high }
        while true {
            // The middle of the longest undecided part, and everything before it.
            guard let longest = counts.indices.max(by: { high[$0] - low[$0] < high[$1] - low[$1] }), high[longest] > low[longest] else {
                return low
            }
            let pivot = Element(list: longest, index: (low[longest] + high[longest]) / 2)
            let before = counts.indices.map { list in
                list == longest ? pivot.index : count(in: list, before: pivot, from: low[list], to: high[list])
            }
            let sum = before.reduce(0, +)
            if sum == index { return before }
            if sum < index {
                low = before
                low[longest] += 1
            } else {
                high = before
            }
        }
    }

    /// The number of elements of a list before an element of another.
    private func count(in list: Int, before element: Element, from first: Int = 0, to last: Int? = nil) -> Int {
        (first..<(last ?? counts[list])).partitioningIndex { !isBefore(Element(list: list, index: $0), element) }
    }
}
