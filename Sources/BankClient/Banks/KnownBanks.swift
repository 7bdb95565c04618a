/// The banks that this client supports.
package enum KnownBanks {
    package static let names = ["counterfoil", "roundup", "bins", "snapshot", "feed", "login", "openbanking", "berlin"]

    /// The adapter of that bank; nil if the bank is unknown.
    package static func adapter(_ name: String, _ reading: Reading, clock: any ClientClock = SystemClock()) -> (any BankAdapter)? {
        switch name {
        case "counterfoil": CounterfoilBank(reading)
        case "roundup": RoundupBank(reading, clock: clock)
        case "bins": BinsBank(reading)
        case "snapshot": SnapshotBank(reading)
        case "feed": FeedBank(reading)
        case "login": LoginBank(reading)
        case "openbanking": OpenBankingBank(reading)
        case "berlin": BerlinBank(reading)
        default: nil
        }
    }
}
