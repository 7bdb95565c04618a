import BankModel

extension RowList {
    /// The rows between two instants, both included, by the dates that order the table, found by binary search. Only odd
    /// dates are examined one by one.
    ///
    /// - Parameter start: when the session started; relative dates follow it.
    func between(_ from: Instant?, _ to: Instant?, start: Instant) -> RowList {
        let descends = table.table.order?.descending ?? false
        let range = DateRange(from: from?.nanoseconds ?? .min, to: to?.nanoseconds ?? .max, start: start, descends: descends)
        let found = range.places(count: base.count) { table.rank(base[$0]) }
        let kept: Base =
            found.count > 1
            ? .some(found.flatMap { range in range.map { Int32(base[$0]) } }[...]) : base.part(found.first ?? 0..<0)
        let runs = runs.flatMap { run in
            range.places(count: run.range.count) { row(run[$0])?.rank ?? .text("") }.map { places in
                Run(run.numbers, run.range.lowerBound + places.lowerBound..<run.range.lowerBound + places.upperBound)
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

    /// The places of the ranks between them, in order.
    func places(count: Int, _ rank: (Int) -> TableRow.Rank) -> [Range<Int>] {
        func time(_ place: Int) -> Int64? { rank(place).nanoseconds(start: start) }
        var found: [Range<Int>] = []
        func add(_ range: Range<Int>) {
            if let last = found.last, last.upperBound == range.lowerBound {
                found[found.count - 1] = last.lowerBound..<range.upperBound
            } else if !range.isEmpty {
                found.append(range)
            }
        }
        // Each sort of rank has a separate run.
        var place = 0
        while place < count {
            let first = rank(place)
            let run = place..<(place..<count).firstPlace { !rank($0).isOfOneSort(with: first) }
            switch first {
            case .number: break
            case .relative, .time:
                let begin = run.firstPlace { place in time(place).map { descends ? $0 <= to : $0 >= from } ?? true }
                let end = run.firstPlace { place in time(place).map { descends ? $0 < from : $0 > to } ?? true }
                add(begin..<max(begin, end))
            case .text: for place in run where time(place).map({ from <= $0 && $0 <= to }) ?? false { add(place..<place + 1) }
            }
            place = run.upperBound
        }
        return found
    }
}
