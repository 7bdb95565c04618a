import BankModel

/// The rows that operations added to one table, in the order in which they did.
package struct AddedRows: Sendable {
    package private(set) var rows: [TableRow] = []
    /// Where the first row of each key stands.
    private var first: [String: Int32] = [:]
    /// For each row, where the next one of its key stands, such as the next stage of the same; -1 after the last.
    private var next: [Int32] = []

    package init() {}

    /// Adds a row.
    mutating func append(_ row: TableRow) {
        let place = Int32(rows.count)
        let first = AddedRows.take(place, unless: &first[row.key])
        if first != place { next[last(after: first)] = place }
        rows.append(row)
        next.append(-1)
    }

    /// Sets a place that is not set yet, with one look-up of its key.
    private static func take(_ place: Int32, unless known: inout Int32?) -> Int32 {
        if let known { return known }
        known = place
        return place
    }

    /// Where the last row of a key stands.
    private func last(after first: Int32) -> Int {
        var place = Int(first)
        while next[place] >= 0 { place = Int(next[place]) }
        return place
    }

    /// Takes back the row that was added last.
    mutating func removeLast() {
        guard let row = rows.popLast(), let first = first[row.key] else { return }
        next.removeLast()
        if Int(first) == rows.count {
            self.first[row.key] = nil
        } else {
            var place = Int(first)
            while Int(next[place]) < rows.count { place = Int(next[place]) }
            next[place] = -1
        }
    }

    /// The rows that there are at an instant of the session's clock.
    func present(at now: Instant) -> [TableRow] { rows.filter { $0.isThere(at: now) } }

    /// The first row of that key that there is at an instant.
    func row(key: String, at now: Instant) -> TableRow? {
        var place = first[key] ?? -1
        while place >= 0 {
            if rows[Int(place)].isThere(at: now) { return rows[Int(place)] }
            place = next[Int(place)]
        }
        return nil
    }
}

extension TableRow {
    /// Whether the row is to be seen at an instant of the session's clock.
    func isThere(at now: Instant) -> Bool { since <= now && now < until }
}
