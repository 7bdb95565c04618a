import BankModel

/// The rows that operations added to one table, in the order in which they did.
package struct AddedRows: Sendable {
    package private(set) var rows: [TableRow] = []
    /// Where the first row of each key stands.
    private var first: [String: Int32] = [:]
    /// Of keys that several rows have, such as the stages of one: where the others stand.
    private var more: [String: [Int32]] = [:]

    package init() {}

    /// Adds a row.
    mutating func append(_ row: TableRow) {
        if first[row.key] == nil { first[row.key] = Int32(rows.count) } else { more[row.key, default: []].append(Int32(rows.count)) }
        rows.append(row)
    }

    /// Takes back the row that was added last.
    mutating func removeLast() {
        guard let row = rows.popLast() else { return }
        if more[row.key] != nil {
            more[row.key]?.removeLast()
            if more[row.key]?.isEmpty == true { more[row.key] = nil }
        } else {
            first[row.key] = nil
        }
    }

    /// The rows that there are at an instant of the session's clock.
    func present(at now: Instant) -> [TableRow] { rows.filter { $0.isThere(at: now) } }

    /// The first row of that key that there is at an instant.
    func row(key: String, at now: Instant) -> TableRow? {
        guard let place = first[key] else { return nil }
        if rows[Int(place)].isThere(at: now) { return rows[Int(place)] }
        return more[key]?.lazy.map { rows[Int($0)] }.first { $0.isThere(at: now) }
    }
}

extension TableRow {
    /// Whether the row is to be seen at an instant of the session's clock.
    func isThere(at now: Instant) -> Bool { since <= now && now < until }
}
