import BankModel

/// Which days a bank's transactions are of, and how many each has: more on Fridays and Saturdays, fewest on Sundays.
struct Calendar: Sendable {
    /// The newest day; fixed, so that the same seed gives the same bytes on every day.
    static let newest = CivilDate(daysSinceEpoch: 20_757)

    /// Ten years.
    private static let longest = 3650
    /// By ``CivilDate/weekday``: from Sunday to Saturday.
    private static let weights = [8, 10, 10, 10, 11, 14, 15]

    /// One day, and how many transactions it has.
    struct Day: Sendable {
        let date: CivilDate
        let rows: Int
    }

    /// Newest first; their rows are together as many as asked for.
    let days: [Day]

    /// - Parameter rows: how many transactions there are: eight a day until there are ten years of them, then more a day.
    init(rows: Int) {
        let dates = (0..<min(Calendar.longest, 1 + rows / 8)).map { CivilDate(daysSinceEpoch: Calendar.newest.daysSinceEpoch - $0) }
        let total = dates.reduce(0) { $0 + Calendar.weights[$1.weekday] }
        var weight = 0
        var given = 0
        days = dates.map { date in
            weight += Calendar.weights[date.weekday]
            let due = rows * weight / total
            defer { given = due }
            return Day(date: date, rows: due - given)
        }
    }
}

extension CivilDate {
    /// Whether it is a Saturday or a Sunday.
    var isWeekend: Bool { weekday == 0 || weekday == 6 }

    /// The date `days` later.
    func adding(days: Int) -> CivilDate { CivilDate(daysSinceEpoch: daysSinceEpoch + days) }

    /// Whether a salary comes on that day.
    func isPayday(_ payday: Payday) -> Bool {
        guard !isWeekend else { return false }
        switch payday {
        case .lastWorkday: return adding(days: weekday == 5 ? 3 : 1).month != month
        // On a Friday also the salaries of the weekend behind it.
        case .day(let day): return (0...(weekday == 5 ? 2 : 0)).contains { adding(days: $0).day == day }
        }
    }

    /// Whether it is the month's first day from Monday to Friday, when rents go out.
    var isRentDay: Bool { !isWeekend && (day == 1 || weekday == 1 && day <= 3) }
}
