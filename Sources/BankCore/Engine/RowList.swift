import BankModel

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
}

extension Range<Int> {
    /// The first number for which the predicate holds, which must hold for all after it too; the end if it holds for none.
    func partitioningIndex(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
