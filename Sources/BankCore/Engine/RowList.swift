import BankModel
import Platform

/// Rows of a table in the order of listing: some of the fixture's, with rows that operations added between them. Nothing is
/// copied, and only the requested rows are read, and some on the way to them.
struct RowList {
    let table: PreparedTable
    let base: Base
    /// The rows that operations added; nil if there are none.
    let added: AddedRows?
    /// The added rows in the list.
    let runs: [Run]
    /// Counts the added rows that are examined; nil counts nothing.
    let rowScans: RowScanCounter?
    private let order: RowOrder

    /// Positions of the fixture's rows, ascending.
    enum Base {
        case all(Range<Int>)
        case some(ArraySlice<Int32>)

        var count: Int {
            switch self {
            case .all(let range): range.count
            case .some(let positions): positions.count
            }
        }

        subscript(_ index: Int) -> Int {
            switch self {
            case .all(let range): range.lowerBound + index
            case .some(let positions): Int(positions[positions.startIndex + index])
            }
        }

        /// The part in a range of indexes.
        func part(_ range: Range<Int>) -> Base {
            switch self {
            case .all(let all): .all(all.lowerBound + range.lowerBound..<all.lowerBound + range.upperBound)
            case .some(let positions): .some(positions[positions.startIndex + range.lowerBound..<positions.startIndex + range.upperBound])
            }
        }

        /// The index of a position.
        func index(of position: Int) -> Int? {
            let index = (0..<count).partitioningIndex { self[$0] >= position }
            return index < count && self[index] == position ? index : nil
        }
    }

    /// A part of one owner's added rows, in the order of listing.
    struct Run {
        let numbers: SortedNumbers
        let range: Range<Int>

        init(_ numbers: SortedNumbers, _ range: Range<Int>? = nil) {
            self.numbers = numbers
            self.range = range ?? 0..<numbers.count
        }

        /// The number of the row at an index of the run.
        subscript(_ index: Int) -> Int32 { numbers[range.lowerBound + index] }
    }

    init(_ table: PreparedTable, _ base: Base, _ added: AddedRows? = nil, runs: [Run] = [], rowScans: RowScanCounter? = nil) {
        self.table = table
        self.base = base
        self.added = added
        self.rowScans = rowScans
        order = RowOrder(table.table)
        self.runs = runs.filter { !$0.range.isEmpty }
    }

    /// The list with others of its rows.
    func with(_ base: Base, _ runs: [Run]) -> RowList { RowList(table, base, added, runs: runs, rowScans: rowScans) }

    var count: Int { merged.count }

    /// The row at an index.
    subscript(_ index: Int) -> TableRow { rows(index..<index + 1)[0] }

    /// The rows of a range of indexes, as far as there are any.
    func rows(_ range: Range<Int>) -> [TableRow] {
        if runs.isEmpty { return range.clamped(to: 0..<base.count).map { table.row(base[$0]) } }
        return merged.elements(range).compactMap { element in
            element.list < runs.count ? row(runs[element.list][element.index]) : table.row(base[element.index])
        }
    }

    /// The indexes of a key's rows, ascending.
    func indexes(ofKey key: String) -> [Int] {
        let merged = merged
        let fixtures = table.positions(ofKey: key).compactMap { base.index(of: $0) }
        var elements = fixtures.map { MergedLists.Element(list: runs.count, index: $0) }
        for number in added?.numbers(ofKey: key) ?? [] {
            for (list, run) in runs.enumerated() {
                let index = (0..<run.range.count).partitioningIndex { !isBefore(run[$0], number) }
                if index < run.range.count, run[index] == number { elements.append(MergedLists.Element(list: list, index: index)) }
            }
        }
        return elements.map(merged.index).sorted()
    }

    /// The list without the rows for which the predicate is false; every row is examined.
    func filtered(_ isWanted: (TableRow) -> Bool) -> RowList {
        var kept: [Int32] = []
        for index in 0..<base.count where isWanted(table.row(base[index])) { kept.append(Int32(base[index])) }
        let runs = runs.map { run in
            Run(SortedNumbers(sorted: run.numbers.numbers(run.range).filter { row($0).map(isWanted) ?? false }))
        }
        return with(.some(kept[...]), runs)
    }

    // MARK: order

    /// The runs, and behind them the fixture's rows, as one list.
    private var merged: MergedLists {
        MergedLists(counts: runs.map(\.range.count) + [base.count]) { a, b in
            switch (a.list < runs.count, b.list < runs.count) {
            case (true, true): isBefore(runs[a.list][a.index], runs[b.list][b.index])
            case (true, false): isBefore(added: runs[a.list][a.index], base: b.index)
            case (false, true): !isBefore(added: runs[b.list][b.index], base: a.index)
            case (false, false): a.index < b.index
            }
        }
    }

    /// The row that was added as that number.
    func row(_ number: Int32) -> TableRow? {
        rowScans?.add()
        return added?.rows[Int(number)]
    }

    private func isBefore(_ a: Int32, _ b: Int32) -> Bool {
        rowScans?.add()
        return added.map { order.isBefore($0.rows, a, b) } ?? false
    }

    /// Whether an added row is listed before one of the fixture's: of equal rank by their positions.
    private func isBefore(added number: Int32, base index: Int) -> Bool {
        guard let row = row(number) else { return false }
        if order.isByRank {
            let other = table.rank(base[index])
            if other != row.rank { return order.descends ? other < row.rank : row.rank < other }
        }
        return order.isBefore(row.position ?? .added(number), .fixture(Int32(base[index])))
    }

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

/// Counts the added rows that queries examine: a measure of cost that does not depend on the machine.
package final class RowScanCounter: Sendable {
    private let number = Locked(0)

    package init() {}

    /// The number so far.
    package var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
