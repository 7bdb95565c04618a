package import BankModel

/// A session's movements of money; each takes from one account exactly what it gives to another.
package struct Ledger: Sendable {
    /// In the order in which they were made.
    package private(set) var movements: [Movement] = []
    /// How far each account is from its fixture, in minor units; the sum over all is zero per currency.
    package private(set) var changes: [Movement.Account: Int64] = [:]

    package init() {}

    /// How far the account is from its fixture, in minor units.
    package func change(of account: Movement.Account) -> Int64 { changes[account] ?? 0 }

    /// The ledger with only the movements made until then.
    func asOf(_ instant: Instant) -> Ledger {
        movements.filter { $0.at <= instant }.reduce(into: Ledger()) { past, movement in _ = past.book(movement) }
    }

    /// Books a movement: both postings, or neither.
    ///
    /// - Returns: false if a sum would not fit 64 bits; nothing is booked then.
    mutating func book(_ movement: Movement) -> Bool {
        let units = movement.amount.minorUnits
        let (from, underflow) = change(of: movement.from).subtractingReportingOverflow(units)
        let (to, overflow) = change(of: movement.to).addingReportingOverflow(units)
        guard !underflow, !overflow, movement.from != movement.to else { return false }
        changes[movement.from] = from
        changes[movement.to] = to
        movements.append(movement)
        return true
    }
}
