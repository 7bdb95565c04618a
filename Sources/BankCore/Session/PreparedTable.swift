package import BankModel
import Synchronization

/// A table with its rows in the order of listing, and the indexes that its queries need; each is made when first asked for.
final class PreparedTable: Sendable {
    let table: Table
    private let lazy = Mutex(Lazy())

    private struct Lazy {
        var listing: Listing?
        var indexes: [[String]: [String: [Int32]]] = [:]
        var visible: [String: [Int32]] = [:]
    }

    /// The rows in the order of listing.
    private struct Listing: Sendable {
        /// The fixture's row at each position; nil: the same.
        var order: [Int32]?
        /// Where each of the fixture's rows stands; nil: the same.
        var positions: [Int32]?
        /// By position; empty for a table without order.
        var ranks: [TableRow.Rank] = []
    }

    init(_ table: Table) { self.table = table }

    var count: Int { table.rows.count }

    /// The row at a position.
    func row(_ position: Int) -> TableRow {
        let listing = listing
        let row = listing.order.map { Int($0[position]) } ?? position
        return TableRow(table.rows[row], table, rank: listing.ranks.isEmpty ? .text("") : listing.ranks[position])
    }

    /// What the row at a position is ordered by.
    func rank(_ position: Int) -> TableRow.Rank { listing.ranks.isEmpty ? .text("") : listing.ranks[position] }

    /// The positions of a key's rows, ascending.
    func positions(ofKey key: String) -> [Int] {
        let rows = table.rows.rows(of: key, in: table.key)
        guard let positions = listing.positions else { return rows }
        return rows.map { Int(positions[$0]) }.sorted()
    }

    /// The positions of the rows whose fields have those plain texts, ascending; perhaps of others too, if a text has the separator
    /// in it. Dates that follow the session are not texts.
    func positions(where fields: [String], are texts: [String]) -> [Int32] {
        index(on: fields)[PreparedTable.joined(texts)] ?? []
    }

    /// The positions of the rows that a customer sees, ascending; remembered for the next time.
    ///
    /// - Parameters:
    ///   - field: names a row's parent.
    ///   - login: the customer's.
    ///   - isSeen: whether the customer sees the parent of that key.
    func positions(by field: String, visibleTo login: String, _ isSeen: (String) -> Bool) -> [Int32] {
        if let positions = lazy.withLock({ $0.visible[login] }) { return positions }
        // Not under the lock: a row's parent may stand in this table.
        let positions = index(on: [field]).filter { isSeen($0.key) }.flatMap(\.value).sorted()
        lazy.withLock { $0.visible[login] = positions }
        return positions
    }

    /// Stands between the texts of several fields.
    static let separator: UInt8 = 0x1F

    private static func joined(_ texts: [String]) -> String { texts.joined(separator: "\u{1F}") }

    private var listing: Listing {
        lazy.withLock { lazy in
            if let listing = lazy.listing { return listing }
            let listing = PreparedTable.listing(of: table)
            lazy.listing = listing
            return listing
        }
    }

    private func index(on fields: [String]) -> [String: [Int32]] {
        let order = listing.order
        return lazy.withLock { lazy in
            if let index = lazy.indexes[fields] { return index }
            var index: [String: [Int32]] = [:]
            for position in 0..<count {
                let row = order.map { Int($0[position]) } ?? position
                let texts = fields.compactMap { table.rows.text($0, row) }
                if texts.count == fields.count { index[PreparedTable.joined(texts), default: []].append(Int32(position)) }
            }
            lazy.indexes[fields] = index
            return index
        }
    }

    /// Stable: rows of one rank keep the fixture's order.
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

/// One row, and where it stands in its table's order.
package struct TableRow: Sendable {
    package let key: String
    package let fields: JSONObject
    let rank: Rank
    /// From when it is there, by the session's clock; a fixture's row was there before all.
    package let since: Instant
    /// When it is there no more.
    package let until: Instant

    /// A fixture's row.
    ///
    /// - Parameter rank: nil: as its fields say.
    init(_ fields: JSONObject, _ table: Table, rank: Rank? = nil) {
        self.init(fields, table, rank: rank, since: Instant(nanoseconds: .min), until: Instant(nanoseconds: .max))
    }

    /// A row that an operation added.
    package init(_ fields: JSONObject, _ table: Table, since: Instant, until: Instant = Instant(nanoseconds: .max)) {
        self.init(fields, table, rank: nil, since: since, until: until)
    }

    private init(_ fields: JSONObject, _ table: Table, rank: Rank?, since: Instant, until: Instant) {
        (self.fields, self.since, self.until) = (fields, since, until)
        key = fields[table.key]?.plainText ?? ""
        self.rank = rank ?? table.order.flatMap { JSON.object(fields).at($0.field) }.map { Rank($0) } ?? .text("")
    }

    /// What rows are ordered by: numbers by value, dates by time, all else by text. A fixture has one sort only; dates that follow
    /// the session come before the instants of rows that operations add.
    enum Rank: Sendable, Comparable {
        case number(Int64)
        /// Nanoseconds from the midnight of the session's first day.
        case relative(Int64)
        /// Nanoseconds since the epoch.
        case time(Int64)
        case text(String)

        init(text: String) {
            if let relative = RelativeDate(text) {
                self = .relative(relative.offset)
            } else if let instant = Instant(rfc3339: text) {
                self = .time(instant.nanoseconds)
            } else {
                self = .text(text)
            }
        }

        /// A text of digits is no number.
        init(_ value: JSON) {
            if let number = value.number?.int64 { self = .number(number) } else { self.init(text: value.plainText) }
        }

        /// Nanoseconds since the epoch in a session that started then, of a day those of its beginning in UTC; nil for what is no
        /// date.
        func nanoseconds(start: Instant) -> Int64? {
            switch self {
            case .relative(let offset): RelativeDate.instant(offset: offset, start: start).nanoseconds
            case .time(let time): time
            case .text(let text): CivilDate(text).map { Instant($0, nanosecondsOfDay: 0).nanoseconds }
            case .number: nil
            }
        }

        /// Whether both are numbers, both dates of one sort, or both texts.
        func isOfOneSort(with other: Rank) -> Bool {
            switch (self, other) {
            case (.number, .number), (.relative, .relative), (.time, .time), (.text, .text): true
            default: false
            }
        }
    }
}
