package import BankModel

/// A session's movements of money; each takes from one account exactly what it gives to another.
package struct Ledger: Sendable, Hashable {
    /// In the order in which they were made.
    package private(set) var movements = ChunkedArray<Movement>()
    /// How far each account is from its fixture, in minor units; the sum over all is zero per currency.
    package private(set) var changes = SplitDictionary<Movement.Account, Int64>()
    /// What is accepted and not settled, in minor units; an account without such money has none.
    private var underWay = SplitDictionary<Movement.Account, UnderWay>()
    /// The places of the accepted movements, by the instants at which they end.
    private var endings = SortedNumbers()
    /// The longest that one of them took, or is to take.
    private var longest = Duration.zero
    /// No movement was made before the one in front of it: a machine's clock may go back.
    private var isInOrder = true

    private struct UnderWay: Hashable {
        var coming: Int64 = 0
        var going: Int64 = 0
    }

    package static func == (a: Ledger, b: Ledger) -> Bool {
        a.movements == b.movements && a.changes == b.changes && a.underWay == b.underWay && a.endings == b.endings
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(movements) }

    package init() {}

    /// How far the account is from its fixture, in minor units, with what is under way.
    package func change(of account: Movement.Account) -> Int64 { changes[account] ?? 0 }

    /// How far the account is from its fixture by settled movements alone, in minor units.
    package func settledChange(of account: Movement.Account) -> Int64 {
        guard let underWay = underWay[account] else { return change(of: account) }
        return change(of: account) &- underWay.coming &+ underWay.going
    }

    /// How far it is with all that goes and without what is still coming: what can be spent, in minor units.
    func spendableChange(of account: Movement.Account) -> Int64 {
        guard let underWay = underWay[account] else { return change(of: account) }
        return change(of: account) &- underWay.coming
    }

    /// When the next accepted movement ends; nil if none is under way.
    package var nextEnding: Instant? { endings.first.flatMap { movements[Int($0)].ending?.at } }

    /// Whether the sums are those of the postings: each movement's two, and two back for one that was rejected.
    package var isBalanced: Bool {
        var sums: [Movement.Account: Int64] = [:]
        for movement in movements where movement.state != .rejected {
            sums[movement.from, default: 0] &-= movement.amount.minorUnits
            sums[movement.to, default: 0] &+= movement.amount.minorUnits
        }
        return sums.count { $0.value != 0 } == changes.count { $0.value != 0 }
            && changes.allSatisfy { sums[$0.key, default: 0] == $0.value }
    }

    /// Whether the sums of all accounts are nothing together, as they are if each movement gives what it takes; ``isBalanced`` adds up
    /// the movements too.
    package var addsUp: Bool { changes.values.reduce(Int128(0)) { $0 + Int128($1) } == 0 }

    /// The ledger as it stood at an instant.
    func asOf(_ instant: Instant) -> Ledger {
        guard isInOrder else { return madeAnew(at: instant) }
        var past = self
        while let last = past.movements.last, last.at > instant { past.unbook() }
        // A movement under way then began no earlier than the longest settlement before it.
        for place in past.movements.indices.reversed() {
            let movement = past.movements[place]
            if movement.at + longest <= instant { break }
            if let ending = movement.ending, ending.at > instant, movement.state != .accepted { past.reopen(place) }
        }
        return past
    }

    /// The ledger as it stood at an instant, from all movements until then.
    private func madeAnew(at instant: Instant) -> Ledger {
        var past = Ledger()
        for var movement in movements where movement.at <= instant {
            if movement.ending != nil { movement.state = .accepted }
            past.book(movement)
        }
        _ = past.settle(at: instant)
        return past
    }

    /// Whether a movement can be booked: it goes from one account to another, and the sums fit 64 bits whichever of the movements
    /// under way are rejected.
    ///
    /// - Parameter openings: what the accounts have by their fixtures, in minor units; nought for one that holds no money of ours.
    package func takes(_ movement: Movement, openings: (from: Int64, to: Int64) = (0, 0)) -> Bool {
        func fits(_ account: Movement.Account, _ opening: Int64, going: Int64, coming: Int64) -> Bool {
            let underWay = underWay[account] ?? UnderWay()
            let change = Int128(change(of: account)) - Int128(going) + Int128(coming)
            let returning = Int128(underWay.going) + Int128(going)
            let vanishing = Int128(underWay.coming) + Int128(coming)
            return [change + returning, change - vanishing].allSatisfy { sum in
                Int64(exactly: sum) != nil && Int64(exactly: sum + Int128(opening)) != nil
            } && Int64(exactly: returning) != nil && Int64(exactly: vanishing) != nil
        }
        let units = movement.amount.minorUnits
        return movement.from != movement.to && fits(movement.from, openings.from, going: units, coming: 0)
            && fits(movement.to, openings.to, going: 0, coming: units)
    }

    /// Books a movement that the ledger takes: both postings.
    ///
    /// Sums wrap here and where they are taken back: they fit in every state that ``takes(_:openings:)`` allows, and on the way from one
    /// such state to another a sum that has wrapped comes back.
    package mutating func book(_ movement: Movement) {
        if let last = movements.last, movement.at < last.at { isInOrder = false }
        movements.append(movement)
        changes[movement.from, default: 0] &-= movement.amount.minorUnits
        changes[movement.to, default: 0] &+= movement.amount.minorUnits
        if movement.state == .accepted { depart(movements.count - 1) }
    }

    /// Takes back the movement booked last, as if it had never been.
    package mutating func unbook() {
        guard let last = movements.last else { return }
        if last.state == .accepted { land(movements.count - 1) }
        if last.state != .rejected { shift(last, by: 0 &- last.amount.minorUnits) }
        movements.popLast()
    }

    /// Ends the accepted movements whose time has come: what is rejected goes back.
    ///
    /// - Returns: whether there were any.
    package mutating func settle(at now: Instant) -> Bool {
        guard let next = nextEnding, next <= now else { return false }
        while let place = endings.first.map({ Int($0) }), let ending = movements[place].ending, ending.at <= now {
            land(place)
            movements[place].state = ending.state
            if ending.state == .rejected { shift(movements[place], by: 0 &- movements[place].amount.minorUnits) }
        }
        return true
    }

    /// Lets a movement that has ended be under way again.
    private mutating func reopen(_ place: Int) {
        if movements[place].state == .rejected { shift(movements[place], by: movements[place].amount.minorUnits) }
        movements[place].state = .accepted
        depart(place)
    }

    /// It is under way from now on, if it is to end.
    private mutating func depart(_ place: Int) {
        let movement = movements[place]
        guard let ending = movement.ending else { return }
        longest = max(longest, ending.at - movement.at)
        underWay[movement.from, default: UnderWay()].going &+= movement.amount.minorUnits
        underWay[movement.to, default: UnderWay()].coming &+= movement.amount.minorUnits
        let movements = movements
        endings.insert(Int32(place)) { Ledger.ends($0, after: place, movements) }
    }

    /// It is no longer under way.
    private mutating func land(_ place: Int) {
        let movement = movements[place]
        guard movement.ending != nil else { return }
        underWay[movement.from]?.going &-= movement.amount.minorUnits
        underWay[movement.to]?.coming &-= movement.amount.minorUnits
        for account in [movement.from, movement.to] where underWay[account] == UnderWay() { underWay[account] = nil }
        let movements = movements
        endings.remove(Int32(place)) { Int($0) == place || Ledger.ends($0, after: place, movements) }
    }

    /// Whether one movement ends after another; of those that end together, the one that was made later.
    private static func ends(_ one: Int32, after other: Int, _ movements: ChunkedArray<Movement>) -> Bool {
        guard let end = movements[Int(one)].ending?.at, let its = movements[other].ending?.at, end != its else { return Int(one) > other }
        return end > its
    }

    /// Moves so many minor units the movement's way.
    private mutating func shift(_ movement: Movement, by units: Int64) {
        changes[movement.from, default: 0] &-= units
        changes[movement.to, default: 0] &+= units
        for account in [movement.from, movement.to] where changes[account] == 0 { changes[account] = nil }
    }
}
