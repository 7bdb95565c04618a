import BankModel

/// Draws what people do with their accounts on one day.
struct Spending: Sendable {
    let population: Population
    /// By town.
    let machines: [[CashMachine]]
    private var dice: Dice
    /// Trades by how often people go there, for workdays and weekends.
    private let lots: (workday: [Int], weekend: [Int])

    init(population: Population, machines: [[CashMachine]], seed: UInt64) {
        self.population = population
        self.machines = machines
        dice = Dice(seed, for: "spending")
        func lots(_ weight: KeyPath<Trade, Int>) -> [Int] {
            Trade.all.indices.flatMap { Array(repeating: $0, count: Trade.all[$0][keyPath: weight]) }
        }
        self.lots = (lots(\.workday), lots(\.weekend))
    }

    /// The regular transactions of an account on a date: salary, rent, subscriptions; none on accounts that are not for daily use.
    mutating func fixtures(of account: Int, on date: CivilDate) -> [Transaction] {
        let person = population.people[population.accounts[account].owner]
        guard person.accounts.lowerBound == account else { return [] }
        let habits = person.habits
        var rows: [Transaction] = []
        if date.isPayday(habits.payday) {
            rows.append(transfer(account, habits.salary, "Salary, \(habits.employer)", habits.employer, hours: 0...4, isCredit: true))
        }
        if date.isRentDay { rows.append(transfer(account, habits.rent, "Rent, \(habits.landlord)", habits.landlord, hours: 2...6)) }
        for subscription in habits.subscriptions where subscription.day == date.day {
            rows.append(transfer(account, subscription.pence, subscription.name, subscription.name, hours: 2...6))
        }
        if date.day == 28, dice.chance(perMille: 300) {
            rows.append(row(account, .fee, 300, "Card abroad, monthly", hours: 22...23))
        }
        return rows
    }

    /// One thing that somebody does with one of the accounts; rows have the serial 0 until they are numbered.
    ///
    /// - Parameter age: how many days the day is before the newest: card payments of the last two may be pending.
    mutating func next(onOneOf accounts: [Int], date: CivilDate, age: Int) -> Transaction {
        let account = dice.pick(accounts)
        let isSavings = population.accounts[account].isSavings
        switch dice.below(1000) {
        case 0..<(isSavings ? 500 : 20): return own(account)
        case ..<(isSavings ? 560 : 90): return cash(account)
        case ..<(isSavings ? 640 : 180): return favour(account)
        default: return card(account, date: date, age: age)
        }
    }

    /// The pending row in whose place a purchase of that day stands; nil for most.
    mutating func pending(before row: Transaction) -> Transaction? {
        guard row.kind == .card, !row.isPending, !row.isCredit, row.second > 4 * 3600, dice.chance(perMille: 15) else { return nil }
        var pending = row
        pending.isPending = true
        pending.counterparty = nil
        pending.fee = nil
        pending.second -= dice.within(600...14_400)
        // The settled amount may differ from the reserved one: a tip, a full tank.
        if dice.chance(perMille: 250) { pending.amount = max(1, row.amount - row.amount / 8) }
        return pending
    }

    // MARK: what people do

    private mutating func card(_ account: Int, date: CivilDate, age: Int) -> Transaction {
        let trade = Trade.all[dice.pick(date.isWeekend ? lots.weekend : lots.workday)]
        let shop = dice.pick(trade.shops)
        var row = row(account, .card, price(trade.pence), shop, hours: trade.hours)
        if trade.hasLandmarks, dice.chance(perMille: 400) {
            row.description += ", \(dice.pick(Town.all[home(of: account)].landmarks).name)"
        }
        if !trade.emoji.isEmpty, dice.chance(perMille: 120) { row.description += " \(dice.pick(trade.emoji))" }
        if dice.chance(perMille: 600) { row.counterparty = "\(shop) Ltd" }
        if dice.chance(perMille: 25) {
            row.isCredit = true
            row.description = "Refund, \(shop)"
        } else if dice.chance(perMille: 40) {
            row.fee = max(1, row.amount / 100)
        }
        row.isPending = dice.chance(perMille: age == 0 ? 600 : age == 1 ? 250 : 0)
        if row.isPending {
            row.counterparty = nil
            row.fee = nil
        }
        return row
    }

    private mutating func cash(_ account: Int) -> Transaction {
        let machine = dice.pick(machines[dice.chance(perMille: 900) ? home(of: account) : dice.below(machines.count)])
        var row = row(account, .cash, dice.low(in: 1...15) * 1000, "Cash, \(machine.name)", hours: 6...23)
        row.counterparty = "Cash machine network"
        row.machine = machine.id
        if dice.chance(perMille: 250) { row.fee = population.accounts[account].level.minorUnits(pence: dice.pick([99, 150, 175, 250])) }
        return row
    }

    private mutating func favour(_ account: Int) -> Transaction {
        let person = population.people[population.accounts[account].owner]
        let other = dice.chance(perMille: 500) ? dice.pick(population.people).name : dice.pick(person.payees).name
        let credit = dice.chance(perMille: 450)
        return transfer(account, dice.low(in: 200...12_000), dice.pick(Trade.favours), other, hours: 7...23, isCredit: credit)
    }

    private mutating func own(_ account: Int) -> Transaction {
        let others = population.people[population.accounts[account].owner].accounts.filter { $0 != account }
        guard !others.isEmpty else { return favour(account) }
        let other = population.accounts[dice.pick(others)].name
        let credit = dice.chance(perMille: 500)
        var row = row(account, .own, dice.low(in: 1...50) * 1000, (credit ? "From " : "To ") + other, hours: 7...22)
        row.isCredit = credit
        return row
    }

    // MARK: parts

    private func home(of account: Int) -> Int { population.people[population.accounts[account].owner].town }

    private mutating func transfer(
        _ account: Int, _ pence: Int, _ description: String, _ counterparty: String, hours: ClosedRange<Int>, isCredit: Bool = false
    ) -> Transaction {
        var row = row(account, .transfer, pence, description, hours: hours)
        row.counterparty = counterparty
        row.isCredit = isCredit
        return row
    }

    private mutating func row(
        _ account: Int, _ kind: Transaction.Kind, _ pence: Int, _ description: String, hours: ClosedRange<Int>
    ) -> Transaction {
        Transaction(
            account: account, second: dice.within(hours) * 3600 + dice.below(3600), kind: kind,
            amount: population.accounts[account].level.minorUnits(pence: pence), description: description)
    }

    /// Half of all prices end as prices like to.
    private mutating func price(_ pence: ClosedRange<Int>) -> Int {
        let drawn = dice.low(in: pence)
        return dice.chance(perMille: 500) ? max(1, drawn / 100 * 100 + dice.pick([99, 50, 95, 0])) : drawn
    }
}
