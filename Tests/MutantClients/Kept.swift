import BankClient
import BankModel
import Platform

/// Rows that were shown once, by their ids.
final class Kept: Sendable {
    private let rows = Locked<[Transaction]>([])

    /// The rows, and such of those shown before as are no longer among them, the latest first.
    func adding(_ new: [Transaction]) -> [Transaction] {
        rows.withLock { rows in
            let ids = Set(new.map(\.id))
            let old = rows.filter { !ids.contains($0.id) }
            rows = new + old
            return rows.enumerated().sorted { ($1.element.date, $0.offset) < ($0.element.date, $1.offset) }.map(\.element)
        }
    }
}
