import BankModel

/// Rows of a table in the order of listing: some of the fixture's, with rows that operations added between them. Nothing is
/// copied but the added ones.
struct RowList {
    let table: PreparedTable
    let base: Base
    /// In the order of listing.
    let added: [TableRow]
    /// Where each of them stands in the whole list, ascending.
    private let places: [Int]

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

        subscript(_ place: Int) -> Int {
            switch self {
            case .all(let range): range.lowerBound + place
            case .some(let positions): Int(positions[positions.startIndex + place])
            }
        }

        /// The part of it in a range of places.
        func part(_ range: Range<Int>) -> Base {
            switch self {
            case .all(let all): .all(all.lowerBound + range.lowerBound..<all.lowerBound + range.upperBound)
            case .some(let positions): .some(positions[positions.startIndex + range.lowerBound..<positions.startIndex + range.upperBound])
            }
        }

        /// Where a position stands in it.
        func place(of position: Int) -> Int? {
            let place = firstPlace { self[$0] >= position }
            return place < count && self[place] == position ? place : nil
        }

        /// The first place for which something holds that holds for all behind it too; the end if it holds for none.
        ///
        /// - Parameter range: the places that are looked at; nil: all.
        func firstPlace(in range: Range<Int>? = nil, where holds: (Int) -> Bool) -> Int {
            var (low, high) = (range?.lowerBound ?? 0, range?.upperBound ?? count)
            while low < high {
                let middle = (low + high) / 2
                if holds(middle) { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    /// - Parameter added: rows that operations added, in the order in which they did.
    init(_ table: PreparedTable, _ base: Base, added: [TableRow]) {
        (self.table, self.base) = (table, base)
        guard let order = table.table.order else {
            (self.added, places) = (added, added.indices.map { base.count + $0 })
            return
        }
        let sorted = added.enumerated()
            .sorted { a, b in
                if a.element.rank == b.element.rank { return a.offset < b.offset }
                return order.descending ? b.element.rank < a.element.rank : a.element.rank < b.element.rank
            }
            .map(\.element)
        self.added = sorted
        places = sorted.enumerated().map { number, row in
            number
                + base.firstPlace { place in
                    let other = table.rank(base[place])
                    return order.descending ? other <= row.rank : row.rank <= other
                }
        }
    }

    /// The list with other rows that operations added.
    func with(_ added: [TableRow]) -> RowList { RowList(table, base, added: added) }

    var count: Int { base.count + added.count }

    /// The row at a place.
    subscript(_ place: Int) -> TableRow {
        let number = numberOfAdded(before: place)
        if number < places.count, places[number] == place { return added[number] }
        return table.row(base[place - number])
    }

    /// The rows of a range of places, as far as there are any.
    func rows(_ range: Range<Int>) -> [TableRow] { range.clamped(to: 0..<count).map { self[$0] } }

    /// The places of a key's rows, ascending.
    func places(ofKey key: String) -> [Int] {
        let fixtures = table.positions(ofKey: key).compactMap { base.place(of: $0) }.map { place in place + added(beforeBase: place) }
        let more = zip(added, places).filter { $0.0.key == key }.map(\.1)
        return (fixtures + more).sorted()
    }

    /// The list without the rows for which something holds; every row is looked at.
    func filtered(_ isWanted: (TableRow) -> Bool) -> RowList {
        var kept: [Int32] = []
        for place in 0..<base.count where isWanted(table.row(base[place])) { kept.append(Int32(base[place])) }
        return RowList(table, .some(kept[...]), added: added.filter(isWanted))
    }

    private func numberOfAdded(before place: Int) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// How many added rows stand before the fixture's row of that place.
    private func added(beforeBase place: Int) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] - middle <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
