import BankModel

/// The rows that operations added to one table, in the order in which they did.
package struct AddedRows: Sendable {
    package private(set) var rows: [TableRow] = []
    /// Where the rows of each key stand.
    private var places: [String: [Int]] = [:]

    package init() {}

    /// Adds a row.
    mutating func append(_ row: TableRow) {
        places[row.key, default: []].append(rows.count)
        rows.append(row)
    }

    /// Takes back the row that was added last.
    mutating func removeLast() {
        guard let row = rows.popLast() else { return }
        places[row.key]?.removeLast()
        if places[row.key]?.isEmpty == true { places[row.key] = nil }
    }

    /// The rows that there are at an instant of the session's clock.
    func present(at now: Instant) -> [TableRow] { rows.filter { $0.isThere(at: now) } }

    /// The first row of that key that there is at an instant.
    func row(key: String, at now: Instant) -> TableRow? {
        places[key]?.lazy.map { rows[$0] }.first { $0.isThere(at: now) }
    }
}

extension TableRow {
    /// Whether the row is to be seen at an instant of the session's clock.
    func isThere(at now: Instant) -> Bool { since <= now && now < until }
}
