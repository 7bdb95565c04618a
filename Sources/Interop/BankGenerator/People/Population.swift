import BankModel

/// The people of a bank with their accounts: Ava and Ben first, who are in every bank.
struct Population: Sendable {
    private(set) var people: [Person] = []
    private(set) var accounts: [Account] = []

    /// - Parameter rows: the number of transactions; people grow with its square root, 102 for a million.
    init(rows: Int, seed: UInt64) {
        var dice = Dice(seed, for: "people")
        add(
            ("Ava", "ava"), "Lindqvist", password: "correct-horse", town: 0,
            [("GBP", "Everyday"), ("EUR", "Euro trips"), ("JPY", "円口座"), ("BHD", "Manama"), ("CLF", "Inflation-proof")],
            payees: [("lark", "Lark Energy"), ("tallis", "Tallis Homes"), ("mum", "M. Lindqvist")], &dice)
        add(
            ("Ben", "ben"), "Okafor", password: "battery-staple", town: 0, [("GBP", "Ben's current"), ("USD", "Dollars")],
            payees: [("gym", "Iron Yard Gym")], &dice)
        let others = Population.squareRoot(of: rows) / 10
        for number in 0..<others {
            // A distinct login: the first round of names is bare, later ones have a number.
            let first = PeopleWords.firstNames[number % PeopleWords.firstNames.count]
            let round = number / PeopleWords.firstNames.count
            let named = (name: first.name, login: round == 0 ? first.login : "\(first.login)\(round + 1)")
            let last = dice.pick(PeopleWords.lastNames)
            let town = dice.below(Town.all.count)
            var kinds = [(Town.all[town].currency, "Everyday")]
            let extras = ["EUR", "USD", "GBP", "JPY", "KWD"].filter { $0 != Town.all[town].currency }
            if dice.chance(perMille: 600) { kinds.append((dice.pick(extras), dice.pick(["Savings", "Abroad", "Travel pot 🧳"]))) }
            let friend = "\(dice.pick(PeopleWords.firstNames).name) \(dice.pick(PeopleWords.lastNames))"
            add(
                named, last, password: "\(dice.pick(PeopleWords.adjectives))-\(dice.pick(PeopleWords.nouns))", town: town, kinds,
                payees: [("\(named.login)-home", dice.pick(Trade.landlords)), ("\(named.login)-friend", friend)], &dice)
        }
    }

    private mutating func add(
        _ first: FirstName, _ last: String, password: String, town: Int, _ kinds: [(currency: String, name: String)],
        payees: [(id: String, name: String)], _ dice: inout Dice
    ) {
        let start = accounts.count
        for (index, kind) in kinds.enumerated() {
            guard let level = PriceLevel.all[kind.currency] else { continue }
            let balance = level.minorUnits(pence: index == 0 ? dice.within(900_000...4_800_000) : dice.within(20_000...900_000))
            accounts.append(
                Account(
                    id: "\(first.login)-\(kind.currency.lowercased())", name: kind.name, level: level, isSavings: index > 0,
                    owner: people.count,
                    balance: balance, reserved: index == 0 ? level.minorUnits(pence: dice.within(0...15_000)) : 0))
        }
        people.append(
            Person(
                name: "\(first.name) \(last)", login: first.login, password: password, town: town, accounts: start..<accounts.count,
                payees: payees.map { Payee(id: "payee-\($0.id)", name: $0.name, number: Population.accountNumber(&dice)) },
                habits: Habits(&dice)))
    }

    /// A sort code and a number, as British banks write them.
    private static func accountNumber(_ dice: inout Dice) -> String {
        func two() -> String { String(dice.within(10...99)) }
        return "\(two())-\(two())-\(two()) \(two())\(two())\(two())\(two())"
    }

    /// The greatest whole number whose square is not above the number.
    static func squareRoot(of number: Int) -> Int { Int(Double(number).squareRoot()) }
}

extension Habits {
    /// Draws somebody's habits.
    init(_ dice: inout Dice) {
        var subscriptions: [(name: String, pence: Int, day: Int)] = []
        for (name, pence) in dice.shuffled(Trade.subscriptions).prefix(4) {
            subscriptions.append((name, dice.within(pence), dice.within(1...28)))
        }
        self.init(
            employer: dice.pick(Trade.employers), salary: dice.within(150_000...520_000),
            payday: dice.pick([.lastWorkday, .day(25), .day(28), .day(15)]), landlord: dice.pick(Trade.landlords),
            rent: dice.within(40...160) * 1000, subscriptions: subscriptions)
    }
}
