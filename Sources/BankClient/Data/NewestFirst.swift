import BankModel

/// A transaction as an adapter reads it, with what orders it: an instant or a day.
protocol DatedRow: Sendable, Hashable {
    associatedtype Time: Comparable
    var transaction: Transaction { get }
    var at: Time { get }
}

extension Listing where Row: DatedRow {
    /// One row of each id, the latest first.
    ///
    /// - Of rows with one id the newest counts, wherever it stands. Of those equally new the one that came last, as it was
    ///   read last: never both, or money is counted twice.
    /// - Rows of the same time stay in the bank's order.
    func newestFirst() -> Listing<Row> {
        var places: [String: Int] = [:]
        for (place, row) in rows.enumerated() {
            if let kept = places[row.transaction.id], rows[kept].at > row.at { continue }
            places[row.transaction.id] = place
        }
        var newest = self
        newest.rows = places.values.sorted { (rows[$1].at, $0) < (rows[$0].at, $1) }.map { rows[$0] }
        return newest
    }

    /// What is shown of each row.
    var transactions: Listing<Transaction> { Listing<Transaction>(rows.map(\.transaction), setAside: setAside, isComplete: isComplete) }
}
