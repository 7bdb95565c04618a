/// A customer of a generated bank.
struct Person: Sendable {
    let name: String
    let login: String
    let password: String
    /// Their town, an index of ``Town/all``.
    let town: Int
    /// Their accounts in the bank's list; the first is the one for every day.
    let accounts: Range<Int>
    let payees: [Payee]
    let habits: Habits
}

/// An account of a generated bank.
struct Account: Sendable {
    let id: String
    let name: String
    let level: PriceLevel
    let isSavings: Bool
    /// Its owner, in the bank's list.
    let owner: Int
    /// The opening balance, in minor units.
    let balance: Int64
    /// The part of the balance that is not yet settled, in minor units.
    let reserved: Int64
}

/// Somebody whom a user pays.
struct Payee: Sendable {
    let id: String
    let name: String
    let number: String
}

/// Monthly income and expenses, in pence.
struct Habits: Sendable {
    let employer: String
    let salary: Int
    let payday: Payday
    let landlord: String
    let rent: Int
    /// Each with the day of the month, 1 to 28.
    let subscriptions: [(name: String, pence: Int, day: Int)]
}

/// When a salary comes.
enum Payday: Sendable, Hashable {
    /// The last day of the month from Monday to Friday.
    case lastWorkday
    /// That day of the month, or the Friday before it.
    case day(Int)
}

/// A cash machine of a generated bank.
struct CashMachine: Sendable {
    let id: String
    let name: String
    let address: String
    /// Degrees north, in ten-thousandths.
    let latitude: Int
    /// Degrees east, in ten-thousandths.
    let longitude: Int
    let services: [String]

    /// The machines of every town, in the order of ``Town/all``.
    ///
    /// - Parameter rows: the number of transactions; at each landmark stand one to twenty machines, twenty from a million on.
    static func all(rows: Int, seed: UInt64) -> [[CashMachine]] {
        var dice = Dice(seed, for: "machines")
        return Town.all.map { town in
            var machines: [CashMachine] = []
            for landmark in town.landmarks {
                for number in 1...1 + min(19, rows / 50_000) {
                    machines.append(
                        CashMachine(
                            id: "atm-\(town.slug)-\(machines.count + 1)", name: number == 1 ? landmark.name : "\(landmark.name) \(number)",
                            address: "\(dice.within(1...240)) \(dice.pick(town.streets)), \(town.name)",
                            // About 450 m to each side.
                            latitude: landmark.latitude + dice.within(-40...40), longitude: landmark.longitude + dice.within(-40...40),
                            services: ["cash"] + ["balance", "deposit", "contactless"].filter { _ in dice.chance(perMille: 400) }))
                }
            }
            return machines
        }
    }

    /// Degrees with their four digits, such as `-0.0823`.
    static func degrees(_ tenThousandths: Int) -> String {
        let magnitude = String(tenThousandths.magnitude)
        let padded = String(repeating: "0", count: max(0, 5 - magnitude.count)) + magnitude
        return "\(tenThousandths < 0 ? "-" : "")\(padded.dropLast(4)).\(padded.suffix(4))"
    }
}
