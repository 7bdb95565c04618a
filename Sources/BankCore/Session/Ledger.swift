package import BankModel

/// A session's movements of money; each takes from one account exactly what it gives to another.
package struct Ledger: Sendable, Hashable {
    /// In the order in which they were made.
    package private(set) var movements: [Movement] = []
    /// How far each account is from its fixture, in minor units; the sum over all is zero per currency.
    package private(set) var changes: [Movement.Account: Int64] = [:]
    /// What is accepted and not settled, in minor units; an account without such money has none.
    private var underWay: [Movement.Account: UnderWay] = [:]
    private var endings = EndingQueue()

    private struct UnderWay: Hashable {
        var coming: Int64 = 0
        var going: Int64 = 0
    }

    package init() {}

    /// How far the account is from its fixture, in minor units, with what is under way.
    package func change(of account: Movement.Account) -> Int64 { changes[account] ?? 0 }

    /// How far the account is from its fixture by settled movements alone, in minor units.
    package func settledChange(of account: Movement.Account) -> Int64 {
        guard !underWay.isEmpty, let underWay = underWay[account] else { return change(of: account) }
        return change(of: account) &- underWay.coming &+ underWay.going
    }

    /// How far it is with all that goes and without what is still coming: what can be spent, in minor units.
    func spendableChange(of account: Movement.Account) -> Int64 {
        guard !underWay.isEmpty, let underWay = underWay[account] else { return change(of: account) }
        return change(of: account) &- underWay.coming
    }

    /// When the next accepted movement ends; nil if none is under way.
    package var nextEnding: Instant? { endings.next?.at }

    /// Whether the sums are those of the postings: each movement's two, and two back for one that was rejected.
    package var isBalanced: Bool {
        var sums: [Movement.Account: Int64] = [:]
        for movement in movements where movement.state != .rejected {
            sums[movement.from, default: 0] &-= movement.amount.minorUnits
            sums[movement.to, default: 0] &+= movement.amount.minorUnits
        }
        return sums.filter { $0.value != 0 } == changes.filter { $0.value != 0 }
    }

    /// The ledger as it stood at an instant.
    func asOf(_ instant: Instant) -> Ledger {
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
        changes[movement.from, default: 0] &-= movement.amount.minorUnits
        changes[movement.to, default: 0] &+= movement.amount.minorUnits
        let units = movement.amount.minorUnits
        if let ending = movement.ending, movement.state == .accepted {
            underWay[movement.from, default: UnderWay()].going &+= units
            underWay[movement.to, default: UnderWay()].coming &+= units
            endings.insert(EndingQueue.Entry(at: ending.at, movement: movements.count))
        }
        movements.append(movement)
    }

    /// Takes back the movement booked last, as if it had never been.
    package mutating func unbook() {
        guard let last = movements.popLast() else { return }
        if last.state == .accepted { land(last) }
        if last.state != .rejected { shift(last, by: 0 &- last.amount.minorUnits) }
        endings.remove(from: movements.count)
    }

    /// Ends the accepted movements whose time has come: what is rejected goes back.
    ///
    /// - Returns: whether there were any.
    package mutating func settle(at now: Instant) -> Bool {
        guard let next = endings.next, next.at <= now else { return false }
        while let entry = endings.popDue(at: now) {
            guard let ending = movements[entry.movement].ending else { continue }
            land(movements[entry.movement])
            movements[entry.movement].state = ending.state
            if ending.state == .rejected { shift(movements[entry.movement], by: 0 &- movements[entry.movement].amount.minorUnits) }
        }
        return true
    }

    /// It is no longer under way.
    private mutating func land(_ movement: Movement) {
        guard movement.ending != nil else { return }
        underWay[movement.from]?.going &-= movement.amount.minorUnits
        underWay[movement.to]?.coming &-= movement.amount.minorUnits
        for account in [movement.from, movement.to] where underWay[account] == UnderWay() { underWay[account] = nil }
    }

    /// Moves so many minor units the movement's way.
    private mutating func shift(_ movement: Movement, by units: Int64) {
        changes[movement.from, default: 0] &-= units
        changes[movement.to, default: 0] &+= units
        for account in [movement.from, movement.to] where changes[account] == 0 { changes[account] = nil }
    }
}

/// Accepted movements by the instant at which they end.
private struct EndingQueue: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        let at: Instant
        /// Its place in the ledger.
        let movement: Int
    }

    /// Ascending; those before `first` have ended.
    private var entries: [Entry] = []
    private var first = 0

    var next: Entry? { first < entries.count ? entries[first] : nil }

    /// Usually at the end: most banks let every movement take the same time.
    mutating func insert(_ entry: Entry) {
        var place = entries.count
        while place > first, entry.at < entries[place - 1].at { place -= 1 }
        entries.insert(entry, at: place)
    }

    mutating func popDue(at now: Instant) -> Entry? {
        guard let next, next.at <= now else { return nil }
        first += 1
        if first == entries.count || first > 1024 && first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
        return next
    }

    /// Forgets the movements from that place on.
    mutating func remove(from movement: Int) {
        guard entries[first...].contains(where: { $0.movement >= movement }) else { return }
        entries = entries[first...].filter { $0.movement < movement }
        first = 0
    }
}
