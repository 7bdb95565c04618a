import BankModel

/// The rows by which the bank's API names payments, remembered as long as the payments are pending: their ends are announced by these.
extension SessionState {
    /// A payment's own row; nil if it has none.
    func ownRow(ofPayment number: Int) -> RowID? {
        if let known = webhooks.payments[number] { return known }
        return shown(by: number).last { $0.origin.list == nil }.map { RowID(table: $0.table.table.name, key: $0.row.key) }
    }

    /// Notes the rows of the payments that were pending before there was a webhook: one pass in place of a search for each.
    mutating func notePendingPayments() {
        for (table, added) in rows.added {
            for row in added.rows { webhooks.note(row, of: table) }
        }
        forgetEndedPayments()
    }

    /// Forgets the row of a payment that has ended by this change. The row of one that is returned later is searched, which is rare.
    mutating func forgetEndedPayment(of made: Change) {
        switch made {
        case .added(_, let row): if let origin = row.origin { forgetRow(ofEnded: Int(origin.movement)) }
        case .reended(let number, _, _): forgetRow(ofEnded: number)
        default: break
        }
    }

    /// Forgets the rows of all payments that have ended.
    mutating func forgetEndedPayments() {
        for number in webhooks.payments.keys { forgetRow(ofEnded: number) }
    }

    /// Forgets the row of a payment, unless it is pending.
    mutating func forgetRow(ofEnded number: Int) {
        if ledger.movements.indices.contains(number), ledger.movements[number].state.isPending { return }
        webhooks.forgetRow(ofPayment: number)
    }
}
