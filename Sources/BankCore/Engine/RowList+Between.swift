import BankModel

extension RowList {
    /// The rows between two instants, both included, by the dates that the table is ordered by: found, not looked for. Only odd
    /// dates are looked at one by one.
    ///
    /// - Parameters:
    ///   - start: when the session started; relative dates follow it.
    ///   - isWanted: whether a row that an operation added is between them.
    func between(_ from: Instant?, _ to: Instant?, start: Instant, _ isWanted: (TableRow) -> Bool) -> RowList {
        let (from, to) = (from?.nanoseconds ?? .min, to?.nanoseconds ?? .max)
        let descends = table.table.order?.descending ?? false
        func rank(_ place: Int) -> TableRow.Rank { table.rank(base[place]) }
        func time(_ place: Int) -> Int64? { rank(place).nanoseconds(start: start) }
        var found: [Range<Int>] = []
        func add(_ range: Range<Int>) {
            if let last = found.last, last.upperBound == range.lowerBound {
                found[found.count - 1] = last.lowerBound..<range.upperBound
            } else if !range.isEmpty {
                found.append(range)
            }
        }
        // Each sort of rank in a run of its own.
        var place = 0
        while place < base.count {
            let first = rank(place)
            let run = place..<base.firstPlace(in: place..<base.count) { !rank($0).isOfOneSort(with: first) }
            switch first {
            case .number: break
            case .relative, .time:
                let begin = base.firstPlace(in: run) { place in time(place).map { descends ? $0 <= to : $0 >= from } ?? true }
                let end = base.firstPlace(in: run) { place in time(place).map { descends ? $0 < from : $0 > to } ?? true }
                add(begin..<max(begin, end))
            case .text: for place in run where time(place).map({ from <= $0 && $0 <= to }) ?? false { add(place..<place + 1) }
            }
            place = run.upperBound
        }
        let kept: Base =
            found.count > 1
            ? .some(found.flatMap { range in range.map { Int32(base[$0]) } }[...]) : base.part(found.first ?? 0..<0)
        return RowList(table, kept, added: added.filter(isWanted))
    }
}
