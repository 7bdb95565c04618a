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
