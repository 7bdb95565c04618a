package import BankModel

/// A bank with what all its sessions share: the router and the fixtures' indexes.
package final class PreparedBank: Sendable {
    package let bank: Bank
    package let router: RequestRouter
    let tables: [String: PreparedTable]
    /// For each operation, whether its reply depends on nothing but the state, the path, the query and the customer.
    package let isRepeatable: [Bool]
    /// For each operation, the query parameter that names a page; nil where the reply has no pages.
    package let pageParameter: [String?]

    package init(_ bank: Bank) {
        self.bank = bank
        router = RequestRouter(bank.operations)
        tables = bank.tables.mapValues(PreparedTable.init)
        isRepeatable = bank.operations.areRepeatable
        pageParameter = bank.operations.map { $0.paging?.cursor }
    }
}

/// A table's rows, sorted once.
struct PreparedTable: Sendable {
    let table: Table
    /// In the order of listing.
    let rows: [TableRow]
    /// Where the first row of a key stands in `rows`.
    let positions: [String: Int]

    init(_ table: Table) {
        self.table = table
        let rows = table.rows.map { TableRow($0, table) }
        self.rows = table.order.map { order in PreparedTable.sorted(rows, descending: order.descending) } ?? rows
        var positions: [String: Int] = [:]
        for (position, row) in self.rows.enumerated() where positions[row.key] == nil { positions[row.key] = position }
        self.positions = positions
    }

    /// Stable: rows of one date keep the fixture's order.
    private static func sorted(_ rows: [TableRow], descending: Bool) -> [TableRow] {
        rows.enumerated()
            .sorted { a, b in
                if a.element.rank == b.element.rank { return a.offset < b.offset }
                return descending ? b.element.rank < a.element.rank : a.element.rank < b.element.rank
            }
            .map(\.element)
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

    package init(
        _ fields: JSONObject, _ table: Table, since: Instant = Instant(nanoseconds: .min), until: Instant = Instant(nanoseconds: .max)
    ) {
        (self.fields, self.since, self.until) = (fields, since, until)
        key = fields[table.key]?.plainText ?? ""
        rank = table.order.flatMap { JSON.object(fields).at($0.field) }.map(Rank.init) ?? .text("")
    }

    /// What rows are ordered by: dates by time, numbers by value, all else by text.
    enum Rank: Sendable, Comparable {
        /// Nanoseconds: since the epoch, or from the session's day for relative dates (a table has one sort only).
        case time(Int64)
        case text(String)

        init(_ value: JSON) {
            let text = value.plainText
            if let relative = RelativeDate(text) {
                self = .time(relative.offset)
            } else if let instant = Instant(rfc3339: text) {
                self = .time(instant.nanoseconds)
            } else if let number = value.int {
                self = .time(number)
            } else {
                self = .text(text)
            }
        }
    }
}

extension JSON {
    /// A scalar as plain text for comparing with a path or query; empty for null, arrays and objects.
    package var plainText: String {
        switch self {
        case .string(let text): text
        case .number(let number): number.digits
        case .bool(let value): String(value)
        case .null, .array, .object: ""
        }
    }
}
