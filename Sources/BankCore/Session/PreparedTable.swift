import BankModel
import Platform

/// A table with its rows in the order of listing, and the indexes for its queries; each is built on first use.
///
/// The rows of a small table are sorted at once: every payment looks up its accounts, and should neither wait for a lock nor
/// parse a row twice.
final class PreparedTable: Sendable {
    let table: Table
    /// The sorted sets of fields by which the bank's operations query its rows; without the key and the owner's field.
    let askedBy: [[String]]
    private let small: Small?
    private let lazy = Locked(Lazy())

    private struct Lazy {
        var listing: Listing?
        /// By the fields, then by their texts.
        var indexes: [[String]: [[String]: [Int32]]] = [:]
        var visible: [String: [Int32]] = [:]
    }

    /// The rows in the order of listing.
    private struct Listing: Sendable {
        /// The fixture's row at each position; nil if the order is the fixture's.
        var order: [Int32]?
        /// The position of each of the fixture's rows; nil if the order is the fixture's.
        var positions: [Int32]?
        /// By position; empty for a table without order.
        var ranks: [TableRow.Rank] = []

        func row(_ position: Int, of table: Table) -> TableRow {
            let row = order.map { Int($0[position]) } ?? position
            return TableRow(table.rows[row], table, rank: ranks.isEmpty ? .text("") : ranks[position])
        }
    }

    /// The values known from the start for a table with few rows.
    private struct Small: Sendable {
        let listing: Listing
        let rows: [TableRow]
        /// The first position of each key.
        let first: [String: Int]

        init(_ table: Table) {
            let listing = PreparedTable.listing(of: table)
            let rows = table.rows.indices.map { listing.row($0, of: table) }
            self.listing = listing
            self.rows = rows
            first = Dictionary(rows.enumerated().map { ($0.element.key, $0.offset) }) { first, _ in first }
        }
    }

    /// Tables with more rows are sorted on first use.
    private static let mostRows = 1000

    init(_ table: Table, askedBy: Set<[String]> = []) {
        self.table = table
        self.askedBy = askedBy.sorted { $0.lexicographicallyPrecedes($1) }
        small = table.rows.isScanned || table.rows.count > PreparedTable.mostRows ? nil : Small(table)
    }

    var count: Int { table.rows.count }

    func row(_ position: Int) -> TableRow { small?.rows[position] ?? listing.row(position, of: table) }

    /// The sort key of the row at a position.
    func rank(_ position: Int) -> TableRow.Rank {
        let ranks = listing.ranks
        return ranks.isEmpty ? .text("") : ranks[position]
    }

    /// The first row with a key, in the order of listing.
    func row(ofKey key: String) -> TableRow? {
        if let small { return small.first[key].map { small.rows[$0] } }
        return positions(ofKey: key).first.map(row)
    }

    /// The positions of a key's rows, ascending.
    func positions(ofKey key: String) -> [Int] {
        let rows = table.rows.rows(of: key, in: table.key)
        guard let positions = listing.positions else { return rows }
        return rows.map { Int(positions[$0]) }.sorted()
    }

    /// The positions of the rows whose fields have those plain texts, ascending. Dates that follow the session are not texts.
    func positions(where fields: [String], are texts: [String]) -> [Int32] { index(on: fields)[texts] ?? [] }

    /// The positions of the rows that a customer sees, ascending; cached.
    ///
    /// - Parameters:
    ///   - field: the field with the key of a row's parent.
    ///   - login: the customer's.
    ///   - isSeen: whether the customer sees the parent with that key.
    func positions(by field: String, visibleTo login: String, _ isSeen: (String) -> Bool) -> [Int32] {
        if let positions = lazy.withLock({ $0.visible[login] }) { return positions }
        // Not under the lock: a row's parent may be in this table.
        let positions = index(on: [field]).filter { $0.key.allSatisfy(isSeen) }.flatMap(\.value).sorted()
        lazy.withLock { $0.visible[login] = positions }
        return positions
    }

    private var listing: Listing {
        if let small { return small.listing }
        return lazy.withLock { lazy in
            if let listing = lazy.listing { return listing }
            let listing = PreparedTable.listing(of: table)
            lazy.listing = listing
            return listing
        }
    }

    private func index(on fields: [String]) -> [[String]: [Int32]] {
        let order = listing.order
        return lazy.withLock { lazy in
            if let index = lazy.indexes[fields] { return index }
            var index: [[String]: [Int32]] = [:]
            for position in 0..<count {
                let row = order.map { Int($0[position]) } ?? position
                let texts = fields.compactMap { table.rows.text($0, row) }
                if texts.count == fields.count { index[texts, default: []].append(Int32(position)) }
            }
            lazy.indexes[fields] = index
            return index
        }
    }

    /// Stable: rows of one rank retain the fixture's order.
    private static func listing(of table: Table) -> Listing {
        guard let order = table.order else { return Listing() }
        let ranks = table.rows.indices.map { row in
            table.rows.value(order.field, row).map { TableRow.Rank($0) } ?? TableRow.Rank.text("")
        }
        func isBefore(_ a: Int32, _ b: Int32) -> Bool {
            let (one, other) = (ranks[Int(a)], ranks[Int(b)])
            if one == other { return a < b }
            return order.descending ? other < one : one < other
        }
        let rows = ranks.indices.map { Int32($0) }
        guard zip(rows, rows.dropFirst()).contains(where: { !isBefore($0, $1) }) else { return Listing(ranks: ranks) }
        let sorted = rows.sorted(by: isBefore)
        var positions = rows
        for (position, row) in sorted.enumerated() { positions[Int(row)] = Int32(position) }
        return Listing(order: sorted, positions: positions, ranks: sorted.map { ranks[Int($0)] })
    }
}
