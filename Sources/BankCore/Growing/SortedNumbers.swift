/// Numbers in an order that their owner knows, such as rows by their dates. Finding, inserting and removing one among a
/// million takes some twenty comparisons. A copy shares all chunks, and the first change after a copy moves one of them.
struct SortedNumbers: Sendable {
    /// None is empty.
    private var chunks: [[Int32]] = []
    /// The size of each chunk: a place is found by their sums, without a look into the chunks.
    private var sizes: [Int32] = []
    private(set) var count = 0

    private static let largest = 1024

    init() {}

    /// - Parameter sorted: in the owner's order.
    init(sorted: [Int32]) {
        for start in stride(from: 0, to: sorted.count, by: SortedNumbers.largest) {
            chunks.append(Array(sorted[start..<min(start + SortedNumbers.largest, sorted.count)]))
        }
        sizes = chunks.map { Int32($0.count) }
        count = sorted.count
    }

    var isEmpty: Bool { count == 0 }

    var first: Int32? { chunks.first?.first }

    var last: Int32? { chunks.last?.last }

    /// The number at a place.
    subscript(_ place: Int) -> Int32 {
        var (left, chunk) = (place, 0)
        while left >= Int(sizes[chunk]) {
            left -= Int(sizes[chunk])
            chunk += 1
        }
        return chunks[chunk][left]
    }

    /// The numbers of a range of places, in order.
    func numbers(_ range: Range<Int>) -> [Int32] {
        var found: [Int32] = []
        found.reserveCapacity(range.count)
        var start = 0
        for chunk in chunks where start < range.upperBound {
            let here = range.clamped(to: start..<start + chunk.count)
            found += chunk[here.lowerBound - start..<here.upperBound - start]
            start += chunk.count
        }
        return found
    }

    /// The first place for whose number the predicate holds, which must hold for all after it too; the end if it holds for
    /// none.
    func firstPlace(where holds: (Int32) -> Bool) -> Int {
        let (chunk, place) = spot(holds)
        return sizes[..<chunk].reduce(place) { $0 + Int($1) }
    }

    /// Inserts a number before the first for which the predicate holds, which must hold for all after it too.
    mutating func insert(_ number: Int32, beforeFirstWhere holds: (Int32) -> Bool) {
        count += 1
        guard !chunks.isEmpty else {
            (chunks, sizes) = ([[number]], [1])
            return
        }
        var (chunk, place) = spot(holds)
        if chunk == chunks.count { (chunk, place) = (chunk - 1, chunks[chunk - 1].count) }
        if chunks[chunk].count < SortedNumbers.largest {
            chunks[chunk].insert(number, at: place)
            sizes[chunk] += 1
        } else if place == SortedNumbers.largest || place == 0 {
            // Most numbers arrive at one of the ends: the full chunk remains full.
            chunks.insert([number], at: place == 0 ? chunk : chunk + 1)
            sizes.insert(1, at: place == 0 ? chunk : chunk + 1)
        } else {
            let half = SortedNumbers.largest / 2
            var (lower, upper) = (Array(chunks[chunk][..<half]), Array(chunks[chunk][half...]))
            if place <= half { lower.insert(number, at: place) } else { upper.insert(number, at: place - half) }
            chunks.replaceSubrange(chunk...chunk, with: [lower, upper])
            sizes.replaceSubrange(chunk...chunk, with: [Int32(lower.count), Int32(upper.count)])
        }
    }

    /// Removes a number, if it is at the place that its owner's order implies.
    ///
    /// - Parameter holds: whether a number is the one or follows it.
    mutating func remove(_ number: Int32, atFirstWhere holds: (Int32) -> Bool) {
        let (chunk, place) = spot(holds)
        guard chunk < chunks.count, chunks[chunk][place] == number else { return }
        remove(chunk, place)
    }

    /// Removes the first number.
    mutating func removeFirst() { if !chunks.isEmpty { remove(0, 0) } }

    private mutating func remove(_ chunk: Int, _ place: Int) {
        count -= 1
        sizes[chunk] -= 1
        chunks[chunk].remove(at: place)
        let next = chunk + 1
        if sizes[chunk] == 0 {
            chunks.remove(at: chunk)
            sizes.remove(at: chunk)
        } else if next < chunks.count, sizes[chunk] < SortedNumbers.largest / 8,
            Int(sizes[chunk] + sizes[next]) <= SortedNumbers.largest / 2
        {
            chunks[chunk] += chunks[next]
            sizes[chunk] += sizes[next]
            chunks.remove(at: next)
            sizes.remove(at: next)
        }
    }

    /// The chunk and the place in it of the first number for which the predicate holds; after the last chunk if it holds for
    /// none.
    private func spot(_ holds: (Int32) -> Bool) -> (chunk: Int, place: Int) {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(chunks[middle][chunks[middle].count - 1]) { high = middle } else { low = middle + 1 }
        }
        guard low < chunks.count else { return (low, 0) }
        let chunk = low
        (low, high) = (0, chunks[chunk].count - 1)
        while low < high {
            let middle = (low + high) / 2
            if holds(chunks[chunk][middle]) { high = middle } else { low = middle + 1 }
        }
        return (chunk, low)
    }
}

extension SortedNumbers: Equatable {
    static func == (a: SortedNumbers, b: SortedNumbers) -> Bool { a.count == b.count && a.numbers(0..<a.count) == b.numbers(0..<b.count) }
}
