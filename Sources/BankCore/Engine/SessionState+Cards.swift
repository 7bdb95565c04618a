import BankModel

/// Card payments of another amount than was reserved, and accounts that are closed.
extension SessionState {
    /// The part of a reserved card payment that is captured; nil for all of it.
    func captured(_ event: BankEvent, of number: Int) throws(EventError) -> Money? {
        let reserved = ledger.movements[number]
        guard let text = event.amount else { return nil }
        let captured = try amount(text, reserved.amount.currency)
        guard captured.minorUnits <= reserved.amount.minorUnits else {
            throw .wrongState(payment: event.payment ?? reserved.id, found: "with \(reserved.amount)", expected: "with \(captured)")
        }
        return captured == reserved.amount ? nil : captured
    }

    /// The amount of a reserved card payment that grows.
    func grown(_ event: BankEvent, of number: Int) throws(EventError) -> Money {
        let reserved = ledger.movements[number].amount
        guard let text = event.amount else { throw .missing("amount", event.kind) }
        let (sum, overflow) = reserved.minorUnits.addingReportingOverflow(try amount(text, reserved.currency).minorUnits)
        guard !overflow else { throw .impossible("the sum does not fit 64 bits of minor units") }
        return Money(minorUnits: sum, currency: reserved.currency)
    }

    /// Replaces a reserved card payment by one of another amount.
    ///
    /// - Returns: the index of the new movement.
    mutating func replace(_ number: Int, by amount: Money, _ event: BankEvent, settles: Bool, at now: Instant) throws(EventError) -> Int {
        let reserved = ledger.movements[number]
        try end(number, as: .cancelled, at: now)
        var new = BankEvent(.cardAuthorised)
        new.account = reserved.from.description
        (new.amount, new.name, new.reference) = (amount.major, reserved.to.id, event.reference)
        return try move(new, isDebit: true, settles: settles, at: now)
    }

    /// Shows an account as closed.
    mutating func closeAccount(_ name: String, at now: Instant) throws(EventError) -> Movement.Account {
        let side = try account(name)
        guard let closed = side.table.table.closed else { throw .neverClosed(table: side.account.table) }
        guard !isClosed(side) else { throw .wrongState(payment: name, found: "closed", expected: "open") }
        replace(side.account.id, of: side.table, at: now) { $0.overlaid(with: closed) }
        return side.account
    }
}
