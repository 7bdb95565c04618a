package import BankModel

/// A session's movements of money; each debits one account by exactly the amount that it credits to another.
package struct Ledger: Sendable, Equatable {
    /// In the order of booking.
    package private(set) var movements: [Movement] = []
    /// Each account's difference from its fixture, in minor units; the sum over all is zero per currency.
    package private(set) var changes: [Movement.Account: Int64] = [:]
    /// The sum of all postings, in minor units modulo 2^64: 0 as long as each movement credits what it debits.
    private var total: Int64 = 0
    /// The pending amounts in minor units; an account without pending money has none.
    private var underWay: [Movement.Account: UnderWay] = [:]
    /// The indexes of the pending movements, by the instants at which they end.
    private var endings = SortedNumbers()

    private struct UnderWay: Equatable {
        var coming: Int64 = 0
        var going: Int64 = 0
    }

    package init() {}

    /// The account's difference from its fixture, in minor units, pending movements included.
    package func change(of account: Movement.Account) -> Int64 { changes[account] ?? 0 }

    /// The account's difference from its fixture by settled movements alone, in minor units.
    package func settledChange(of account: Movement.Account) -> Int64 {
        guard let underWay = underWay[account] else { return change(of: account) }
        return change(of: account) &- underWay.coming &+ underWay.going
    }

    /// The difference with all pending debits and without pending credits: the spendable part, in minor units.
    func spendableChange(of account: Movement.Account) -> Int64 {
        guard let underWay = underWay[account] else { return change(of: account) }
        return change(of: account) &- underWay.coming
    }

    /// The instant at which the next pending movement ends; nil if none is pending.
    package var nextEnding: Instant? { endings.first.flatMap { movements[Int($0)].ending?.at } }

    /// The indexes of the pending movements that end by then, in that order.
    func due(at now: Instant) -> [Int] {
        guard let next = nextEnding, next <= now else { return [] }
        let end = endings.partitioningIndex { position in movements[Int(position)].ending.map { $0.at > now } ?? true }
        return endings.numbers(0..<end).map { Int($0) }
    }

    /// Whether the sums equal the postings: two for each movement, and two reversals for one that is rejected or cancelled.
    package var isBalanced: Bool {
        var sums: [Movement.Account: Int64] = [:]
        for movement in movements where !movement.state.isReversed {
            sums[movement.from, default: 0] &-= movement.amount.minorUnits
            sums[movement.to, default: 0] &+= movement.amount.minorUnits
        }
        return sums.count { $0.value != 0 } == changes.count { $0.value != 0 }
            && changes.allSatisfy { sums[$0.key, default: 0] == $0.value }
    }

    /// Whether the postings add up to 0, as they do if each movement credits what it debits. It takes no time: a session checks it with
    /// each request. ``isBalanced`` adds up the movements too.
    package var addsUp: Bool { total == 0 }

    /// The ledger at an instant, rebuilt from all movements until then: a machine's clock may go back, so they need not be in order.
    func asOf(_ instant: Instant) -> Ledger {
        var past = Ledger()
        for var movement in movements where movement.at <= instant {
            if let ending = movement.ending { movement.state = ending.pendingState }
            past.book(movement)
        }
        _ = past.settle(at: instant)
        return past
    }

    /// Whether a movement can be booked: it connects two accounts, and the sums fit 64 bits whichever of the pending
    /// movements are rejected.
    ///
    /// - Parameter openings: the accounts' balances in their fixtures, in minor units; 0 for one that holds no money of this
    ///   bank.
    package func accepts(_ movement: Movement, openings: (from: Int64, to: Int64) = (0, 0)) -> Bool {
        func fits(_ account: Movement.Account, _ opening: Int64, going: Int64, coming: Int64) -> Bool {
            let underWay = underWay[account] ?? UnderWay()
            let change = change(of: account)
            let sums = [
                // If all that goes returns, and if all that comes vanishes.
                sum(change, coming, underWay.going), sum(change, coming, underWay.going, opening),
                sum(change, -going, -underWay.coming), sum(change, -going, -underWay.coming, opening),
                sum(underWay.going, going), sum(underWay.coming, coming),
            ]
            return sums.allSatisfy { $0 != nil }
        }
        let units = movement.amount.minorUnits
        return units >= 0 && movement.from != movement.to && fits(movement.from, openings.from, going: units, coming: 0)
            && fits(movement.to, openings.to, going: 0, coming: units)
    }

    /// Books a movement that ``accepts(_:openings:)`` allows: both postings.
    ///
    /// Sums wrap here and in the undo: they fit in every state that ``accepts(_:openings:)`` allows, and on the way from one
    /// such state to another a wrapped sum wraps back.
    package mutating func book(_ movement: Movement) {
        movements.append(movement)
        post(0 &- movement.amount.minorUnits, to: movement.from)
        post(movement.amount.minorUnits, to: movement.to)
        if movement.state.isPending { depart(movements.count - 1) }
    }

    /// Undoes the movement booked last.
    package mutating func unbook() {
        guard let last = movements.last else { return }
        if last.state.isPending { land(movements.count - 1) }
        if !last.state.isReversed { shift(last, by: 0 &- last.amount.minorUnits) }
        movements.removeLast()
    }

    /// Ends the pending movements that are due: one that is rejected or cancelled is reversed.
    ///
    /// - Returns: whether there were any.
    package mutating func settle(at now: Instant) -> Bool {
        guard let next = nextEnding, next <= now else { return false }
        while let position = endings.first.map({ Int($0) }), let ending = movements[position].ending, ending.at <= now {
            land(position)
            movements[position].state = ending.state
            if ending.state.isReversed { shift(movements[position], by: 0 &- movements[position].amount.minorUnits) }
        }
        return true
    }

    /// Gives a movement that has an ending another one, from which ``settle(at:)`` ends it.
    mutating func end(_ number: Int, as ending: Movement.Ending) {
        guard movements.indices.contains(number), movements[number].ending != nil else { return }
        if movements[number].state.isPending {
            land(number)
        } else if movements[number].state.isReversed {
            shift(movements[number], by: movements[number].amount.minorUnits)
        }
        movements[number].ending = ending
        depart(number)
    }

    /// Makes it pending, if it has an ending.
    private mutating func depart(_ position: Int) {
        let movement = movements[position]
        guard let ending = movement.ending else { return }
        movements[position].state = ending.pendingState
        underWay[movement.from, default: UnderWay()].going &+= movement.amount.minorUnits
        underWay[movement.to, default: UnderWay()].coming &+= movement.amount.minorUnits
        let movements = movements
        endings.insert(Int32(position)) { Ledger.ends($0, after: position, movements) }
    }

    /// Makes it no longer pending.
    private mutating func land(_ position: Int) {
        let movement = movements[position]
        guard movement.ending != nil else { return }
        underWay[movement.from]?.going &-= movement.amount.minorUnits
        underWay[movement.to]?.coming &-= movement.amount.minorUnits
        for account in [movement.from, movement.to] where underWay[account] == UnderWay() { underWay[account] = nil }
        let movements = movements
        endings.remove(Int32(position)) { Int($0) == position || Ledger.ends($0, after: position, movements) }
    }

    /// Whether one movement ends after another; of those that end together, the later one.
    private static func ends(_ one: Int32, after other: Int, _ movements: [Movement]) -> Bool {
        guard let end = movements[Int(one)].ending?.at, let its = movements[other].ending?.at, end != its else { return Int(one) > other }
        return end > its
    }

    /// Moves a number of minor units in the movement's direction.
    private mutating func shift(_ movement: Movement, by units: Int64) {
        post(0 &- units, to: movement.from)
        post(units, to: movement.to)
        for account in [movement.from, movement.to] where changes[account] == 0 { changes[account] = nil }
    }

    /// One of the two postings of a movement.
    mutating func post(_ units: Int64, to account: Movement.Account) {
        changes[account, default: 0] &+= units
        total &+= units
    }
}

/// The sum; nil if it needs more than 64 bits on the way from the first number to the last.
private func sum(_ numbers: Int64...) -> Int64? {
    numbers.reduce(Optional(0)) { sum, number in
        let result = sum?.addingReportingOverflow(number)
        return result?.overflow == false ? result?.partialValue : nil
    }
}
