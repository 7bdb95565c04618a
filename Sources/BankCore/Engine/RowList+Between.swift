import BankModel

extension RowList {
    /// The rows between two instants, both included, by the dates that order the table, found by binary search. Only odd
    /// dates are examined one by one.
    ///
    /// - Parameter start: when the session started; relative dates follow it.
    func between(_ from: Instant?, _ to: Instant?, start: Instant) -> RowList {
        let descends = table.table.order?.descending ?? false
        let range = DateRange(from: from?.nanoseconds ?? .min, to: to?.nanoseconds ?? .max, start: start, descends: descends)
        let found = range.indexes(count: base.count) { table.rank(base[$0]) }
        let kept: Base =
            found.count > 1
            ? .some(found.flatMap { range in range.map { Int32(base[$0]) } }[...]) : base.part(found.first ?? 0..<0)
        let runs = runs.flatMap { run in
            range.indexes(count: run.range.count) { row(run[$0])?.rank ?? .text("") }.map { indexes in
                Run(run.numbers, run.range.lowerBound + indexes.lowerBound..<run.range.lowerBound + indexes.upperBound)
            }
        }
        return with(kept, runs)
    }
}

/// Two instants, both included, among sorted ranks.
private struct DateRange {
    let from: Int64
    let to: Int64
    let start: Instant
    let descends: Bool

    /// The indexes of the ranks between them, in order.
    func indexes(count: Int, _ rank: (Int) -> TableRow.Rank) -> [Range<Int>] {
        func time(_ index: Int) -> Int64? { rank(index).nanoseconds(start: start) }
        var found: [Range<Int>] = []
        func add(_ range: Range<Int>) {
            if let last = found.last, last.upperBound == range.lowerBound {
                found[found.count - 1] = last.lowerBound..<range.upperBound
            } else if !range.isEmpty {
                found.append(range)
            }
        }
        // Each sort of rank has a separate run.
        var index = 0
        while index < count {
            let first = rank(index)
            let run = index..<(index..<count).partitioningIndex { !rank($0).isOfOneSort(with: first) }
            switch first {
            case .number: break
            case .relative, .time:
                let begin = run.partitioningIndex { index in time(index).map { descends ? $0 <= to : $0 >= from } ?? true }
                let end = run.partitioningIndex { index in time(index).map { descends ? $0 < from : $0 > to } ?? true }
                add(begin..<max(begin, end))
            case .text: for index in run where time(index).map({ from <= $0 && $0 <= to }) ?? false { add(index..<index + 1) }
            }
            index = run.upperBound
        }
        return found
    }
}
