import BankModel

/// A transaction as an adapter reads it, with its sort key: an instant or a day.
protocol DatedRow: Sendable, Hashable {
    associatedtype Time: Comparable
    var transaction: Transaction { get }
    var at: Time { get }
}

extension Listing where Row: DatedRow {
    /// One row per id, latest first.
    ///
    /// - Rows with the same id count once, the newest of them. Among equally new ones the last read counts: counting both
    ///   would count money twice.
    /// - Rows of the same time stay in the bank's order.
    func newestFirst() -> Listing<Row> {
        var indexes: [String: Int] = [:]
        for (index, row) in rows.enumerated() {
            if let kept = indexes[row.transaction.id], rows[kept].at > row.at { continue }
            indexes[row.transaction.id] = index
        }
        var newest = self
        newest.rows = indexes.values.sorted { (rows[$1].at, $0) < (rows[$0].at, $1) }.map { rows[$0] }
        return newest
    }

    var transactions: Listing<Transaction> { Listing<Transaction>(rows.map(\.transaction), setAside: setAside, isComplete: isComplete) }
}
